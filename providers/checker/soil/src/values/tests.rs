//! Reading, writing, drawing and shrinking by the types of one environment.

mod golden;
mod shrink;

use super::*;
use crate::environment::{self, Environment};
use crate::json::Json;
use crate::syntax::Names;

/// Types of every shape: a record, a sum with each kind of payload, a recursive one, one without finite values, an alias.
const TYPES: &str = r#"{"types":[
{"name":"Pair","params":["a"],"strategy":{"tag":"Structural"},"body":{"tag":"Record","value":{"fields":[
 {"name":"second","shape":{"tag":"SVar","value":{"name":"a"}},"ignored":{"tag":"None"}},
 {"name":"hidden","shape":{"tag":"SCon","value":{"name":"I64","args":[]}},
  "ignored":{"tag":"Some","value":{"tag":"Const","value":{"value":7}}}},
 {"name":"first","shape":{"tag":"SCon","value":{"name":"I64","args":[]}},"ignored":{"tag":"None"}}]}}},
{"name":"Shape","params":[],"strategy":{"tag":"Structural"},"body":{"tag":"Sum","value":{"variants":[
 {"name":"Dot","payload":{"tag":"None"}},
 {"name":"Line","payload":{"tag":"Some","value":{"tag":"SCon","value":{"name":"F64","args":[]}}}},
 {"name":"Box","payload":{"tag":"None"},"fields":{"tag":"Some","value":[
  {"name":"w","shape":{"tag":"SCon","value":{"name":"U8","args":[]}},"ignored":{"tag":"None"}},
  {"name":"h","shape":{"tag":"SCon","value":{"name":"U8","args":[]}},"ignored":{"tag":"None"}}]}}]}}},
{"name":"Tree","params":["a"],"strategy":{"tag":"Structural"},"body":{"tag":"Sum","value":{"variants":[
 {"name":"Node","payload":{"tag":"None"},"fields":{"tag":"Some","value":[
  {"name":"l","shape":{"tag":"SCon","value":{"name":"Tree","args":[{"tag":"SVar","value":{"name":"a"}}]}},"ignored":{"tag":"None"}},
  {"name":"r","shape":{"tag":"SCon","value":{"name":"Tree","args":[{"tag":"SVar","value":{"name":"a"}}]}},"ignored":{"tag":"None"}}]}},
 {"name":"Leaf","payload":{"tag":"Some","value":{"tag":"SVar","value":{"name":"a"}}}}]}}},
{"name":"Endless","params":[],"strategy":{"tag":"Structural"},"body":{"tag":"Record","value":{"fields":[
 {"name":"next","shape":{"tag":"SCon","value":{"name":"Endless","args":[]}},"ignored":{"tag":"None"}}]}}},
{"name":"Growing","params":["a"],"strategy":{"tag":"Structural"},"body":{"tag":"Sum","value":{"variants":[
 {"name":"Stop","payload":{"tag":"None"}},
 {"name":"More","payload":{"tag":"Some","value":{"tag":"SCon","value":{"name":"Growing","args":[
  {"tag":"SCon","value":{"name":"List","args":[{"tag":"SVar","value":{"name":"a"}}]}}]}}}}]}}},
{"name":"Token","params":[],"strategy":{"tag":"Opaque"},"body":{"tag":"OpaqueBody"}},
{"name":"Names","params":[],"strategy":{"tag":"Structural"},"body":{"tag":"Alias","value":{"ty":
 {"tag":"SCon","value":{"name":"List","args":[{"tag":"SCon","value":{"name":"Utf8","args":[]}}]}}}}}
]}"#;

/// Runs with the forms of [`TYPES`] and a way to find the id of a type as it is written.
fn with_forms(run: impl FnOnce(&mut Forms<'_>, &Names)) {
    let mut names = Names::new();
    let environment = environment::read(TYPES.as_bytes(), &mut names).expect("the types read");
    let mut forms = Forms::new(&environment, &names);
    run(&mut forms, &names);
}

/// Finds the form of `T`, `T a` or `T (U b)`.
fn form(forms: &mut Forms<'_>, names: &Names, text: &str) -> FormId {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')');
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    let environment: &Environment = forms.environment();
    let name = names.get(name).expect("the name is known");
    let id = environment.type_named(name).expect("the type is known");
    let arguments: Vec<FormId> = if rest.is_empty() {
        Vec::new()
    } else if rest.starts_with('(') {
        vec![form(forms, names, rest)]
    } else {
        let all = rest.split(' ');
        all.map(|argument| form(forms, names, argument)).collect()
    };
    forms.of_type(id, &arguments)
}

