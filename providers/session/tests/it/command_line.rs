//! What a person sees of a command line that cannot be understood, or whose result cannot be written.

use std::fs::File;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::program::{PROGRAM, Root, replace};

/// A command line as a person gives it.
fn command(root: &Root, words: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(words)
        .current_dir(root.tree())
        .env("COLUMNS", "160")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn on_full_device(root: &Root, words: &[&str]) -> Output {
    let full = File::options().write(true).open("/dev/full").unwrap();
    command(root, words).stdout(full).output().unwrap()
}

#[test]
fn a_result_that_cannot_be_written_is_said_once_on_stderr() {
    let cases: &[(&[&str], Option<&str>)] = &[
        (&["--help"], None),
        (&["list"], None),
        (&["explain", "io/write"], None),
        (&["gc"], None),
        (&["begin", "new"], Some("`begin` was done")),
        (&["apply", "fix"], Some("the session was applied")),
        (&["gc", "--run"], Some("`gc --run` was done")),
    ];
    for json in [false, true] {
        let root = Root::new(&[("a.txt", "one\n")]);
        root.passes(&["begin", "fix"]);
        root.stages("fix", &[replace("a.txt", "one", "two")]);
        for (words, effect) in cases {
            let words = [*words, if json { &["--json"][..] } else { &[] }].concat();
            let output = on_full_device(&root, &words);
            let text = stderr(&output);
            assert_eq!(output.status.code(), Some(8), "{words:?}: {text}");
            if json && words[0] != "--help" {
                let envelope: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(envelope["error"]["code"], "io/write", "{words:?}");
            } else {
                assert!(text.starts_with("error[io/write]: "), "{words:?}: {text}");
            }
            assert!(
                text.contains("No space left on device"),
                "{words:?}: {text}"
            );
            let says = text.contains(" was done") || text.contains("was applied");
            assert_eq!(says, effect.is_some(), "{words:?}: {text}");
            assert!(text.contains(effect.unwrap_or("")), "{words:?}: {text}");
        }
        assert_eq!(root.read("a.txt").as_deref(), Some("two\n"));
    }
}

#[test]
fn a_refusal_that_cannot_be_written_is_told_on_stderr() {
    let root = Root::new(&[]);
    let output = on_full_device(&root, &["status", "none", "--json"]);
    assert_eq!(output.status.code(), Some(8));
    let envelope: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(envelope["diagnostics"][0]["code"], "io/write");
    assert_eq!(envelope["diagnostics"][1]["code"], "session/not-found");
}

#[test]
fn closed_pipe_exits_8() {
    let root = Root::new(&[]);
    for words in [
        &["explain", "io/write"][..],
        &["list", "--json"],
        &["--help"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(&root, words).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(8), "{words:?}");
        assert_eq!(stderr(&output), "", "{words:?}");
    }
}

#[test]
fn a_refused_command_line_says_what_is_wrong() {
    let root = Root::new(&[]);
    let cases: &[(&[&str], &[&str])] = &[
        (&[], &["a command is missing", "`begin`", "`COMMAND`"]),
        (&["--root", "shop"], &["a command is missing", "`explain`"]),
        (&["begin"], &["were not provided: <SESSION>"]),
        (
            &["stage"],
            &[
                "<SESSION>",
                "--patch <FILE>|--diff <FILE>|--revert <SESSION>",
            ],
        ),
        (
            &["stage", "fix", "--gate", "nope"],
            &["`nope`", "[possible values: obligations, none]"],
        ),
        (
            &["bgin", "fix"],
            &["correct the argument `bgin`", "`begin`"],
        ),
    ];
    for (words, parts) in cases {
        let output = command(&root, words).output().unwrap();
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {text}");
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in *parts {
            assert!(flat.contains(part), "{words:?} lacks {part}: {text}");
        }
        assert!(!text.contains("``"), "{words:?}: {text}");
    }
}

#[test]
fn usage_error_has_envelope() {
    let root = Root::new(&[]);
    for words in [
        &["--json"][..],
        &["bgin", "fix", "--json"],
        &["--json", "stage", "fix"],
        &["--json", "status", "fix", "--no-such-flag"],
        &["--json", "log", "fix", "--limit", "many"],
    ] {
        let output = command(&root, words).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert_eq!(stderr(&output), "", "{words:?}");
        let envelope: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(envelope["ok"], false, "{words:?}");
        assert_eq!(envelope["kind"], "genesis/error-v0.2", "{words:?}");
        assert_eq!(
            envelope["diagnostics"][0]["code"], "invocation/usage",
            "{words:?}"
        );
    }
}

#[test]
fn a_patch_that_cannot_be_read_says_why() {
    let root = Root::new(&[("empty.json", "{}"), ("text.json", "no json")]);
    root.passes(&["begin", "fix"]);
    let cases = [
        ("nofile", 8, "io/read", "No such file or directory"),
        (".", 8, "io/read", "Is a directory"),
        ("/dev/zero", 7, "patch/limit", "67108864 bytes"),
        ("empty.json", 2, "patch/schema", "`schema`: is missing"),
        ("empty.json", 2, "patch/schema", "at `/schema`"),
        ("text.json", 2, "patch/schema", "at `(root)`"),
    ];
    for (file, exit, code, part) in cases {
        let words = ["stage", "fix", "--patch", file];
        let output = command(&root, &words).output().unwrap();
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(exit), "{file}: {text}");
        assert!(
            text.starts_with(&format!("error[{code}]")),
            "{file}: {text}"
        );
        assert!(text.contains(part), "{file}: {text}");
        assert!(!text.contains("``"), "{file}: {text}");
    }
}

#[test]
fn a_program_that_is_missing_is_named() {
    let policy = "version = 1\n\n[[obligation]]\nname = \"w\"\nargv = [\"no-such-program\"]\n";
    let root = Root::new(&[("lonis-session.toml", policy)]);
    root.passes(&["begin", "fix"]);
    let output = command(&root, &["test", "fix"]).output().unwrap();
    let text = stderr(&output);
    assert!(text.contains("w: obligation/unavailable\n"), "{text}");
    assert!(text.contains("`no-such-program` is in no folder"), "{text}");
}

#[test]
fn paths_that_changed_are_named() {
    let root = Root::new(&[("a.txt", "one\n")]);
    root.passes(&["begin", "x"]);
    root.stages("x", &[replace("a.txt", "one", "two")]);
    root.write("a.txt", "three\n");
    for number in 0..30 {
        root.write(&format!("new{number:02}"), "");
    }
    let output = command(&root, &["apply", "x"]).output().unwrap();
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(31), "{text}");
    assert!(text.contains("\na.txt: overlapping\n"), "{text}");
    assert_eq!(text.matches(": disjoint\n").count(), 19, "{text}");
}

#[test]
fn advice_for_an_id_that_begins_with_a_dash_can_be_followed() {
    let policy = "version = 1\n\n[[obligation]]\nname = \"w\"\nargv = [\"true\"]\n";
    let root = Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", policy)]);
    root.passes(&["begin", "--", "-x"]);
    let (code, envelope) = root.run(&["apply", "--", "-x"], &Value::Null);
    assert_ne!(code, 0, "{envelope}");
    let output = command(&root, &["apply", "--", "-x"]).output().unwrap();
    let text = stderr(&output);
    assert!(text.contains("`lonis-session test -- -x`"), "{text}");
    root.passes(&["test", "--", "-x"]);
}
