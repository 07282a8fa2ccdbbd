//! What people read: of a base that is not whole, of a proof of nothing, of a slip, and through a host.

use std::os::unix::net::UnixListener;
use std::process::Output;

use serde_json::{Value, json};

use super::program::{Root, create, patch, replace};
use crate::running::fed;

/// What a command line tells a person on both outputs.
fn told(root: &Root, words: &[&str]) -> String {
    let mut command = root.command();
    command
        .args(words)
        .env("COLUMNS", "160")
        .env("NO_COLOR", "1");
    text_of(&fed(&mut command, &Value::Null))
}

fn text_of(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(both).unwrap()
}

/// Calls a tool of the provider.
fn called(root: &Root, tool: &str, more: &Value) -> Value {
    let mut input = json!({"root": root.tree(), "session": "s"});
    for (name, value) in more.as_object().unwrap() {
        input[name] = value.clone();
    }
    let output = fed(
        root.command().args(["call", tool, "--mode", "ndjson"]),
        &input,
    );
    let text = text_of(&output);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_base_that_is_not_whole_is_said_with_what_it_lacks() {
    let policy = "version = 1\n[files]\nmax_file_bytes = 100\n";
    let long = "x".repeat(101);
    let root = Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", policy)]);
    assert!(!told(&root, &["begin", "whole"]).contains("left out"));
    let names: Vec<String> = (0..7).map(|number| format!("long{number}")).collect();
    for name in &names {
        root.write(name, &long);
    }
    let _socket = UnixListener::bind(root.tree().join("socket")).unwrap();
    let text = told(&root, &["begin", "part"]);
    assert!(
        text.contains(
            "warning: the base is not whole: 8 paths are left out (1 special, 7 too-large)"
        ),
        "{text}"
    );
    assert!(text.contains("left out: long0 (too-large)\n"), "{text}");
    assert_eq!(text.matches("\nleft out: ").count(), 5, "{text}");
    assert!(text.contains("--excluded"), "{text}");
    let all = told(&root, &["status", "part", "--excluded"]);
    assert_eq!(all.matches("left out: ").count(), 8, "{all}");
}

#[test]
fn a_proof_of_nothing_is_said_before_the_write() {
    let root = Root::new(&[("a.txt", "one\n")]);
    root.passes(&["begin", "s"]);
    root.write(
        "../fix.json",
        &patch(&[replace("a.txt", "one", "two")]).to_string(),
    );
    let nothing = "nothing was checked, because no obligation is declared\n";
    let staged = told(&root, &["stage", "s", "--patch", "../fix.json"]);
    assert!(staged.contains(nothing), "{staged}");
    assert!(staged.contains("verified by no obligation"), "{staged}");
    let tested = told(&root, &["test", "s"]);
    assert!(tested.contains(nothing), "{tested}");
    let applied = told(&root, &["apply", "s"]);
    assert!(applied.contains("warning: vacuous: "), "{applied}");
}

#[test]
fn a_host_shows_people_the_words_of_the_command_line_and_what_failed() {
    let policy = "version = 1\n[[obligation]]\nname = \"tests\"\n\
        argv = [\"sh\", \"-c\", \"echo 'expected 3, got 4'; ! test -e bad\"]\n";
    let root = Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", policy)]);
    let begun = called(&root, "session.begin", &json!({}));
    let data = &begun["payload"]["data"];
    let text = data["rendered"].as_str().unwrap();
    assert!(text.starts_with("s: open, base "), "{text}");
    // Beside it stand the members that the command line gives.
    let mut without = data.clone();
    without.as_object_mut().unwrap().remove("rendered");
    let status = root.passes(&["status", "s"]);
    assert_eq!(without["transaction"], status["transaction"]);

    let failed = called(
        &root,
        "session.stage",
        &json!({"patch": patch(&[create("bad", "x\n")])}),
    );
    assert_eq!(failed["kind"], "session/obligations-failed", "{failed}");
    assert_eq!(
        failed["details"]["hint"], "`tests` wrote at its end:\nexpected 3, got 4",
        "{failed}"
    );
    let staged = called(
        &root,
        "session.stage",
        &json!({"patch": patch(&[create("good", "x\n")])}),
    );
    let text = staged["payload"]["data"]["rendered"].as_str().unwrap();
    assert!(text.contains("\nA good\n"), "{text}");
    assert!(text.contains("\nobligation tests: passed\n"), "{text}");
}

#[test]
fn a_slip_is_answered_with_what_was_perhaps_meant() {
    let policy = "version = 1\n";
    let source = "fn total() -> u32 {\n    1\n}\n";
    let root = Root::new(&[
        ("src/receipt.rs", "one\n"),
        ("src/total.rs", source),
        ("zero", "a\0b\n"),
        ("lonis-session.toml", policy),
    ]);
    root.passes(&["begin", "s"]);
    let definition = |name: &str, text: &str| {
        json!({"op": "replace-definition", "path": "src/total.rs",
            "target": {"path": [name]}, "text": text})
    };
    let cases = [
        (
            json!({"op": "replce-text", "path": "zero"}),
            "`replce-text` is no op, did you mean `replace-text`?",
        ),
        (
            replace("src/reciept.rs", "one", "two"),
            "perhaps `src/receipt.rs` is meant",
        ),
        (
            replace("scr/receipt.rs", "one", "two"),
            "perhaps `src/receipt.rs` is meant",
        ),
        (definition("totl", "fn totl() {}"), "nearest are `total`"),
        (definition("total", "fn total() {\n    (\n}"), "at line 2"),
    ];
    for (op, expected) in cases {
        let (code, envelope) = root.run(
            &["stage", "s", "--gate", "none", "--patch", "-"],
            &patch(std::slice::from_ref(&op)),
        );
        assert_ne!(code, 0, "{op}");
        let message = envelope["diagnostics"][0]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{message}");
    }
    let (_, envelope) = root.run(
        &["stage", "s", "--gate", "none", "--patch", "-"],
        &patch(&[replace("zero", "a", "b")]),
    );
    let hint = &envelope["data"]["reports"][0]["hint"];
    assert_eq!(hint, "the file is no text: replace it whole", "{envelope}");
}

#[test]
fn a_command_line_names_the_command_and_the_root_as_typed() {
    let root = Root::new(&[("a.txt", "one\n")]);
    let text = told(&root, &["--root", "nowhere", "list"]);
    assert!(text.contains("the root `nowhere` cannot be"), "{text}");
    let text = told(&root, &["begin"]);
    assert!(text.contains("`lonis-session begin`: "), "{text}");
    let text = told(&root, &["nope"]);
    assert!(text.contains("`lonis-session`: "), "{text}");
    let help = told(&root, &["help"]);
    assert_eq!(help, told(&root, &["--help"]));
    assert!(help.contains("`--mode json`"), "{help}");
    assert!(told(&root, &["help", "stage"]).contains("--patch <FILE>"));
    let listed = told(&root, &["--mode", "json", "list"]);
    assert!(listed.starts_with('{'), "{listed}");
}
