//! What builtins give and raise.

use super::*;

fn call(ty: &str, body: &str, arguments: &[&str], expected: &str) {
    gives(&[&format!("f : {ty}\nf {body}\n")], arguments, expected);
}

fn fails(ty: &str, body: &str, arguments: &[&str], expected: &str) {
    raises(&[&format!("f : {ty}\nf {body}\n")], arguments, expected);
}

#[test]
fn texts() {
    let split = (
        "(s : Utf8) -> (t : Utf8) -> List Utf8",
        "s t = utf8_split s t",
    );
    call(split.0, split.1, &["\",\"", "\"a,,b\""], r#"["a","","b"]"#);
    call(split.0, split.1, &["\",\"", "\"\""], r#"[""]"#);
    call(split.0, split.1, &["\"\"", "\"ab\""], r#"["ab"]"#);
    call(
        "(t : Utf8) -> Utf8",
        "t = utf8_trim t",
        &["\" \\t\\r\\n a \\u00a0\""],
        "\"a \u{a0}\"",
    );
    call("(t : Utf8) -> I64", "t = utf8_len t", &["\"aé🙂\""], "3");
    let slice = (
        "(t : Utf8) -> (a : I64) -> (b : I64) -> panic Utf8",
        "t a b = utf8_slice t a b",
    );
    call(slice.0, slice.1, &["\"aé🙂z\"", "1", "3"], "\"é🙂\"");
    call(slice.0, slice.1, &["\"ab\"", "2", "2"], "\"\"");
    for (start, end) in [("-1", "1"), ("2", "1"), ("0", "3")] {
        fails(
            slice.0,
            slice.1,
            &["\"ab\"", start, end],
            "index-out-of-bounds",
        );
    }
    call(
        "(s : Utf8) -> (t : List Utf8) -> Utf8",
        "s t = utf8_join s t",
        &["\"-\"", r#"["a","b",""]"#],
        "\"a-b-\"",
    );
    let float = ("(t : Utf8) -> Option F64", "t = utf8_parse_f64 t");
    for (text, expected) in [
        ("\"-1.50\"", r#"{"tag":"Some","value":-1.5}"#),
        ("\"007\"", r#"{"tag":"Some","value":7.0}"#),
        ("\"1.\"", r#"{"tag":"None"}"#),
        ("\".5\"", r#"{"tag":"None"}"#),
        ("\"1e5\"", r#"{"tag":"None"}"#),
        ("\"+1\"", r#"{"tag":"None"}"#),
        ("\"\"", r#"{"tag":"None"}"#),
    ] {
        call(float.0, float.1, &[text], expected);
    }
    let integer = ("(t : Utf8) -> Option I64", "t = utf8_parse_i64 t");
    for (text, expected) in [
        (
            "\"-9223372036854775808\"",
            r#"{"tag":"Some","value":-9223372036854775808}"#,
        ),
        ("\"9223372036854775808\"", r#"{"tag":"None"}"#),
        ("\"1.0\"", r#"{"tag":"None"}"#),
        ("\"-\"", r#"{"tag":"None"}"#),
    ] {
        call(integer.0, integer.1, &[text], expected);
    }
}

#[test]
fn bytes() {
    call(
        "(t : Utf8) -> Bytes",
        "t = utf8_encode t",
        &["\"é\""],
        "\"w6k=\"",
    );
    let decode = ("(b : Bytes) -> Result Utf8 Utf8Error", "b = utf8_decode b");
    call(
        decode.0,
        decode.1,
        &["\"w6k=\""],
        r#"{"tag":"Ok","value":"é"}"#,
    );
    call(
        decode.0,
        decode.1,
        &["\"YcM=\""],
        r#"{"tag":"Err","value":{"tag":"InvalidUtf8","value":{"at":1}}}"#,
    );
    call("(b : Bytes) -> I64", "b = bytes_len b", &["\"AAH/\""], "3");
    let get = (
        "(b : Bytes) -> (i : I64) -> panic U8",
        "b i = bytes_get b i",
    );
    call(get.0, get.1, &["\"AAH/\"", "2"], "255");
    fails(get.0, get.1, &["\"AAH/\"", "3"], "index-out-of-bounds");
    let slice = (
        "(b : Bytes) -> (i : I64) -> panic Bytes",
        "b i = bytes_concat (bytes_slice b i 3) b",
    );
    call(slice.0, slice.1, &["\"AAH/\"", "1"], "\"Af8AAf8=\"");
    fails(slice.0, slice.1, &["\"AAH/\"", "4"], "index-out-of-bounds");
}

#[test]
fn numbers() {
    let some = |text: &str| format!(r#"{{"tag":"Some","value":{text}}}"#);
    let none = r#"{"tag":"None"}"#.to_owned();
    let cases = [
        ("I64", "U64", "i64_to_u64", "-1", none.clone()),
        ("I64", "U64", "i64_to_u64", "5", some("5")),
        (
            "U64",
            "I64",
            "u64_to_i64",
            "9223372036854775808",
            none.clone(),
        ),
        ("I64", "F64", "i64_to_f64", "9007199254740993", none.clone()),
        (
            "I64",
            "F64",
            "i64_to_f64",
            "-9223372036854775808",
            some("-9.223372036854775808e18")
                .replace("-9.223372036854775808e18", "-9.223372036854776e18"),
        ),
        (
            "I64",
            "F64",
            "i64_to_f64",
            "9223372036854775807",
            none.clone(),
        ),
        (
            "U64",
            "F64",
            "u64_to_f64",
            "18446744073709551615",
            none.clone(),
        ),
        ("F64", "I64", "f64_to_i64", "1.5", none.clone()),
        ("F64", "I64", "f64_to_i64", "-3.0", some("-3")),
        (
            "F64",
            "I64",
            "f64_to_i64",
            "9223372036854775808.0",
            none.clone(),
        ),
        ("F64", "I64", "f64_to_i64", "\"NaN\"", none.clone()),
        (
            "F64",
            "U64",
            "f64_to_u64",
            "18446744073709549568.0",
            some("18446744073709549568"),
        ),
        ("F64", "U64", "f64_to_u64", "1e300", none),
    ];
    for (from, to, name, argument, expected) in cases {
        call(
            &format!("(x : {from}) -> Option {to}"),
            &format!("x = {name} x"),
            &[argument],
            &expected,
        );
    }
}

#[test]
fn lists() {
    let nth = (
        "(xs : List I64) -> (i : I64) -> panic I64",
        "xs i = list_nth xs i",
    );
    call(nth.0, nth.1, &["[5,6]", "1"], "6");
    fails(nth.0, nth.1, &["[5,6]", "2"], "index-out-of-bounds");
    fails(nth.0, nth.1, &["[5,6]", "-1"], "index-out-of-bounds");
    let part = (
        "(xs : List I64) -> (i : I64) -> List (List I64)",
        "xs i = list_append (list_append list_empty (list_take xs i)) (list_drop xs i)",
    );
    call(part.0, part.1, &["[1,2,3]", "2"], "[[1,2],[3]]");
    call(part.0, part.1, &["[1,2,3]", "-5"], "[[],[1,2,3]]");
    call(part.0, part.1, &["[1,2,3]", "9"], "[[1,2,3],[]]");
    call(
        "(xs : List I64) -> List I64",
        "xs = list_concat xs (list_append xs (list_len xs))",
        &["[1,2]"],
        "[1,2,1,2,2]",
    );
}

#[test]
fn maps() {
    let ty = "(m : Map Utf8 I64) -> (k : Utf8)";
    let m = r#"[{"key":"b","value":2},{"key":"a","value":1}]"#;
    call(
        &format!("{ty} -> Option I64"),
        "m k = map_get m k",
        &[m, "\"b\""],
        r#"{"tag":"Some","value":2}"#,
    );
    call(
        &format!("{ty} -> Option I64"),
        "m k = map_get m k",
        &[m, "\"c\""],
        r#"{"tag":"None"}"#,
    );
    call(
        &format!("{ty} -> List Utf8"),
        "m k = map_keys (map_insert m k 3)",
        &[m, "\"aa\""],
        r#"["a","aa","b"]"#,
    );
    call(
        &format!("{ty} -> List I64"),
        "m k = map_values (map_insert m k 3)",
        &[m, "\"a\""],
        "[3,2]",
    );
    call(
        &format!("{ty} -> List I64"),
        "m k = list_append (list_append list_empty (map_len (map_remove m k))) (map_len m)",
        &[m, "\"a\""],
        "[1,2]",
    );
    call(
        "(k : Unit) -> I64",
        "k = map_len (map_insert (map_insert map_empty k 1) k 2)",
        &["null"],
        "1",
    );
}

#[test]
fn operations_of_types() {
    call(
        "(x : List F64) -> Utf8",
        "x = List::show x",
        &["[0.1,1e16]"],
        "\"[0.1,1e16]\"",
    );
    call(
        "(x : Utf8) -> U64",
        "x = Utf8::hash x",
        &["\"\""],
        &crate::values::hash_text("\"\"").to_string(),
    );
    call(
        "(x : Shape) -> (y : Shape) -> I64",
        "x y = Shape::compare x y",
        &[r#"{"tag":"Circle","value":1}"#, r#"{"tag":"Dot"}"#],
        "1",
    );
    call(
        "(x : Point) -> Bool",
        "x = Point::eq x x",
        &[r#"{"x":1,"y":2}"#],
        "true",
    );
    call(
        "(x : I64) -> panic I64",
        "x = I64::mod (I64::neg x) 5",
        &["7"],
        "3",
    );
    fails(
        "(x : U8) -> panic U8",
        "x = U8::add x 1",
        &["255"],
        "overflow",
    );
    call(
        "(x : BigInt) -> BigInt",
        "x = BigInt::mul x (BigInt::neg x)",
        &["4"],
        "-16",
    );
}

#[test]
fn fakes() {
    let clock = "f : (c : I64) -> io I64\nf c = clock_now (fake_clock c)\n";
    gives(&[clock], &["42"], "42");
    let rand = "f : (seed : U64) -> io (List U64)\nf seed =\n  let r = fake_rand seed in\n  list_append (list_append list_empty (rand_u64 r)) (rand_u64 r)\n";
    gives(
        &[rand],
        &["1234567"],
        "[6457827717110365317,3203168211198807973]",
    );
    let files = "f : (m : Map Utf8 Utf8) -> (p : Utf8) -> io (Result Bytes FsError)\nf m p = fs_read_bytes (fake_fs m) p\n";
    let m = r#"[{"key":"a.txt","value":"hi"}]"#;
    gives(
        &[files],
        &[m, "\"a.txt\""],
        r#"{"tag":"Ok","value":"aGk="}"#,
    );
    gives(
        &[files],
        &[m, "\"b\""],
        r#"{"tag":"Err","value":{"tag":"NotFound","value":{"path":"b"}}}"#,
    );
    let same = "f : (c : I64) -> Bool\nf c =\n  let a = fake_clock c in\n  Clock::eq a a and not Clock::eq a (fake_clock c)\n";
    gives(&[same], &["1"], "true");
    let shown = "f : (c : I64) -> Utf8\nf c = Clock::show (fake_clock c)\n";
    gives(&[shown], &["1"], r#""\"<handle>\"""#);
}
