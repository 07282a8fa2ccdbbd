use serde_json::json;

use super::*;
use crate::limits::Bound;

fn of(status: Status, stderr: &str) -> Failure {
    of_child(
        status,
        Seen {
            stderr: stderr.as_bytes(),
            ..Seen::default()
        },
    )
}

fn details(failure: &Failure) -> Value {
    failure.error.details().map_or(Value::Null, Json::to_value)
}

#[test]
fn an_error_that_the_child_wrote_passes_as_it_is() {
    let long = "m".repeat(5000);
    for (stderr, kind, message, code, diagnostics) in [
        (
            r#" {"kind":"no_page","message":"gone","exit_code":40} "#,
            "no_page",
            "gone",
            40,
            "",
        ),
        (
            r#"{"kind":"no_page","message":"gone","extra":[1]}"#,
            "no_page",
            "gone",
            3,
            "",
        ),
        (
            r#"{"kind":"no_page","message":"gone","exit_code":0}"#,
            "no_page",
            "gone",
            3,
            "",
        ),
        (
            r#"{"kind":"no_page","message":"gone","exit_code":4.0}"#,
            "no_page",
            "gone",
            4,
            "",
        ),
        (
            "{\n \"kind\":\"a\",\n \"message\":\"b\"\n}",
            "a",
            "b",
            3,
            "",
        ),
        (
            "one\ntwo\n\n{\"kind\":\"a\",\"message\":\"b\",\"exit_code\":4}\n\n",
            "a",
            "b",
            4,
            "one\ntwo",
        ),
        (
            &format!("{{\"kind\":\"a\",\"message\":\"{long}\",\"exit_code\":1}}"),
            "a",
            &long,
            1,
            "",
        ),
    ] {
        let failure = of(Status::Exited(3), stderr);
        assert!(failure.is_childs, "{stderr}");
        let error = &failure.error;
        assert_eq!(
            (error.kind().as_str(), error.message(), error.exit_code()),
            (kind, message, code)
        );
        assert_eq!(failure.diagnostics, diagnostics);
    }
    let failure = of(
        Status::Exited(1),
        r#"{"kind":"a","message":"b","details":{"n":1.50},"exit_code":7}"#,
    );
    assert_eq!(
        failure.error.details().map(Json::text),
        Some(r#"{"n":1.50}"#)
    );
}

#[test]
fn anything_else_on_stderr_is_the_message() {
    for stderr in [
        "plain text",
        "{\"kind\":\"a\",\"message\":\"b\",\"exit_code\":4}\nlater",
        "log\n{\"kind\":\"a\",\"message\":\"b\"}",
        r#"{"kind":"a","message":"b","exit_code":256}"#,
        r#"{"kind":"a","message":"b","exit_code":-1}"#,
        r#"{"kind":"a","message":"b","exit_code":1.5}"#,
        r#"{"kind":"a","message":"b","exit_code":null}"#,
        r#"{"kind":"a","kind":"c","message":"b","exit_code":1}"#,
        r#"{"kind":7,"message":"b","exit_code":1}"#,
        r#"{"message":"b","exit_code":1}"#,
        r#"["kind"]"#,
        "{}",
    ] {
        let failure = of(Status::Exited(5), stderr);
        assert!(!failure.is_childs, "{stderr}");
        assert_eq!(
            (failure.error.kind(), failure.error.exit_code()),
            (&ErrorKind::ToolFailed, 5)
        );
        assert_eq!(failure.error.message(), stderr);
        assert_eq!(
            details(&failure),
            json!({"exit_code": 5, "stderr_tail": stderr})
        );
    }
    assert_eq!(
        of(Status::Exited(5), " \n").error.message(),
        "exited with code 5"
    );
}

#[test]
fn a_signal_is_a_fact_in_the_details() {
    let killed = of(Status::Signaled(9), "");
    assert_eq!(killed.error.message(), "ended by signal 9 (SIGKILL)");
    assert_eq!(
        (killed.error.exit_code(), details(&killed)),
        (137, json!({"signal": 9, "signal_name": "SIGKILL"}))
    );
    let said = of(Status::Signaled(11), r#"{"kind":"a","message":"b"}"#);
    assert_eq!((said.is_childs, said.error.exit_code()), (true, 139));
}

#[test]
fn a_long_stderr_is_cut_in_the_message_and_kept_at_its_end() {
    let mut stderr = "é".repeat(100_000).into_bytes();
    stderr.extend([0xff; 9000]);
    stderr.extend(b"last line\n");
    let failure = of_child(
        Status::Exited(3),
        Seen {
            stderr: &stderr,
            ..Seen::default()
        },
    );
    assert!(failure.error.message().len() <= 4096);
    let tail = details(&failure)["stderr_tail"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        tail.len() <= 16 << 10 && tail.ends_with("last line"),
        "{}",
        tail.len()
    );
}

#[test]
fn an_error_beside_success_is_noticed() {
    assert_eq!(said_with_success(b"warning: odd\n"), None);
    let error = said_with_success(b"{\"kind\":\"a\",\"message\":\"b\",\"exit_code\":0}").unwrap();
    assert_eq!(error.exit_code(), 6);
}

#[test]
fn the_hosts_own_errors_have_their_kind_and_facts() {
    let seen = Seen {
        stderr: b"busy\n",
        partial: b"{\"kind\":",
        blocks: 2,
    };
    let timeout = ProcessError::Timeout {
        limit: std::time::Duration::from_millis(500),
        elapsed: std::time::Duration::from_millis(510),
    };
    let error = of_host(&timeout, seen);
    assert_eq!((error.kind(), error.exit_code()), (&ErrorKind::Timeout, 7));
    assert_eq!(
        error.details().unwrap().to_value(),
        json!({"timeout_millis": 500, "elapsed_millis": 510, "stderr_tail": "busy", "partial_output": "{\"kind\":", "blocks": 2})
    );
    let bound = ProcessError::BoundNotHeld {
        bound: Bound::MaxMemoryBytes,
        missing: "a control group",
    };
    let error = of_host(&bound, Seen::default());
    assert_eq!(
        (error.kind(), error.exit_code()),
        (&ErrorKind::NotImplemented, 69)
    );
    assert_eq!(
        error.details().unwrap().to_value(),
        json!({"bound": "max_memory_bytes", "hint": "a control group"})
    );
    assert_eq!(
        of_host(&ProcessError::Cancelled, Seen::default()),
        ToolError::new(ErrorKind::Cancelled, "the call was cancelled")
    );
}

#[test]
fn an_unfinished_value_is_shown_by_its_first_kibibyte() {
    let partial_of = |partial: &[u8]| {
        let seen = Seen {
            partial,
            ..Seen::default()
        };
        let details = details(&of_child(Status::Exited(3), seen));
        details["partial_output"].as_str().map(str::to_owned)
    };
    assert_eq!(partial_of(&[b'a'; 1_024]), Some("a".repeat(1_024)));
    assert_eq!(partial_of(&[b'a'; 1_025]), Some("a".repeat(1_024)));
    assert_eq!(partial_of(b""), None);
}
