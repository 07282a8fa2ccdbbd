use super::{Reader, Refusal};
use crate::json::reader::Reason;
use crate::json::{Json, JsonError, scan_document};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

fn skipped(text: &str) -> Result<(usize, bool), JsonError> {
    skip(text).map_err(|refusal| match refusal.into_reason() {
        Reason::Json(error) => error,
        Reason::Shape { message, .. } => panic!("{text}: {message}"),
    })
}

fn skip(text: &str) -> Result<(usize, bool), Refusal> {
    let mut reader = Reader::new(text);
    reader.skip_value()?;
    let end = reader.position();
    reader.end()?;
    Ok((end, reader.has_whitespace()))
}

fn scanned(text: &str) -> Result<(usize, bool), JsonError> {
    scan_document(text).map(|scanned| {
        (
            scanned.start() + scanned.text().len(),
            scanned.has_whitespace(),
        )
    })
}

fn typed<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Refusal> {
    let mut reader = Reader::new(text);
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Texts around every rule of reading.
const TEXTS: &[&str] = &[
    "",
    " ",
    "null",
    " true ",
    "false\n",
    "nul",
    "nulL",
    "tru",
    "truth",
    "x",
    "0",
    "-0",
    "-",
    "01",
    "1.",
    "1.5",
    "1.e1",
    "1e",
    "1e+",
    "1e5",
    "-1E-5",
    "1e400",
    "-1e400",
    "1e-400",
    "+1",
    ".5",
    "1 2",
    "\"\"",
    "\"a",
    "\"a\\",
    "\"\\x\"",
    "\"\\u00e9\"",
    "\"\\u00g9\"",
    "\"\\u00",
    "\"\\ud800\"",
    "\"\\ud800\\u0041\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud83d\\",
    "\"\\udc00\"",
    "\"\t\"",
    "\"\u{7f}é\u{1f600}\"",
    "[]",
    "[ ]",
    "[",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1}",
    "]",
    "[[],[1,[2]]]",
    "{}",
    "{ }",
    "{",
    "{1:2}",
    "{\"a\"",
    "{\"a\"}",
    "{\"a\":",
    "{\"a\":}",
    "{\"a\":1",
    "{\"a\":1,",
    "{\"a\":1,}",
    "{\"a\":1,2}",
    "{\"a\" : 1 , \"b\":[ ]}",
    "{\"a\":1]",
    "{\"a\":1,\"a\":2}",
    "{\"a\":1,\"\\u0061\":2}",
    "{\"\\u0061\":1,\"b\":{\"a\":1},\"a\":2}",
    "{\"a\":{\"b\":1,\"c\":2,\"b\":3}}",
    "{\"a\":1}{",
    "[1],",
    "\u{feff}1",
    "[\"a\u{0}\"]",
    "{\"a\\n\":1,\"a\n\":2}",
];

fn nested(depth: usize, open: &str, close: &str) -> String {
    open.repeat(depth) + "1" + &close.repeat(depth)
}

#[test]
fn the_reader_refuses_what_the_scanner_refuses_at_the_same_byte() {
    for text in TEXTS.iter().filter(|text| !text.starts_with('\u{feff}')) {
        assert_eq!(skipped(text), scanned(text), "{text}");
        for cut in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert_eq!(
                skipped(&text[..cut]),
                scanned(&text[..cut]),
                "{text} cut at {cut}"
            );
        }
        let read = typed::<Value>(text);
        assert_eq!(read.is_ok(), scanned(text).is_ok(), "{text}");
        if let Ok(value) = read {
            // By value: a build that keeps the text of numbers tells `-0` from `-0.0`.
            assert_eq!(
                Json::from(value),
                Json::parse(text).expect("scanned"),
                "{text}"
            );
        }
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        for depth in [63, 64, 126, 127, 128, 129, 2000] {
            let text = nested(depth, open, close);
            assert_eq!(skipped(&text), scanned(&text), "{depth} of {open}");
            assert_eq!(typed::<Value>(&text).is_ok(), scanned(&text).is_ok());
        }
    }
}

/// JSON texts with the white space, escapes and duplicate keys that tests are after, and what breaks them.
fn json_text() -> impl Strategy<Value = String> {
    let scalar = prop::sample::select(vec![
        "null",
        "true",
        "0",
        "-1.5e3",
        "\"\"",
        "\"a\"",
        "\"\\u0061\"",
        "\"é\\n\"",
        "1e309",
        "12345678901234567890",
    ])
    .prop_map(str::to_owned);
    let key = prop::sample::select(vec!["a", "b", "\\u0061", "c", "long key of words"]);
    let space = prop::sample::select(vec!["", "", "", " ", "\n\t"]);
    scalar.prop_recursive(6, 60, 6, move |inner| {
        let element =
            (space.clone(), inner.clone()).prop_map(|(space, value)| space.to_owned() + &value);
        let member = (key.clone(), space.clone(), inner)
            .prop_map(|(key, space, value)| format!("\"{key}\"{space}:{value}{space}"));
        prop_oneof![
            prop::collection::vec(element, 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 0..5)
                .prop_map(|items| format!("{{{}}}", items.join(","))),
        ]
    })
}

