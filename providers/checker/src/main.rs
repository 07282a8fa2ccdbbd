//! The program `lonis-checker`: the command face of Soil, and a provider for hosts.

mod arguments;
mod face;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use lonis::{BlockKind, Provider, serve};

use arguments::{Arguments, Part, for_people};

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
        Err(error) => face::refuse(&error),
    };
    ExitCode::from(code)
}

/// What hosts are offered.
fn provider() -> Provider<BlockKind> {
    let provider = Provider::new("checker", env!("CARGO_PKG_VERSION"));
    provider.description("Checks, prints, runs and hashes Soil.")
}
