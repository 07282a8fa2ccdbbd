//! Starting a program: what it knows of the machine, and what it is fed.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A program that knows of no user and no machine but where programs are.
pub(crate) fn isolated(program: impl AsRef<OsStr>, home: &Path, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home)
        .current_dir(directory);
    command
}

/// Starts a program and gives it all of an input: a text as it is, nothing for `null`, any other value as JSON.
pub(crate) fn started(command: &mut Command, input: &Value) -> Child {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text = match input {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    // A command that reads no input may have ended by now.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    child
}

/// Runs a program on an input to its end.
pub(crate) fn fed(command: &mut Command, input: &Value) -> Output {
    started(command, input).wait_with_output().unwrap()
}
