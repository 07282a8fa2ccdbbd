//! Why and where a block is rejected.

use super::fixtures::{block_text, message_with};
use lonis_schema::{RawBlock, ReadError, SeedBlock};
use serde_json::json;

#[test]
fn another_marker_is_named_whatever_else_the_block_has() {
    for place in [
        message_with("/later", json!(1)),
        message_with("/payload", json!(7)),
        message_with("/warnings", json!([])),
    ] {
        let text = place.replace("lonis.block/v1", "foo.bar/v9");
        let error = SeedBlock::read(&text).expect_err("another marker");
        assert!(
            matches!(&error, ReadError::Marker { seen, .. } if seen == "foo.bar/v9"),
            "{error}"
        );
        assert!(error.to_string().contains("`foo.bar/v9`"), "{error}");
        assert_eq!(RawBlock::read(&text).expect_err("another marker"), error);
    }
}

#[test]
fn a_rejection_says_where() {
    let duplicate = block_text("acme.x", r#"{"a":[{"b":1,"c":2,"\u0062":3}]}"#);
    let error = SeedBlock::read(&duplicate).expect_err("a key stands twice");
    assert_eq!(
        error.byte_offset(),
        duplicate.find(r#""\u0062""#),
        "{error}"
    );

    let cases = [
        ("message", r#"{"content":5}"#, "5", "/payload/data/content"),
        (
            "message",
            r#"{"content":"a","contnet":"b"}"#,
            "\"contnet\"",
            "/payload/data",
        ),
        (
            "plan",
            r#"{"steps":[{"kind":"k","detail":1},{"kind":true,"detail":1}]}"#,
            "true",
            "/payload/data/steps/1/kind",
        ),
        (
            "action",
            r#"{"verb":"a","status":"done"}"#,
            "\"done\"",
            "/payload/data/status",
        ),
    ];
    for (kind, data, part, place) in cases {
        for text in [
            block_text(kind, data),
            format!("\u{feff}\n {}", block_text(kind, data)),
        ] {
            let error = SeedBlock::read(&text).expect_err("bad data");
            let ReadError::Shape {
                pointer, offset, ..
            } = &error
            else {
                panic!("{error}")
            };
            let start = text.find(part).expect("in the text");
            assert_eq!(pointer, place, "{error}");
            assert!(
                (start..start + part.len()).contains(offset),
                "{error}: {start}"
            );
        }
    }
    let text = message_with("/attribution/identity", json!(1));
    let error = SeedBlock::read(&text).expect_err("no string").to_string();
    assert!(error.contains("`/attribution/identity`"), "{error}");
    let text = block_text("message", "{}");
    let error = SeedBlock::read(&text).expect_err("no content").to_string();
    assert!(
        error.contains("missing field `content` at `/payload/data`"),
        "{error}"
    );
}
