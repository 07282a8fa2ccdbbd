//! Applies a session and is killed in the middle of it: `killed ROOT SESSION PATH TEXT` ends itself once the file at PATH, from
//! the root, begins with TEXT, or is there where TEXT is empty.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::thread;

use lonis_session::command::Command;
use lonis_session::commands::{self, Surroundings};
use serde_json::json;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [root, session, path, text] = &words[..] else {
        return ExitCode::from(2);
    };
    let input = json!({"root": root, "session": session});
    let apply =
        thread::spawn(move || commands::run(Command::Apply, &input, &Surroundings::of_process()));
    let path = Path::new(root).join(path);
    while !apply.is_finished() {
        if fs::read(&path).is_ok_and(|bytes| bytes.starts_with(text.as_bytes())) {
            // Whatever it was about to do, it does not.
            let kill = rustix::process::Signal::KILL;
            let _ = rustix::process::kill_process(rustix::process::getpid(), kill);
        }
    }
    // It was over before it came so far.
    if let Ok(Err(failure)) = apply.join() {
        eprintln!("{}: {}", failure.code(), failure.cause().message());
    }
    ExitCode::FAILURE
}
