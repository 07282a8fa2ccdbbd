//! What a kept value gives back, and what equals what.

use std::collections::HashSet;

use serde_json::json;

use super::*;

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

#[test]
fn the_text_keeps_everything_but_whitespace() {
    let cases = [
        ("null", "null"),
        (" \t\r\n1.50 ", "1.50"),
        (r#"{ "b" : 1e2 , "a" : [ ] }"#, r#"{"b":1e2,"a":[]}"#),
        (r#"[ "a b\" c" , "\u0061\/" ]"#, r#"["a b\" c","\u0061\/"]"#),
        (
            "[\n  12345678901234567890123\n]",
            "[12345678901234567890123]",
        ),
        (r#"[" \\", " "]"#, r#"[" \\"," "]"#),
    ];
    for (text, expected) in cases {
        assert_eq!(json(text).text(), expected, "{text}");
        assert_eq!(json(text).to_string(), expected, "{text}");
        assert_eq!(
            serde_json::to_string(&json(text)).unwrap(),
            expected,
            "{text}"
        );
        assert_eq!(
            serde_json::from_str::<Json>(text).unwrap().text(),
            expected,
            "{text}"
        );
    }
}

#[test]
fn one_value_and_nothing_else() {
    let cases = [
        ("", "expected a value, found the end at byte 0"),
        ("1 2", "expected the end, found `2` at byte 2"),
        ("{} x", "expected the end, found `x` at byte 3"),
        (
            "\u{feff}1",
            "expected a value, found a byte order mark at byte 0",
        ),
        (r#"{"a":1,"a":1}"#, "duplicate key `a` at byte 7"),
    ];
    for (text, message) in cases {
        assert_eq!(
            Json::parse(text).unwrap_err().to_string(),
            message,
            "{text}"
        );
    }
    let error = serde_json::from_str::<Vec<Json>>(r#"[{"a":1,"\u0061":1}]"#).unwrap_err();
    assert!(
        error.to_string().starts_with("duplicate key `a` at byte 7"),
        "{error}"
    );
}

#[test]
fn documents_may_begin_with_a_mark() {
    let cases: [(&[u8], Result<&str, &str>); 8] = [
        (b" {} ", Ok("{}")),
        (b"\xef\xbb\xbf {}\n", Ok("{}")),
        (
            b"\xef\xbb\xbf\xef\xbb\xbf{}",
            Err("expected a value, found a byte order mark at byte 3"),
        ),
        (
            b"\xef\xbb\xbf[x]",
            Err("expected a value or `]`, found `x` at byte 4"),
        ),
        (
            b"\xef\xbb\xbf",
            Err("expected a value, found the end at byte 3"),
        ),
        (b"[\"\xff\"]", Err("byte 0xFF is not UTF-8 at byte 2")),
        (b"[1x\xff]", Err("expected `,` or `]`, found `x` at byte 2")),
        (b"[1]\xe2\x82", Err("byte 0xE2 is not UTF-8 at byte 3")),
    ];
    for (bytes, expected) in cases {
        let read = document(bytes).map_err(|error| error.to_string());
        assert_eq!(
            read.as_ref().map(Scanned::text).map_err(String::as_str),
            expected,
            "{bytes:?}"
        );
    }
}

#[test]
fn values_go_both_ways() {
    let values = [
        json!(null),
        json!([true, false, -1, 0.1, 1e300, u64::MAX, i64::MIN]),
        json!({ "a": { "b": [{}, [], ""] }, "\"\\\n": "😀\u{1}" }),
    ];
    for value in values {
        assert_eq!(Json::from(value.clone()).to_value(), value);
        assert_eq!(
            serde_json::from_value::<Json>(value.clone())
                .unwrap()
                .to_value(),
            value
        );
        assert_eq!(serde_json::to_value(Json::from(&value)).unwrap(), value);
    }
    assert_eq!(
        json(r#"{"a":"\u0061\ud83d\ude00","\n":1.0}"#).to_value(),
        json!({ "a": "a😀", "\n": 1.0 })
    );
}

#[test]
fn equality_is_that_of_values() {
    let equal = [
        ("1", "1.0"),
        ("0.10", "1e-1"),
        ("-0", "0"),
        (r#"{"a":1,"b":[2]}"#, r#"{"b":[2.0],"a":1}"#),
        (r#""\u0061\/""#, r#""a/""#),
        ("12345678901234567890123", "12345678901234567890124"),
    ];
    for (left, right) in equal {
        assert_eq!(json(left), json(right));
        assert_eq!(json(left).content_hash(), json(right).content_hash());
        assert_eq!(HashSet::from([json(left), json(right)]).len(), 1);
    }
    for (left, right) in [
        ("1", "\"1\""),
        ("[1,2]", "[2,1]"),
        ("9007199254740992", "9007199254740993"),
        ("{}", "[]"),
    ] {
        assert_ne!(json(left), json(right));
    }
}

#[test]
fn deep_values_need_no_stack() {
    let mut value = Value::Null;
    for _ in 0..127 {
        value = Value::Array(vec![value]);
    }
    let text = Json::from(&value);
    assert_eq!(Json::parse(text.text()).unwrap().to_value(), value);
    assert_eq!(text.content_hash(), crate::json_content_hash(&value));
}
