//! A process that is given little: a small stack, and files that may not grow.

use std::fs::{self, File};
use std::process::{Command, Output};

use crate::program::{PROGRAM, Root, code_of};

/// Runs a command below a limit of the shell, its stdout a file or what is given back.
fn limited(root: &Root, limit: &str, words: &[&str], stdout: Option<File>) -> Output {
    let script = format!("ulimit {limit} && exec \"$0\" --json \"$@\"");
    let mut command = Command::new("sh");
    command
        .args(["-c", &script, PROGRAM])
        .args(words)
        .current_dir(root.tree())
        .env_clear();
    if let Some(stdout) = stdout {
        command.stdout(stdout);
    }
    command.output().unwrap()
}

#[test]
fn a_small_stack_is_enough() {
    let root = Root::new(&[("a.txt", "one\n")]);
    for words in [&["begin", "s"][..], &["test", "s"], &["status", "s"]] {
        let output = limited(&root, "-s 128", words, None);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {error}");
    }
}

#[test]
fn files_that_may_not_grow_are_an_error_and_no_end() {
    let root = Root::new(&[("a.txt", "one\n")]);
    let output = limited(&root, "-f 0", &["begin", "s"], None);
    assert_eq!(output.status.code(), Some(8), "{:?}", output.status);
    let envelope = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(code_of(&envelope), "session/store-write", "{envelope}");
    root.passes(&["begin", "s"]);
    let path = root.beside("answer");
    let stdout = File::create(&path).unwrap();
    let output = limited(&root, "-f 0", &["status", "s"], Some(stdout));
    assert_eq!(output.status.code(), Some(8), "{:?}", output.status);
    assert_eq!(fs::read(&path).unwrap(), b"");
}