proptest! {
    #[test]
    fn both_read_any_text_alike(text in json_text()) {
        prop_assert_eq!(skipped(&text), scanned(&text));
        if scanned(&text).is_ok() {
            let value: Value = typed(&text).expect("the scanner accepts it");
                        prop_assert_eq!(Json::from(value), Json::parse(&text).expect("scanned"));
        }
    }

    #[test]
    fn both_stop_at_the_same_bad_byte(
        text in json_text(),
        at in any::<prop::sample::Index>(),
        byte in prop::sample::select(b"\"\\{}[],:-0e.nu \x01x".to_vec()),
    ) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let text = String::from_utf8_lossy(&bytes);
        prop_assert_eq!(skipped(&text), scanned(&text));
        prop_assert_eq!(typed::<Value>(&text).is_ok(), scanned(&text).is_ok());
    }
}

#[derive(Debug, PartialEq, Deserialize)]
enum Shape {
    Point,
    Circle(f32),
    Square { side: u8 },
    Line(i64, i64),
}

#[test]
fn every_type_of_serde_is_read_as_the_library_reads_it() {
    fn check<T: for<'a> Deserialize<'a> + PartialEq + std::fmt::Debug>(texts: &[&str]) {
        for text in texts {
            let ours = typed::<T>(text);
            match serde_json::from_str::<T>(text) {
                Ok(value) => assert_eq!(ours.expect(text), value, "{text}"),
                Err(error) => assert!(ours.is_err(), "{text}: {error}"),
            }
        }
    }
    let numbers = [
        "0",
        "-0",
        "1",
        "-1",
        "255",
        "256",
        "1.0",
        "1.5",
        "1e2",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "0.1",
        "5e-324",
        "1.7976931348623157e308",
        "\"1\"",
        "null",
        "0.30000001192092896",
        "16777217",
        "340282366920938463463374607431768211455",
    ];
    check::<u8>(&numbers);
    check::<i16>(&numbers);
    check::<u64>(&numbers);
    check::<i64>(&numbers);
    check::<i128>(&numbers);
    // The library refuses `-0` here, which is 0 like any other.
    check::<u128>(&numbers.map(|text| if text == "-0" { "0" } else { text }));
    check::<f32>(&numbers);
    check::<f64>(&numbers);
    check::<Option<bool>>(&["null", "true", "false", "1", "[]"]);
    check::<(u8, String)>(&["[1,\"a\"]", "[1]", "[1,\"a\",2]", "[]", "{}"]);
    check::<Vec<Option<char>>>(&["[]", "[\"a\",null]", "[\"ab\"]", "[\"\\u00e9\"]", "null"]);
    check::<BTreeMap<String, u8>>(&[
        "{}",
        "{\"a\":1,\"b\":2}",
        "{\"\\u0061\":1}",
        "{\"a\":null}",
        "[]",
    ]);
    check::<()>(&["null", "0"]);
    check::<Shape>(&[
        "\"Point\"",
        "\"P\\u006fint\"",
        "{\"Circle\":0.1}",
        "{\"Square\":{\"side\":3}}",
        "{\"Line\":[1,-2]}",
        "{\"Line\":[1]}",
        "{\"Circle\":1,\"Point\":null}",
        "{}",
        "\"Oval\"",
        "{\"Oval\":1}",
        "1",
        "\"Circle\"",
    ]);
}

#[test]
fn texts_of_values_are_handed_out() {
    let members: BTreeMap<String, Json> =
        typed(r#"{"a": 1.50, "b": {"x" : [1 , 2]}, "c":"\u0061"}"#).expect("objects of values");
    let texts: Vec<&str> = members.values().map(Json::text).collect();
    assert_eq!(texts, ["1.50", r#"{"x":[1,2]}"#, r#""\u0061""#]);
    let raw: Box<serde_json::value::RawValue> = typed(" {\"a\" : 1.50} ").expect("a raw value");
    assert_eq!(raw.get(), "{\"a\" : 1.50}");
    let again: Json =
        Json::deserialize(&mut Reader::again("[1]", false)).expect("known to be a value");
    assert_eq!(again.text(), "[1]");
    let spaced: Json =
        Json::deserialize(&mut Reader::again("[ 1 ]", true)).expect("known to be a value");
    assert_eq!(spaced.text(), "[1]");
    assert!(typed::<Json>("{\"a\":1,\"a\":2}").is_err());
}

#[test]
fn a_refusal_knows_where() {
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only refusals are looked at")]
    struct Point {
        x: u8,
        y: Vec<u8>,
    }
    let cases = [
        (r#" {"x":1}"#, "missing field `y`", 1),
        (
            r#"{"x": "a","y":[]}"#,
            "invalid type: string \"a\", expected u8",
            6,
        ),
        (
            r#"{"x":1,"y":null}"#,
            "invalid type: null, expected an array",
            11,
        ),
        (
            r#"{"x":1,"y":{}}"#,
            "invalid type: an object, expected an array",
            11,
        ),
        (r"null", "invalid type: null, expected an object", 0),
        (
            r#"{"x":1,"y":[1, 256]}"#,
            "invalid value: integer `256`, expected u8",
            15,
        ),
        (
            r#"{"x":1, "z":2}"#,
            "unknown field `z`, expected `x` or `y`",
            8,
        ),
    ];
    for (text, expected, at) in cases {
        match typed::<Point>(text).expect_err(text).into_reason() {
            Reason::Shape { message, offset } => {
                assert_eq!((&*message, offset), (expected, Some(at)), "{text}");
            }
            Reason::Json(error) => panic!("{text}: {error}"),
        }
    }
}
