//! Output that cannot be written is a failure in every command and mode: exit 8, no panic, and nothing left running.

use std::fs::File;
use std::process::Stdio;
use std::time::Instant;

use misbehave::Handshake;

use crate::program::{PATIENCE, Place, Run, misbehave};

/// Commands that print something, with a provider among them.
const COMMANDS: &[&[&str]] = &[
    &["--version"],
    &["--help"],
    &["manifest"],
    &["tools", "list"],
    &["tools", "describe", "lonis:builtin:echo"],
    &["schema"],
    &["schema", "block"],
    &["call", "lonis:builtin:echo", "{}"],
    &["call", "lonis:builtin:echo", "{}", "--stream"],
    &["completions", "bash"],
    &["providers", "list"],
];

fn judged(run: &Run, words: &[&str]) {
    assert_eq!(run.code, 8, "{words:?}: {run:?}");
    assert!(!run.stderr.contains("panicked"), "{words:?}: {run:?}");
    if words.contains(&"json") || words.contains(&"ndjson") {
        assert_eq!(run.error().kind().as_str(), "io", "{words:?}");
    } else {
        assert!(run.stderr.starts_with("error: io: "), "{words:?}: {run:?}");
    }
}

#[test]
fn a_full_device_is_io() {
    let place = Place::new();
    place.link("bad", &misbehave());
    for words in COMMANDS {
        for mode in ["human", "json", "ndjson"] {
            let words = [words, &["--mode", mode][..]].concat();
            let words = if words[0].starts_with("--v") || words[0].starts_with("--h") {
                words[..1].to_vec()
            } else {
                words
            };
            let full = File::options().write(true).open("/dev/full").unwrap();
            let output = place.command(&words).stdout(full).output().unwrap();
            judged(&Run::of(output), &words);
        }
    }
}

#[test]
fn an_output_that_was_closed_before_is_io_and_one_that_is_thrown_away_is_not() {
    let place = Place::new();
    place.link("bad", &misbehave());
    for words in COMMANDS {
        let closed = place.redirected(words, ">&-").output().unwrap();
        judged(&Run::of(closed), words);
        for unwanted in [">/dev/null", "<>/dev/null >&0"] {
            let thrown = place.redirected(words, unwanted).output().unwrap();
            let run = Run::of(thrown);
            assert_eq!(
                (run.code, run.stderr.as_str()),
                (0, ""),
                "{words:?} {unwanted}"
            );
        }
    }
    // Nothing to write is nothing lost.
    let nothing = place
        .redirected(&["trust", "--list"], ">&-")
        .output()
        .unwrap();
    assert_eq!(Run::of(nothing).code, 0);
}

#[test]
fn a_file_that_may_not_grow_is_io() {
    let place = Place::new();
    place.link("bad", &misbehave());
    for words in COMMANDS {
        let refused = place.limited("ulimit -f 0; ", words, ">grown");
        judged(&Run::of({ refused }.output().unwrap()), words);
        // What is kept besides, such as the discovery cache, is not the output.
        let piped = place.limited("ulimit -f 0; ", words, "");
        assert_eq!(Run::of({ piped }.output().unwrap()).code, 0, "{words:?}");
    }
}

#[test]
fn a_call_that_nobody_reads_ends_its_tool() {
    for mode in ["human", "json", "ndjson"] {
        for full in [false, true] {
            let mut shake = Handshake::new().unwrap();
            let place = Place::new();
            place.config(&format!(
                "[tools.\"t:x\"]\ndescription = ''\nmapping = 'blocks'\n\
                 command = ['{}', 'endless', 'children=1', '{}']\n",
                misbehave().display(),
                shake.argument()
            ));
            let words = [
                "--mode",
                mode,
                "call",
                "t:x",
                "{}",
                "--stream",
                "--timeout",
                "90s",
            ];
            let stdout = if full {
                Stdio::from(File::options().write(true).open("/dev/full").unwrap())
            } else {
                Stdio::from(std::io::pipe().unwrap().1)
            };
            let start = Instant::now();
            let output = place.command(&words).stdout(stdout).output().unwrap();
            judged(&Run::of(output), &words);
            assert!(start.elapsed() < PATIENCE, "{mode} {full}");
            assert!(!shake.heard().is_empty());
            assert_eq!(shake.wait_gone(PATIENCE), [], "{mode} {full}");
        }
    }
}

#[test]
fn a_reader_that_is_gone_is_io() {
    let place = Place::new();
    place.link("bad", &misbehave());
    for words in COMMANDS {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = place
            .command(words)
            .stdout(Stdio::from(writer))
            .output()
            .unwrap();
        let run = Run::of(output);
        judged(&run, words);
        // One line that says what happened in words of its own.
        assert_eq!(
            run.stderr,
            "error: io: whoever read the output has closed it before all was written\n"
        );
    }
}
