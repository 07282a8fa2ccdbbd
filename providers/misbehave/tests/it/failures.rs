//! Failures: errors on stderr, codes and signals.

use std::os::unix::process::ExitStatusExt;

use serde_json::Value;

use crate::run;

#[test]
fn an_error_is_the_last_line_unless_told_otherwise() {
    let output = run(&["error", "before=2", "exit=4", "exit_code=0", "kind=acme"]);
    let text = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let error: Value = serde_json::from_str(lines[2]).unwrap();
    assert_eq!(
        (error["kind"].as_str(), error["exit_code"].as_u64()),
        (Some("acme"), Some(0))
    );
    assert_eq!((lines.len(), output.status.code()), (3, Some(4)));
    assert!(
        String::from_utf8(run(&["error", "after=1"]).stderr)
            .unwrap()
            .ends_with("log line 0 after\n")
    );
}

#[test]
fn noise_ends_in_its_last_line() {
    let output = run(&["noise", "bytes=5000"]);
    assert_eq!(
        (output.stderr.len(), output.status.code()),
        (5_000, Some(3))
    );
    assert!(output.stderr.ends_with(b"\nlast line\n"));
}

#[test]
fn it_dies_by_the_signal_asked_for() {
    for signal in [9, 11, 13, 15, 24, 25] {
        let output = run(&["die", &format!("signal={signal}"), "blocks=1"]);
        assert_eq!(output.status.signal(), Some(signal));
        assert!(!output.stdout.is_empty());
    }
}

#[test]
fn codes_are_exits() {
    for (arguments, code) in [
        (&["exit"][..], 5),
        (&["exit", "code=255"], 255),
        (&["blocks", "exit=5"], 5),
        (&["banner", "error=yes"], 2),
    ] {
        assert_eq!(run(arguments).status.code(), Some(code), "{arguments:?}");
    }
}
