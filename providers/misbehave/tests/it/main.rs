//! The fixture itself: what it promises to break, it breaks, and nothing else.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]

mod descendants;
mod discovery;
mod failures;
mod kept;
mod outputs;
mod surroundings;

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Starts the program with these arguments and pipes.
#[expect(
    clippy::disallowed_methods,
    reason = "a test of the fixture starts the fixture"
)]
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_misbehave"));
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a mode that ends by itself, with this input.
fn run_with(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = command(arguments).spawn().unwrap();
    // A mode that does not read its input has closed the pipe: that is its business.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn run(arguments: &[&str]) -> Output {
    run_with(arguments, b"null")
}

fn stdout(arguments: &[&str]) -> String {
    String::from_utf8(run(arguments).stdout).unwrap()
}
