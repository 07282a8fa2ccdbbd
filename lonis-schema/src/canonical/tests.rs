//! Canonical texts from values, from texts and from types.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::json::Json;
use crate::{ContentHash, json_content_hash};

/// The canonical text by each way there is; they have to agree.
fn canonical(source: &str) -> String {
    let json = Json::parse(source).unwrap();
    let by_text = String::from_utf8(of_text(json.text())).unwrap();
    assert_eq!(
        String::from_utf8(of_value(&json.to_value())).unwrap(),
        by_text,
        "{source}"
    );
    assert_eq!(text(&json.to_value()).unwrap(), by_text, "{source}");
    assert_eq!(text(&json).unwrap(), by_text, "{source}");
    by_text
}

#[test]
fn spelling() {
    let cases = [
        ("null", "null"),
        ("[ true , false ]", "[true,false]"),
        (r#"{"b":1,"a":2}"#, r#"{"a":2,"b":1}"#),
        (
            r#"{"b":{"d":[{"z":0,"y":{}}],"c":2},"a":[]}"#,
            r#"{"a":[],"b":{"c":2,"d":[{"y":{},"z":0}]}}"#,
        ),
        (r#"{"a!":1,"a":2,"":3}"#, r#"{"":3,"a":2,"a!":1}"#),
        // By code point: above every character of the basic plane, and below by UTF-16.
        (r#"{"\ud83d\ude00":1,"דּ":2}"#, r#"{"דּ":2,"😀":1}"#),
        // By the character, not by the backslash of its escape.
        (
            r#"{"A":1,"\n":2,"\"":3,"\\":4,"a":5}"#,
            r#"{"\n":2,"\"":3,"A":1,"\\":4,"a":5}"#,
        ),
        (r#""\u0008\u000C\u000a\u000D\u0009""#, r#""\b\f\n\r\t""#),
        (
            r#""\u0000\u001F\u001b\u007f\/\u00e9""#,
            "\"\\u0000\\u001f\\u001b\u{7f}/é\"",
        ),
        (r#""\ud83d\ude00\u2028""#, "\"😀\u{2028}\""),
        ("[100.0,1e2,1E+16,-0.0,0.10]", "[100,100,1e+16,0,0.1]"),
        // The same letter composed and decomposed: no normalization.
        (
            "{\"\u{e9}\":1,\"e\u{301}\":2}",
            "{\"e\u{301}\":2,\"\u{e9}\":1}",
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(canonical(source), expected, "{source}");
        assert_eq!(canonical(expected), expected, "{source} again");
    }
}

#[derive(serde::Serialize)]
struct Typed {
    zeta: f64,
    alpha: Option<Box<Typed>>,
    json: Json,
    text: &'static str,
    small: f32,
    big: u128,
    pair: (u8, char),
    kind: Kind,
    map: BTreeMap<i32, f64>,
}

#[derive(serde::Serialize)]
enum Kind {
    Unit,
    Newtype(f64),
    Tuple(f64, bool),
    Struct { x: f64 },
}

fn typed(zeta: f64) -> Typed {
    Typed {
        zeta,
        alpha: None,
        json: Json::parse(r#"{"b":1.0,"a":"\u0061"}"#).unwrap(),
        text: "tab\t",
        small: 0.1,
        big: u128::from(u64::MAX) + 1,
        pair: (1, '"'),
        kind: Kind::Unit,
        map: BTreeMap::from([(10, 1.0), (9, 2.5)]),
    }
}

#[test]
fn types_are_written_as_what_they_serialize_to() {
    let value = Typed {
        alpha: Some(Box::new(typed(1.0))),
        kind: Kind::Tuple(1e16, true),
        ..typed(0.5)
    };
    let inner = r#"{"alpha":null,"big":1.8446744073709552e+19,"json":{"a":"a","b":1},"kind":"Unit","map":{"10":1,"9":2.5},"pair":[1,"\""],"small":0.1,"text":"tab\t","zeta":1}"#;
    let expected = format!(
        r#"{{"alpha":{inner},"big":1.8446744073709552e+19,"json":{{"a":"a","b":1}},"kind":{{"Tuple":[1e+16,true]}},"map":{{"10":1,"9":2.5}},"pair":[1,"\""],"small":0.1,"text":"tab\t","zeta":0.5}}"#
    );
    let written = text(&value).unwrap();
    assert_eq!(written, expected);
    assert_eq!(canonical(&compact_text(&value).unwrap()), expected);
    assert_eq!(
        ContentHash::of(&value).unwrap(),
        Json::parse(&written).unwrap().content_hash()
    );
}

#[test]
fn nothing_that_is_not_finite_is_written() {
    let kinds = [
        Kind::Newtype(f64::NAN),
        Kind::Tuple(f64::INFINITY, true),
        Kind::Struct {
            x: f64::NEG_INFINITY,
        },
    ];
    for kind in kinds {
        let value = Typed { kind, ..typed(0.5) };
        assert!(matches!(
            text(&value),
            Err(CanonicalError::Number(NumberError::NotFinite(_)))
        ));
        assert!(matches!(
            compact_text(&value),
            Err(CanonicalError::Number(_))
        ));
    }
    assert!(ContentHash::of(&typed(f64::NAN)).is_err());
    assert!(ContentHash::of(&Some(f32::INFINITY)).is_err());
    assert!(ContentHash::of(&BTreeMap::from([("a", vec![f64::NAN])])).is_err());
    assert_eq!(
        ContentHash::of(&f64::NAN).unwrap_err().to_string(),
        "`NaN` is not a finite number"
    );
}

/// An object that gives one key twice, as a hand-written `Serialize` can.
struct Twice;

impl Serialize for Twice {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([("b", 1), ("a", 2), ("b", 3)])
    }
}

#[test]
fn what_a_scan_refuses_has_no_canonical_text() {
    assert_eq!(
        text(&Twice),
        Err(CanonicalError::DuplicateKey("b".to_owned()))
    );
    let raw = |text: &str| serde_json::value::RawValue::from_string(text.to_owned()).unwrap();
    assert!(matches!(
        text(&raw(r#"{"a":1,"\u0061":2}"#)),
        Err(CanonicalError::DuplicateKey(_))
    ));
    assert!(matches!(
        text(&raw("[1e400]")),
        Err(CanonicalError::Number(NumberError::Overflow(_)))
    ));
    assert!(matches!(
        text(&raw(r#""\ud800""#)),
        Err(CanonicalError::Escape(_))
    ));
    // Only a build in which the library keeps the text of numbers holds this value.
    if let Ok(value) = serde_json::from_str::<Value>("[1e400]") {
        assert!(matches!(text(&value), Err(CanonicalError::Number(_))));
        assert!(ContentHash::of(&value).is_err());
        assert_eq!(of_value(&value), value.to_string().as_bytes());
    }
    assert!(Json::parse("[1e400]").is_err());
    let keyed = BTreeMap::from([((1, 2), 3)]);
    assert!(matches!(text(&keyed), Err(CanonicalError::Serialize(_))));
}

#[test]
fn depth_is_no_matter_of_the_stack() {
    const LEVELS: usize = 100_000;
    let mut value = json!(1.0);
    for _ in 0..LEVELS {
        value = Value::Array(vec![value]);
    }
    let expected = format!("{}1{}", "[".repeat(LEVELS), "]".repeat(LEVELS));
    assert_eq!(of_value(&value), expected.as_bytes());
    assert_eq!(of_text(&expected), expected.as_bytes());
    // Dropping the value would recurse, so it is taken apart from the outside.
    while let Value::Array(mut elements) = value {
        value = elements.pop().unwrap();
    }
}

/// Any value, with the keys and strings that escapes and ordering make hard.
fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["[a-c]{0,2}", "\\PC{0,4}", "[\\x00-\\x22\\x5c\\x7f]{0,3}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map(text.clone(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn hash_write_read_hash_is_one_value(value in any_value()) {
        let written = canonical(&value.to_string());
        let hash = json_content_hash(&value);
        prop_assert_eq!(ContentHash::of(&value).unwrap(), hash);
        prop_assert_eq!(ContentHash::of_canonical(written.as_bytes()), hash);
        let again = Json::parse(&written).unwrap();
        prop_assert_eq!(again.content_hash(), hash);
        prop_assert_eq!(json_content_hash(&again.to_value()), hash);
        prop_assert_eq!(canonical(&serde_json::to_string_pretty(&value).unwrap()), written);
    }
}
