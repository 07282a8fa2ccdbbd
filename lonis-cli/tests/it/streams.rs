//! `call` collected and streamed: what is delivered before a failure, and what is not.

use std::io::{BufRead, BufReader};
use std::time::Duration;

use misbehave::Handshake;

use crate::program::{Place, misbehave};

fn place(mode: &str, options: &[&str]) -> Place {
    let place = Place::new();
    let words: Vec<String> = std::iter::once(mode)
        .chain(options.iter().copied())
        .map(|word| format!("'{word}'"))
        .collect();
    place.config(&format!(
        "[tools.\"t:x\"]\ndescription = ''\nmapping = 'blocks'\ncommand = ['{}', {}]\n",
        misbehave().display(),
        words.join(", ")
    ));
    place
}

#[test]
fn blocks_before_a_failure_are_delivered_only_by_a_stream() {
    let place = place("error", &["blocks=3", "kind=teapot", "exit=3"]);
    let streamed = place.run(&["--mode", "json", "call", "t:x", "{}", "--stream"]);
    assert_eq!(streamed.json().as_array().unwrap().len(), 3);
    assert_eq!(
        (streamed.error().kind().as_str(), streamed.code),
        ("teapot", 3)
    );
    let lines = place.run(&["--mode", "ndjson", "call", "t:x", "{}", "--stream"]);
    assert_eq!(lines.stdout.lines().count(), 3);
    place
        .run(&["--mode", "json", "call", "t:x", "{}"])
        .fails("teapot", 3);
}

#[test]
fn an_error_that_says_zero_is_never_a_success() {
    let error = place("error", &["exit=3", "exit_code=0"])
        .run(&["--mode", "json", "call", "t:x", "{}"])
        .error();
    assert_eq!(error.exit_code(), 3);
}

#[test]
fn a_streamed_block_is_written_when_it_is_made() {
    let shake = &mut Handshake::new().unwrap();
    let argument = shake.argument();
    let place = place("blocks", &["count=2", "gated=yes", &argument]);
    let mut child = place.start(&[
        "--mode",
        "ndjson",
        "call",
        "t:x",
        "{}",
        "--stream",
        "--timeout",
        "30s",
    ]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let patience = Duration::from_mins(1);
    shake.open_gate("leader", patience).unwrap();
    assert!(lines.next().unwrap().unwrap().contains("lonis.block/v1"));
    shake.open_gate("leader", patience).unwrap();
    assert!(lines.next().is_some() && lines.next().is_none());
    assert!(child.wait().unwrap().success());
}

#[test]
fn limits_are_those_of_the_command_line() {
    let place = place("exact", &["bytes=4096"]);
    let run =
        |limit: &str| place.run(&["--mode", "json", "call", "t:x", "{}", "--max-stdout", limit]);
    assert_eq!(run("4KiB").code, 0);
    let breach = run("4095").fails("output_limit_exceeded", 7);
    assert_eq!(breach.details().unwrap().to_value()["limit_bytes"], 4095);
    let slow = self::place("sleep", &[]).run(&[
        "--mode",
        "json",
        "call",
        "t:x",
        "{}",
        "--timeout",
        "200ms",
    ]);
    assert_eq!(slow.fails("timeout", 7).kind().as_str(), "timeout");
}

#[test]
fn an_error_of_the_tool_passes_through_unchanged_whatever_else_is_to_be_said() {
    let place = place("error", &["kind=teapot", "exit=3"]);
    // Something that becomes a note of every command.
    std::fs::write(place.path("work/lonis.toml"), "").unwrap();
    let words = ["--mode", "json", "call", "t:x", "{}", "--timing"];
    let error = place.run(&words).fails("teapot", 3);
    let details = error.details().map(|details| details.text().to_owned());
    assert!(!details.unwrap_or_default().contains("notes"), "{error:?}");
    let own = self::place("exit", &[]);
    std::fs::write(own.path("work/lonis.toml"), "").unwrap();
    let error = own.run(&words).fails("tool_failed", 5);
    assert!(error.details().unwrap().text().contains("\"notes\""));
}

#[test]
fn an_error_beside_a_success_is_a_note() {
    let place = place("error", &["kind=teapot", "exit=0", "blocks=1"]);
    let run = place.run(&["--mode", "json", "call", "t:x", "{}"]);
    assert_eq!((run.code, run.json().as_array().unwrap().len()), (0, 1));
    assert!(
        run.stderr.contains("\"note\"") && run.stderr.contains("teapot"),
        "{run:?}"
    );
}

#[test]
fn timing_is_a_note_and_no_part_of_the_result() {
    let run =
        place("blocks", &["count=1"]).run(&["--mode", "json", "call", "t:x", "{}", "--timing"]);
    assert_eq!(run.json().as_array().unwrap().len(), 1);
    assert!(run.stderr.starts_with("{\"note\":\"wall "), "{run:?}");
}

#[test]
fn a_note_stands_beside_a_success_and_never_in_a_tools_own_error() {
    let call = ["--mode", "json", "call", "t:x", "{}"];
    let run = place("error", &["exit=0", "blocks=1"]).run(&call);
    assert_eq!((run.code, run.json().as_array().unwrap().len()), (0, 1));
    assert_eq!(run.stderr.lines().count(), 1);
    assert!(
        run.stderr.starts_with("{\"note\":\"the tool succeeded"),
        "{run:?}"
    );

    // A banner on stdout is a note of the call, and the tool's own error says nothing about it.
    let error = place("banner", &["error=yes"])
        .run(&call)
        .fails("teapot", 2);
    assert_eq!(error.details().unwrap().text(), r#"{"from":"misbehave"}"#);
}
