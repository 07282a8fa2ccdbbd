//! The program `lonis-session`: a provider for hosts, and the same commands for people.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use lonis::process::{OtherChildren, adopt_orphans};
use lonis_session::{cli, provider};

/// The stack of the thread that does the work: what is read may be nested as deep as the wire allows, whatever stack the caller
/// leaves to this process.
const STACK_BYTES: usize = 16 * 1024 * 1024;

fn main() -> ExitCode {
    // A file that may not grow is an error of that write, and no end of the process; without the handler it ends as it would.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
    // Joined at once; where the system makes no thread, the work is done on the stack that there is.
    match worker.spawn(work) {
        Ok(worker) => worker.join().unwrap_or(ExitCode::FAILURE),
        Err(_) => work(),
    }
}

fn work() -> ExitCode {
    // Where the kernel has no such setting, evidence says by what a run is ended.
    let _ = adopt_orphans(OtherChildren::None);
    let words: Vec<OsString> = std::env::args_os().collect();
    let (providers, rest) = with_providers(&words);
    if for_people(&rest).is_none() {
        return lonis::serve_words(&provider::provider(providers.as_deref()), &rest[1..]);
    }
    let words = for_people(&words).unwrap_or(words);
    ExitCode::from(cli::run(&words))
}

/// The file that `--providers` names in front of everything else, as a host's configured arguments do, and the words without it.
fn with_providers(words: &[OsString]) -> (Option<PathBuf>, Vec<OsString>) {
    let without = |taken: usize| {
        let (program, rest) = words.split_at(1);
        [program, &rest[taken..]].concat()
    };
    let absolute = |file: &OsStr| std::path::absolute(file).ok();
    match words {
        [_, option, file, ..] if option == "--providers" => (absolute(file), without(2)),
        [_, option, ..] => match option
            .to_str()
            .and_then(|word| word.strip_prefix("--providers="))
        {
            Some(file) => (absolute(OsStr::new(file)), without(1)),
            None => (None, words.to_vec()),
        },
        _ => (None, words.to_vec()),
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
