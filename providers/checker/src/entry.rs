//! What the program does with its words: the parts for people and hosts, and the provider.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::iter::once;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use lonis::{Provider, serve};
use serde_json::json;

use crate::arguments::{Arguments, Part, is_for_people};
use crate::payload::Document;
use crate::{face, job, people, project_tools, tools};

/// Does what the words of a command line ask for, by the name that the program was called by.
pub fn run(program: &OsStr, words: &[OsString]) -> ExitCode {
    if is_called_trellis(program) {
        return ExitCode::from(trellis(words));
    }
    if !is_for_people(words) {
        return serve(provider());
    }
    ExitCode::from(answer(program, words))
}

/// Answers the words and the input of a host, as the program does, and gives the exit code.
pub fn answer_host(
    words: &[OsString],
    stdin: &mut dyn Read,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> u8 {
    provider().answer(words, stdin, stdout, stderr)
}

/// Says whether the program goes by the name that it has in shell sessions of specs.
fn is_called_trellis(program: &OsStr) -> bool {
    Path::new(program).file_name() == Some(OsStr::new("trellis"))
}

/// Answers a shell session: `call` is `run`, and there is nothing else.
fn trellis(words: &[OsString]) -> u8 {
    match words.split_first() {
        Some((call, words)) if call == "call" => {
            let words: Vec<OsString> = once("run".into()).chain(words.iter().cloned()).collect();
            answer(OsStr::new("trellis"), &words)
        }
        _ => face::refuse_trellis(),
    }
}

fn answer(program: &OsStr, words: &[OsString]) -> u8 {
    let all = once(program).chain(words.iter().map(OsString::as_os_str));
    match Arguments::try_parse_from(all) {
        Ok(Arguments { output, part }) => match part {
            Part::Soil(arguments) => face::run(arguments, output),
            Part::Job(arguments) => job::commands::run(&arguments, output.is_json()),
            Part::People(command) => people::run(&command, output.is_json()),
        },
        Err(error) => face::refuse(&error, words),
    }
}

/// What hosts are offered.
fn provider() -> Provider<Document> {
    let provider = Provider::new("checker", env!("CARGO_PKG_VERSION"));
    let provider = provider
        .description("Checks, prints, runs and hashes Soil.")
        .manifest_member("contract", json!("trellis-daemon/1"))
        .manifest_member("languages", json!(["soil"]));
    project_tools::offer(tools::offer(provider))
}
