//! The kept provider.

use crate::run_with;

fn lines(way: &str, input: &str) -> Vec<String> {
    let output = run_with(&[way, "--mode", "ndjson", "serve"], input.as_bytes());
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(str::to_owned)
        .collect()
}

const CALL: &str =
    "{\"call\":\"c-1\",\"tool\":\"misbehave.echo\",\"input\":{\"a\":1},\"deadline_millis\":1000}\n";

#[test]
fn a_call_is_answered_in_order() {
    let lines = lines("serve=ok", &format!("{CALL}{{\"bye\":true}}\n{CALL}"));
    assert!(lines[0].starts_with("{\"hello\":{\"protocol\":\"lonis.keep/v1\""));
    assert!(
        lines[1].starts_with("{\"block\":\"c-1\",\"value\":{")
            && lines[1].contains("{\"output\":{\"a\":1}}")
    );
    assert_eq!(lines[2], "{\"done\":\"c-1\",\"effect\":\"none\"}");
    assert_eq!(lines.len(), 3);
}

#[test]
fn each_way_breaks_its_line() {
    for (way, expected) in [
        ("serve=malformed", "{\"block\":"),
        ("serve=text", "working on it"),
        ("serve=bad-utf8", "{\"block\":\"\u{fffd}\"}"),
        (
            "serve=wrong-id",
            "{\"done\":\"somebody-else\",\"effect\":\"none\"}",
        ),
        (
            "serve=duplicate-id",
            "{\"done\":\"c-1\",\"effect\":\"none\"}",
        ),
    ] {
        assert_eq!(lines(way, CALL).last().unwrap(), expected, "{way}");
    }
    let cancelled = lines("serve=hang-not", "");
    assert!(cancelled.is_empty(), "an unknown way says nothing");
    let cancelled = lines("serve=no-done", &format!("{CALL}{{\"cancel\":\"c-1\"}}\n"));
    assert!(
        cancelled
            .last()
            .unwrap()
            .starts_with("{\"fail\":\"c-1\",\"error\":{\"kind\":\"cancelled\"")
    );
}
