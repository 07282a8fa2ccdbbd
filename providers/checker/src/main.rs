//! The program `lonis-checker`: the command face of Soil, and a provider for hosts.

mod arguments;
mod bundle;
mod documents;
mod face;
mod failure;
mod job;
mod payload;
mod people;
mod project;
mod project_tools;
mod tools;

use std::ffi::OsString;
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
    let Some(words) = for_people(&words) else {
        return serve(provider());
    };
    let words = std::iter::once(&program).chain(words);
    let code = match Arguments::try_parse_from(words) {
        Ok(Arguments {
            part: Part::Soil(arguments),
        }) => face::run(&arguments),
        Ok(Arguments {
            part: Part::Job(arguments),
        }) => job::commands::run(&arguments),
        Ok(Arguments {
            part: Part::People(command),
        }) => people::run(&command),
        Err(error) => face::refuse(&error),
    };
    ExitCode::from(code)
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
