//! The program `lonis-session`: a provider for hosts, and the same commands for people.

use std::ffi::OsString;
use std::process::ExitCode;

use lonis_session::{cli, provider};

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    match for_people(&words) {
        Some(words) => ExitCode::from(cli::run(&words)),
        None => lonis::serve(provider::provider()),
    }
}

/// The words of a command line that is no host's. A mode in front of a command, as `lonis session …` hands it on, is that
/// of people or `--json`; a mode in front of anything else is a host's.
fn for_people(words: &[OsString]) -> Option<Vec<OsString>> {
    let (program, words) = words.split_first()?;
    let (mode, words) = match words {
        [word, mode, rest @ ..] if word == "--mode" => (mode.to_str(), rest),
        [mode, rest @ ..] if mode.to_string_lossy().starts_with("--mode=") => {
            (mode.to_str().map(|mode| &mode[7..]), rest)
        }
        words => (None, words),
    };
    let is_first = |names: &[&str]| {
        words
            .first()
            .is_some_and(|first| names.iter().any(|name| first == name))
    };
    let is_for_hosts = is_first(&["manifest", "tools", "call", "serve"]);
    let is_command = words
        .first()
        .and_then(|first| first.to_str())
        .is_some_and(cli::is_command);
    if is_for_hosts || (mode.is_some() && !is_command) {
        return None;
    }
    let json = mode
        .filter(|mode| *mode != "human")
        .map(|_| OsString::from("--json"));
    Some(
        std::iter::once(program.clone())
            .chain(json)
            .chain(words.iter().cloned())
            .collect(),
    )
}
