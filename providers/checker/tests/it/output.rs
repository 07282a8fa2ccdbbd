//! Output that cannot be written.

use std::fs::File;
use std::process::Stdio;

use crate::program::{Run, command, examples};

const COMMANDS: &[&[&str]] = &[
    &["--version"],
    &["--help"],
    &["lex", "sensors/clamp.soil"],
    &["print", "sensors/clamp.soil"],
    &["check", "program.json"],
    &["hash", "program.json"],
    &[
        "run",
        "program.json",
        "--entry",
        "clamp",
        "--args",
        "[1,2,3]",
    ],
];

fn judged(words: &[&str], stdout: Stdio) {
    let output = command(&examples(), words).stdout(stdout).output();
    let run = Run::of(output.expect("the program starts"));
    assert_eq!(
        (run.code, run.places()),
        (2, vec!["io -".to_owned()]),
        "{words:?}"
    );
}

#[test]
fn a_reader_that_is_gone_is_io() {
    for words in COMMANDS {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        judged(words, writer.into());
    }
}

#[test]
fn a_full_device_is_io() {
    for words in COMMANDS {
        let full = File::options().write(true).open("/dev/full");
        judged(words, full.expect("it is there").into());
    }
}

#[test]
fn a_failure_without_a_reader_keeps_its_code() {
    for (words, code) in [(&["check", "rejected.json"][..], 1), (&["check"][..], 2)] {
        for mode in [&[][..], &["--human"]] {
            let words = [words, mode].concat();
            let (reader, writer) = std::io::pipe().expect("a pipe");
            drop(reader);
            let status = command(&examples(), &words).stderr(writer).status();
            let status = status.expect("the program starts");
            assert_eq!(status.code(), Some(code), "{words:?}");
        }
    }
}
