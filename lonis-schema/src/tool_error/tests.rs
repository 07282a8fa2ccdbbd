use super::{ErrorKind, ToolError};
use serde_json::json;

fn written(error: &ToolError) -> String {
    serde_json::to_string(error).expect("texts and numbers")
}

#[test]
fn a_received_error_is_passed_on_unchanged() {
    let cases = [
        r#"{"kind":"rate limited!","message":"Wait.\n","exit_code":200}"#,
        r#"{"kind":"","message":"","details":{"b":1.50,"a":"\u0061"},"exit_code":4}"#,
        r#"{"kind":"timeout","message":"late","exit_code":7,"trace":[1e2],"z":null}"#,
    ];
    for text in cases {
        assert_eq!(written(&ToolError::read(text).expect("an error")), text);
    }
}

#[test]
fn an_error_that_says_nothing_is_shown_without_a_gap() {
    let cases = [
        ("quota", "all used", "quota: all used"),
        ("", "all used", "all used"),
        ("quota", "", "quota: no message was given (exit code 4)"),
        (
            "",
            " \n",
            "neither a kind nor a message was given (exit code 4)",
        ),
    ];
    for (kind, message, shown) in cases {
        let error = ToolError::new(ErrorKind::from(kind), message).with_exit_code(4);
        assert_eq!(error.to_string(), shown);
    }
}

#[test]
fn details_of_null_are_absent_and_codes_are_written_plainly() {
    let text = r#" {"exit_code":5.0,"details":null,"message":"m","kind":"k"} "#;
    let error = ToolError::read(text).expect("an error");
    assert_eq!(
        written(&error),
        r#"{"kind":"k","message":"m","exit_code":5}"#
    );
}

#[test]
fn other_shapes_are_refused() {
    let refused = [
        r#"{"kind":"k","message":"m"}"#,
        r#"{"kind":"k","exit_code":1}"#,
        r#"{"message":"m","exit_code":1}"#,
        r#"{"kind":1,"message":"m","exit_code":1}"#,
        r#"{"kind":"k","message":null,"exit_code":1}"#,
        r#"{"kind":"k","message":"m","exit_code":256}"#,
        r#"{"kind":"k","message":"m","exit_code":-1}"#,
        r#"{"kind":"k","message":"m","exit_code":1.5}"#,
        r#"{"kind":"k","message":"m","exit_code":null}"#,
        r#"{"kind":"k","kind":"k","message":"m","exit_code":1}"#,
        r#"["k","m",null,1]"#,
        r#"{"kind":"k","message":"m","exit_code":1} {}"#,
    ];
    for text in refused {
        assert!(ToolError::read(text).is_err(), "{text}");
    }
}

#[test]
fn a_code_that_is_missing_or_zero_is_settled_by_the_child() {
    let without = r#"{"kind":"k","message":"m"}"#;
    let zero = r#"{"kind":"k","message":"m","exit_code":0}"#;
    let own = r#"{"kind":"k","message":"m","exit_code":9}"#;
    for (text, child_code, expected) in [
        (without, 3, 3),
        (without, 0, 6),
        (zero, 3, 3),
        (zero, 0, 6),
        (own, 3, 9),
        (own, 0, 9),
    ] {
        let error = ToolError::read_from_child(text, child_code).expect("an error");
        assert_eq!(error.exit_code(), expected, "{text} of {child_code}");
    }
}

#[test]
fn every_kind_has_its_word_and_its_code() {
    let cases = [
        ("invalid_input", 2),
        ("bad_input", 2),
        ("invalid_config", 2),
        ("not_found", 3),
        ("already_registered", 1),
        ("confirmation_required", 4),
        ("denied", 4),
        ("rate_limited", 5),
        ("cancelled", 1),
        ("unavailable", 6),
        ("tool_failed", 6),
        ("timeout", 7),
        ("output_limit_exceeded", 7),
        ("limit_exceeded", 7),
        ("io", 8),
        ("invalid_output", 9),
        ("serialization", 9),
        ("unsupported_protocol", 69),
        ("not_implemented", 69),
        ("internal", 70),
    ];
    for (word, code) in cases {
        let kind = ErrorKind::from(word);
        assert!(!matches!(kind, ErrorKind::Other(_)), "{word}");
        assert_eq!((kind.as_str(), kind.exit_code()), (word, code));
        assert_eq!(ToolError::new(kind, "m").exit_code(), code);
    }
    let other = ErrorKind::from("quota");
    assert_eq!((other.as_str(), other.exit_code()), ("quota", 1));
}

#[test]
fn a_message_of_ours_is_cut_at_a_character() {
    let message = ToolError::new(ErrorKind::Io, "é".repeat(3000));
    assert_eq!(message.message().len(), 4096);
    let message = ToolError::new(ErrorKind::Io, format!("a{}", "é".repeat(3000)));
    assert_eq!(message.message().len(), 4095);
}

#[test]
fn details_are_added_one_by_one() {
    assert_eq!(
        ToolError::new(ErrorKind::Io, "m")
            .with_details(json!(null))
            .details(),
        None
    );
    let error = ToolError::new(ErrorKind::Timeout, "late")
        .with_details(json!({"limit": 5}))
        .with_detail("seen", json!(7))
        .with_hint("raise the limit");
    let details = error.details().expect("set").to_value();
    assert_eq!(
        details,
        json!({"limit": 5, "seen": 7, "hint": "raise the limit"})
    );
    let error = ToolError::new(ErrorKind::Timeout, "late")
        .with_details(json!([1]))
        .with_hint("h");
    assert_eq!(
        error.details().expect("set").to_value(),
        json!({"value": [1], "hint": "h"})
    );
}
