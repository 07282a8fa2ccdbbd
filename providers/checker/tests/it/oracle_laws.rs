//! Laws of references and sessions: values come through Python as they went in, a body is told from another one exactly
//! where the two differ, and what a session holds reaches its shell byte for byte.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::{Value, json};

use crate::job_root::Root;
use crate::outside::{spec, tested};

const ROW: &str = "---\nname: Row\n---\n\nA bit of everything.\n\n```soil-type\n\
    type Row = { whole : I64, small : U8, big : BigInt, real : F64, text : Utf8, bytes : Bytes, flag : Bool, unit : Unit, \
    maybe : Option I64, counts : Map Utf8 I64, many : List U64 }\n```\n";

/// Draws so many cases; each of them starts programs.
fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config {
        failure_persistence: None,
        // The same draws at each run: what they find is found before it lands.
        rng_seed: RngSeed::Fixed(20),
        ..Config::with_cases(cases)
    })
}

/// Any text, and such as need care on the way.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        Just("\u{0}\u{7f}\u{2028}\"\\/\u{1f642}\u{10ffff}".to_owned()),
        Just(String::new()),
    ]
}

/// Floats at the borders of their spellings.
const EDGES: [f64; 7] = [-0.0, 5e-324, f64::MAX, 1e16, 0.1, 1e-5, 123_456_789.125];

/// A float as a value: numbers in the spelling of `serde_json`, and what has no spelling as a text.
fn real() -> impl Strategy<Value = Value> {
    let numbers = any::<f64>().prop_map(|number| match number {
        number if number.is_nan() => json!("NaN"),
        number if number == f64::INFINITY => json!("Inf"),
        number if number == f64::NEG_INFINITY => json!("-Inf"),
        number => json!(number),
    });
    prop_oneof![
        numbers,
        prop::sample::select(&EDGES[..]).prop_map(|number| json!(number))
    ]
}

fn big() -> impl Strategy<Value = Value> {
    const EXACT: i128 = (1 << 53) - 1;
    any::<i128>().prop_map(|number| {
        if number.abs() <= EXACT {
            json!(i64::try_from(number).expect("it is small"))
        } else {
            json!(number.to_string())
        }
    })
}

fn row() -> impl Strategy<Value = Value> {
    let numbers = (any::<i64>(), any::<u8>(), big(), real());
    let counts = prop::collection::btree_map(text(), any::<i64>(), 0..4);
    let others = (text(), any::<bool>(), any::<Option<i64>>(), counts);
    (numbers, others, prop::collection::vec(any::<u64>(), 0..4)).prop_map(
        |((whole, small, big, real), (text, flag, maybe, counts), many)| {
            let counts = counts.iter().map(|(key, value)| json!({"key": key, "value": value}));
            json!({
                "whole": whole, "small": small, "big": big, "real": real, "text": text,
                "bytes": "AP/+", "flag": flag, "unit": null,
                "maybe": maybe.map_or(json!({"tag": "None"}), |value| json!({"tag": "Some", "value": value})),
                "counts": counts.collect::<Vec<_>>(), "many": many,
            })
        },
    )
}

#[test]
fn values_come_through_python_as_they_went_in() {
    let rows = prop::collection::vec(row(), 24);
    let mut runner = runner(6);
    let law = |rows: Vec<Value>| {
        let rows = json!(rows);
        let blocks =
            format!("```test some\n({rows}) => {rows}\n```\n\n```reference\nsame.py::same\n```\n");
        let root = Root::new(&[
            ("m/row.tr", ROW),
            (
                "m/same.tr",
                &spec("same", "(rows : List Row) -> List Row", &blocks),
            ),
            (
                "m/same.soil",
                "same : (rows : List Row) -> List Row\nsame rows = rows\n",
            ),
            ("same.py", "def same(rows):\n    return rows\n"),
        ]);
        let Some(definition) = tested(&root, &[]) else {
            return Ok(());
        };
        prop_assert_eq!(&definition["errors"], &Value::Null);
        for row in definition["cases"].as_array().expect("a list") {
            prop_assert_eq!(&row["result"], "pass", "{}", row);
        }
        Ok(())
    };
    runner.run(&rows, law).expect("the law holds");
}