fn read_text(forms: &mut Forms<'_>, form: FormId, text: &str) -> Result<Value, String> {
    let json = Json::read(text.as_bytes()).map_err(|error| error.to_string())?;
    read(forms, form, &json).map_err(|error| error.to_string())
}

fn text(forms: &mut Forms<'_>, form: FormId, value: &Value) -> String {
    write(forms, form, value, &mut Meter::UNBOUNDED.clone()).expect("nothing is bounded")
}

#[test]
fn values_are_read_and_written_canonically() {
    let cases = [
        ("I64", " -9223372036854775808 ", "-9223372036854775808"),
        ("I64", "-0", "0"),
        ("U64", "18446744073709551615", "18446744073709551615"),
        ("I8", "-128", "-128"),
        ("U16", "65535", "65535"),
        ("BigInt", "9007199254740991", "9007199254740991"),
        ("BigInt", "9007199254740992", "\"9007199254740992\""),
        ("BigInt", "\"-9007199254740991\"", "-9007199254740991"),
        ("BigInt", "-9007199254740992", "\"-9007199254740992\""),
        ("F64", "1E2", "100.0"),
        ("F64", "-0", "-0.0"),
        ("F64", "\"-Inf\"", "\"-Inf\""),
        ("F64", "\"NaN\"", "\"NaN\""),
        ("F64", "0.1e-5", "1e-6"),
        (
            "Utf8",
            r#""a\/\u00e9\ud83d\ude42\u0001\u007f\n""#,
            "\"a/é🙂\\u0001\u{7f}\\n\"",
        ),
        ("Utf8", r#""\b\f\r\t\"\\""#, r#""\b\f\r\t\"\\""#),
        ("Bytes", r#""AAH/""#, r#""AAH/""#),
        ("Bytes", r#""""#, r#""""#),
        ("Unit", "null", "null"),
        ("Bool", "true", "true"),
        ("Bool", "false", "false"),
        ("List I64", "[ 1 , 2 ]", "[1,2]"),
        ("List I64", "[]", "[]"),
        ("Names", r#"["a"]"#, r#"["a"]"#),
        (
            "Map Utf8 I64",
            r#"[{"value":2,"key":"b"},{"key":"a","value":1}]"#,
            r#"[{"key":"a","value":1},{"key":"b","value":2}]"#,
        ),
        ("Map Utf8 I64", "[]", "[]"),
        (
            "Pair Bool",
            r#"{"first":1,"second":true}"#,
            r#"{"second":true,"first":1}"#,
        ),
        ("Option I64", r#"{"tag":"None"}"#, r#"{"tag":"None"}"#),
        (
            "Option I64",
            r#"{"value":1,"tag":"Some"}"#,
            r#"{"tag":"Some","value":1}"#,
        ),
        (
            "Shape",
            r#"{"tag":"Box","value":{"h":1,"w":2}}"#,
            r#"{"tag":"Box","value":{"w":2,"h":1}}"#,
        ),
        (
            "FsError",
            r#"{"tag":"NotFound","value":{"path":"p"}}"#,
            r#"{"tag":"NotFound","value":{"path":"p"}}"#,
        ),
        (
            "Growing I64",
            r#"{"tag":"More","value":{"tag":"Stop"}}"#,
            r#"{"tag":"More","value":{"tag":"Stop"}}"#,
        ),
    ];
    with_forms(|forms, names| {
        for (ty, given, expected) in cases {
            let form = form(forms, names, ty);
            let value = read_text(forms, form, given).expect(given);
            let written = text(forms, form, &value);
            assert_eq!(written, expected, "{ty}");
            let again = read_text(forms, form, &written).expect("canonical text reads");
            assert!(
                compare(&value, &again, &mut Meter::UNBOUNDED.clone())
                    .is_ok_and(std::cmp::Ordering::is_eq)
            );
        }
    });
}

#[test]
fn what_is_no_value_of_the_type_is_refused_with_its_place() {
    let cases = [
        ("I64", "1.0", "`$` must be an integer, `1.0` is none"),
        ("I64", "1e3", "`$` must be an integer, `1e3` is none"),
        (
            "I64",
            "9223372036854775808",
            "`$` must be in the range of I64, here is `9223372036854775808`",
        ),
        ("U8", "256", "`$` must be in the range of U8, here is `256`"),
        ("U8", "-1", "`$` must be in the range of U8, here is `-1`"),
        ("I64", "\"1\"", "`$` must be an integer"),
        ("BigInt", "\"01\"", "`$` must be an integer, `01` is none"),
        ("BigInt", "\"\"", "`$` must be an integer, `` is none"),
        (
            "F64",
            "1e400",
            "`$` must be a finite number, here is `1e400`",
        ),
        (
            "F64",
            "\"inf\"",
            "`$` must be a number, `\"NaN\"`, `\"Inf\"` or `\"-Inf\"`",
        ),
        ("Utf8", "1", "`$` must be a string"),
        ("Bytes", "\"AAH\"", "`$` is no padded base64"),
        ("Bytes", "\"AB==\"", "`$` is no padded base64"),
        ("Unit", "{}", "`$` must be `null`"),
        ("Bool", "1", "`$` must be `true` or `false`"),
        ("Bool", r#"{"tag":"True"}"#, "`$` must be `true` or `false`"),
        ("List I64", "[1,true]", "`$[1]` must be an integer"),
        (
            "Pair (List I64)",
            r#"{"first":1,"second":[0,0,"a"]}"#,
            "`$.second[2]` must be an integer",
        ),
        ("Pair I64", r#"{"first":1}"#, "`$` lacks the key `second`"),
        (
            "Pair I64",
            r#"{"first":1,"second":1,"hidden":7}"#,
            "`$` has the unknown key `hidden`",
        ),
        (
            "Pair I64",
            r#"{"first":1,"first":1,"second":1}"#,
            "the key `first` stands twice in an object",
        ),
        (
            "Option I64",
            r#"{"tag":"Other"}"#,
            "`$` has the tag `Other`, which is none of `None`, `Some`",
        ),
        (
            "Option I64",
            r#"{"tag":"None","value":null}"#,
            "`$` has a value, which `None` does not take",
        ),
        (
            "Option I64",
            r#"{"tag":"Some"}"#,
            "`$` lacks the value of `Some`",
        ),
        (
            "Option I64",
            r#"{"tag":"Some","value":1,"more":1}"#,
            "`$` has the unknown key `more`",
        ),
        (
            "Map Utf8 I64",
            r#"[{"key":"a","value":1},{"key":"a","value":1}]"#,
            "`$[1]` has a key that came before",
        ),
        (
            "Map Utf8 I64",
            r#"[{"key":"a","value":true}]"#,
            "`$[0].value` must be an integer",
        ),
        ("Token", "\"<handle>\"", "`$` has an opaque type"),
        ("List Clock", "[1]", "`$[0]` has an opaque type"),
    ];
    with_forms(|forms, names| {
        for (ty, given, expected) in cases {
            let form = form(forms, names, ty);
            let error = read_text(forms, form, given).expect_err(given);
            assert!(error.starts_with(expected), "{ty} {given}: {error}");
        }
        let variable = forms.variable();
        assert!(read_text(forms, variable, "1").is_err());
    });
}

#[test]
fn deep_and_shared_values_are_written_within_bounds() {
    with_forms(|forms, names| {
        let tree = form(forms, names, "Tree I64");
        let leaf = || Value::variant(1, [Value::Signed(0)]);
        let mut deep = leaf();
        let mut shared = leaf();
        for _ in 0..200_000 {
            deep = Value::variant(0, [deep, leaf()]);
        }
        for _ in 0..100 {
            shared = Value::variant(0, [shared.clone(), shared]);
        }
        assert!(text(forms, tree, &deep).len() > 200_000);
        let mut meter = Meter {
            fuel: 100_000,
            cells: 0,
        };
        assert_eq!(
            write(forms, tree, &shared, &mut meter),
            Err(Exhausted::Fuel)
        );
    });
}

#[test]
fn texts_hash_as_published() {
    let cases = [
        ("", 0xcbf2_9ce4_8422_2325),
        ("a", 0xaf63_dc4c_8601_ec8c),
        ("foobar", 0x8594_4171_f739_67e8),
    ];
    for (text, expected) in cases {
        assert_eq!(hash_text(text), expected, "{text}");
    }
}
