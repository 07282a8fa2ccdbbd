//! The program `lonis-checker`: the command face of Soil, and a provider for hosts.

mod arguments;
mod bundle;
mod confined;
mod cram;
mod documents;
mod face;
mod failure;
mod job;
mod oracle;
mod payload;
mod people;
mod project;
mod project_tools;
mod real_run;
mod tools;

use std::ffi::{OsStr, OsString};
use std::iter::once;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use lonis::{Provider, serve};
use serde_json::json;

use arguments::{Arguments, Part, for_people};
use payload::Document;

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let program = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    if is_called_trellis(&program) {
        return ExitCode::from(trellis(&words));
    }
    let Some(words) = for_people(&words) else {
        return serve(provider());
    };
    ExitCode::from(answer(&program, words))
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
        Ok(Arguments {
            part: Part::Soil(arguments),
        }) => face::run(&arguments),
        Ok(Arguments {
            part: Part::Job(arguments),
        }) => job::commands::run(&arguments),
        Ok(Arguments {
            part: Part::People(command),
        }) => people::run(&command),
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