/// What a Python function does, and the same for the values that it is given here.
type Planted = (&'static str, fn(i64, i64) -> i64);

#[test]
fn a_planted_difference_is_found_exactly_where_it_shows() {
    let exact: Planted = ("a // b", |a, b| a.div_euclid(b));
    let planted: [Planted; 4] = [
        exact,
        ("int(a / b)", |a, b| a / b),
        ("-(-a // b)", |a, b| -(-a).div_euclid(b)),
        ("a // b if a != 7 else 8", |a, b| {
            if a == 7 { 8 } else { a.div_euclid(b) }
        }),
    ];
    let arguments = prop::collection::vec((-60_i64..60, 1_i64..9), 6);
    let mut runner = runner(3);
    let law = |arguments: Vec<(i64, i64)>| {
        let cases = arguments
            .iter()
            .map(|(a, b)| format!("({a}, {b}) => {}\n", exact.1(*a, *b)));
        let cases: String = cases.collect();
        let signature = "(a : I64) -> (b : I64) -> panic I64";
        for (python, same) in planted {
            let blocks =
                format!("```test some\n{cases}```\n\n```reference\nshare.py::share\n```\n");
            let root = Root::new(&[
                ("m/share.tr", &spec("share", signature, &blocks)),
                (
                    "m/share.soil",
                    &format!("share : {signature}\nshare a b = a / b\n"),
                ),
                (
                    "share.py",
                    &format!("def share(a, b):\n    return {python}\n"),
                ),
            ]);
            let Some(definition) = tested(&root, &[]) else {
                return Ok(());
            };
            let rows = definition["cases"].as_array().expect("a list");
            let (row, own) = rows.split_last().expect("there are rows");
            prop_assert!(own.iter().all(|row| row["result"] == "pass"), "{:?}", own);
            let differs = arguments
                .iter()
                .find(|(a, b)| same(*a, *b) != exact.1(*a, *b));
            let expected = differs.map(|(a, b)| {
                let (expected, actual) = (exact.1(*a, *b), same(*a, *b));
                json!({"expected": expected.to_string(), "actual": format!("{actual} at [{a},{b}]")})
            });
            let word = if differs.is_some() { "fail" } else { "pass" };
            prop_assert_eq!(&row["result"], word, "{}", python);
            prop_assert_eq!(row["details"].get("value"), expected.as_ref(), "{}", python);
        }
        Ok(())
    };
    runner.run(&arguments, law).expect("the law holds");
}

#[test]
fn files_and_commands_reach_the_shell_byte_for_byte() {
    let files = prop::collection::vec(text(), 8);
    let words = prop::collection::vec("[^\\p{C}\\p{Z}\r\n]{0,40}", 8);
    let law = |(files, words): (Vec<String>, Vec<String>)| {
        let held = files.iter().enumerate();
        let held =
            held.map(|(index, content)| format!("with file \"in/{index}\" = {}\n", json!(content)));
        let said = words.iter().map(|word| {
            let quoted = word.replace('\'', "'\\''");
            format!("$ printf 'x%s\\n' '{quoted}'\nx{word}\n")
        });
        let copies = "$ cp in/* \"$TRELLIS_ROOT/out\"\n".to_owned();
        let session: String = held.chain([copies]).chain(said).collect();
        let blocks = format!("```cram c\n{session}```\n");
        let root = Root::new(&[
            ("m/none.tr", &spec("none", "I64", &blocks)),
            ("m/none.soil", "none : I64\nnone = 0\n"),
            ("out/.keep", ""),
        ]);
        let Some(definition) = tested(&root, &["--real"]) else {
            return Ok(());
        };
        for row in definition["cases"].as_array().expect("a list") {
            prop_assert_eq!(&row["result"], "pass", "{}", row);
        }
        for (index, content) in files.iter().enumerate() {
            prop_assert_eq!(&root.read(&format!("out/{index}")), content);
        }
        Ok(())
    };
    let drawn = runner(12).run(&(files, words), law);
    drawn.expect("the law holds");
}
