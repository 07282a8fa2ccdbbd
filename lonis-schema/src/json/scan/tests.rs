//! What is read and what is refused, with offsets; and that cuts change nothing.

use super::*;

fn scan_whole(text: &[u8]) -> Result<usize, JsonError> {
    Scanner::new().finish(text)
}

/// Feeds a text one character more at a time.
fn scan_by_character(text: &str) -> Result<usize, JsonError> {
    let mut scanner = Scanner::new();
    for (end, _) in text.char_indices() {
        if let Scan::Complete { end } = scanner.scan(&text.as_bytes()[..end])? {
            return Ok(end);
        }
    }
    scanner.finish(text.as_bytes())
}

fn check_accepted(text: &str) {
    assert_eq!(
        scan_whole(text.as_bytes()),
        Ok(text.trim_end().len()),
        "{text}"
    );
    assert_eq!(
        scan_by_character(text),
        Ok(text.trim_end().len()),
        "{text} by character"
    );
}

fn check_refused(text: &str, offset: usize, message: &str) {
    let error = scan_whole(text.as_bytes()).expect_err(text);
    assert_eq!(
        error.to_string(),
        format!("{message} at byte {offset}"),
        "{text}"
    );
    assert_eq!(error.offset(), offset, "{text}");
    assert_eq!(scan_by_character(text), Err(error), "{text} by character");
}

#[test]
fn accepted_values() {
    let deepest = format!("{}{}", "[".repeat(127), "]".repeat(127));
    let deepest_object = format!("{}1{}", "{\"a\":".repeat(127), "}".repeat(127));
    let cases = [
        "null",
        "true",
        " false",
        "0",
        "-0",
        "-0.0e-0",
        "12.5E+3",
        "1e308",
        "1e-400",
        "\"\"",
        "\"plain text that is longer than a word\"",
        r#""\"\\\/\b\f\n\r\t""#,
        r#""\u0041\u00e9\ud83d\ude00\uDBFF\uDFFF""#,
        "\"é😀\u{7f}\u{feff}\"",
        "[]",
        "[ ]",
        "{}",
        "[1,\t2 ,\r\n3]",
        r#"{ "a" : { "a" : [ { "a" : 1 } ] } , "b" : "" }"#,
        r#"[{"a":1},{"a":2}]"#,
        r#"{"":0," ":1}"#,
        &deepest,
        &deepest_object,
    ];
    for text in cases {
        check_accepted(text);
    }
}

#[test]
fn the_value_ends_where_it_ends() {
    for (text, end) in [
        ("{}{}", 2),
        ("1 2", 1),
        ("\"a\"b", 3),
        ("nullnull", 4),
        ("[1]]", 3),
        ("1,", 1),
        ("0123", 1),
    ] {
        assert_eq!(
            Scanner::new().scan(text.as_bytes()),
            Ok(Scan::Complete { end }),
            "{text}"
        );
    }
}

#[test]
fn whitespace_counts_inside_the_value_alone() {
    for (text, expected) in [
        (" {} ", false),
        ("{ }", true),
        ("[1, 2]", true),
        ("\" a \"", false),
        ("[\" \"]", false),
    ] {
        let mut scanner = Scanner::new();
        scanner.finish(text.as_bytes()).unwrap();
        assert_eq!(scanner.has_whitespace(), expected, "{text}");
    }
}

#[test]
fn refused_grammar() {
    let cases = [
        ("", 0, "expected a value, found the end"),
        ("  ", 2, "expected a value, found the end"),
        ("x", 0, "expected a value, found `x`"),
        ("é", 0, "expected a value, found `é`"),
        ("\u{feff}1", 0, "expected a value, found a byte order mark"),
        (
            "tru",
            3,
            "expected `true`, `false` or `null`, found the end",
        ),
        ("trUe", 2, "expected `true`, `false` or `null`, found `U`"),
        ("nul]", 3, "expected `true`, `false` or `null`, found `]`"),
        ("[1", 2, "expected `,` or `]`, found the end"),
        ("[1}", 2, "expected `,` or `]`, found `}`"),
        ("[,1]", 1, "expected a value or `]`, found `,`"),
        ("[1,]", 3, "expected a value, found `]`"),
        ("[1 2]", 3, "expected `,` or `]`, found `2`"),
        ("{1:2}", 1, "expected a key or `}`, found `1`"),
        ("{\"a\"}", 4, "expected `:`, found `}`"),
        ("{\"a\":}", 5, "expected a value, found `}`"),
        ("{\"a\":1,}", 7, "expected a key, found `}`"),
        ("{\"a\":1]", 6, "expected `,` or `}`, found `]`"),
        ("{\"a\" 1}", 5, "expected `:`, found `1`"),
        ("[01]", 2, "expected `,` or `]`, found `1`"),
        ("[+1]", 1, "expected a value or `]`, found `+`"),
        ("[-]", 2, "expected a digit, found `]`"),
        ("[1.]", 3, "expected a digit, found `]`"),
        ("[1e]", 3, "expected a digit, found `]`"),
        ("[1e+]", 4, "expected a digit, found `]`"),
        ("[.5]", 1, "expected a value or `]`, found `.`"),
        ("-", 1, "expected a digit, found the end"),
        ("1.5e", 4, "expected a digit, found the end"),
        ("[1\n\u{c}]", 3, "expected `,` or `]`, found `\\u{c}`"),
        ("/**/1", 0, "expected a value, found `/`"),
    ];
    for (text, offset, message) in cases {
        check_refused(text, offset, message);
    }
}

#[test]
fn refused_strings() {
    let cases = [
        ("\"a", 2, "expected the end of a string, found the end"),
        ("\"a\\", 3, "expected the end of a string, found the end"),
        ("\"\\u12", 5, "expected the end of a string, found the end"),
        (
            "\"\\ud83d\\ude",
            11,
            "expected the end of a string, found the end",
        ),
        ("\"\\x41\"", 2, "expected an escape, found `x`"),
        ("\"\\u12g4\"", 5, "expected a hexadecimal digit, found `g`"),
        (
            "\"a\nb\"",
            2,
            "control character U+000A in a string without an escape",
        ),
        (
            "\"12345678\u{0}\"",
            9,
            "control character U+0000 in a string without an escape",
        ),
        (
            "\"\u{1f}\"",
            1,
            "control character U+001F in a string without an escape",
        ),
        ("\"a\\ud83d\"", 2, "lone surrogate `\\ud83d`"),
        ("\"\\ud83dx\"", 1, "lone surrogate `\\ud83d`"),
        ("\"\\ud83d\\n\"", 1, "lone surrogate `\\ud83d`"),
        ("\"\\ud83d\\u0041\"", 1, "lone surrogate `\\ud83d`"),
        ("\"\\ud83d\\ud83d\"", 1, "lone surrogate `\\ud83d`"),
        ("\"\\ude00\\ud83d\"", 1, "lone surrogate `\\ude00`"),
        ("{\"\\udfff\":1}", 2, "lone surrogate `\\udfff`"),
    ];
    for (text, offset, message) in cases {
        check_refused(text, offset, message);
    }
}

#[test]
fn refused_numbers() {
    let limit = "is beyond the largest double, 1.7976931348623157e308";
    check_refused("1e400", 0, &format!("`1e400` {limit}"));
    check_refused("[0,-1e400]", 3, &format!("`-1e400` {limit}"));
    let long = "9".repeat(309);
    check_refused(
        &format!("[{long}]"),
        1,
        &format!("`{}…` {limit}", &long[..48]),
    );
    check_accepted(&long[..308]);
}

#[test]
fn refused_depth() {
    for open in ["[", "{\"a\":"] {
        let text = open.repeat(128);
        check_refused(
            &text,
            127 * open.len(),
            "nested deeper than the limit of 127 levels",
        );
        let text = open.repeat(100_000);
        check_refused(
            &text,
            127 * open.len(),
            "nested deeper than the limit of 127 levels",
        );
    }
}

#[test]
fn refused_duplicate_keys() {
    let cases = [
        (r#"{"a":1,"a":2}"#, 7, "a"),
        (r#"{"a":1,"\u0061":2}"#, 7, "a"),
        (r#"{"\u0061":1,"a":2}"#, 12, "a"),
        (r#"{"\u0061":1,"\u0061":2}"#, 12, "a"),
        (r#"{"😀":1,"\ud83d\ude00":2}"#, 10, "😀"),
        (r#"[{"b":{"c":0,"d":{"e":[{"f":1,"f":1}]}}}]"#, 30, "f"),
        (r#"{"a":{"b":1},"a":2}"#, 13, "a"),
        (r#"{"a":{"\n":1},"\n":0,"a":2}"#, 21, "a"),
        (r#"{"":1,"":2}"#, 6, ""),
        (r#"{"a\n":1,"a\u000a":2}"#, 9, "a\\n"),
    ];
    for (text, offset, key) in cases {
        check_refused(text, offset, &format!("duplicate key `{key}`"));
    }
    let long = "k".repeat(100);
    check_refused(
        &format!("{{\"{long}\":1,\"{long}\":2}}"),
        106,
        &format!("duplicate key `{}…`", &long[..64]),
    );
}

#[test]
fn duplicate_keys_are_found_in_large_objects() {
    for count in [23, 63, 64, 65, 66, 1_000] {
        let mut members: Vec<String> = (0..count)
            .map(|index| format!("\"key{index}\":{{\"key0\":[]}}"))
            .collect();
        check_accepted(&format!("{{{}}}", members.join(",")));
        for repeated in [0, 7, count - 1] {
            members.push(format!("\"\\u006bey{repeated}\":0"));
            let text = format!("{{{}}}", members.join(","));
            let offset = text.rfind("\"\\u006b").unwrap();
            check_refused(&text, offset, &format!("duplicate key `key{repeated}`"));
            members.pop();
        }
    }
}

#[test]
fn a_scanner_is_used_again() {
    let mut scanner = Scanner::new();
    for text in [r#"{"a":[ "#, r#"{"a":1,"a":2}"#, r#"{"\u0061":{"#] {
        let _ended_or_not = scanner.scan(text.as_bytes());
        scanner.reset();
        assert_eq!(scanner.finish(br#"{"a":1}"#), Ok(7));
        assert!(!scanner.has_whitespace());
        scanner.reset();
    }
}

#[test]
fn unescaping_gives_the_characters() {
    let cases = [
        ("", ""),
        ("plain", "plain"),
        (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
        (r"before\u0041after", "beforeAafter"),
        (r"\ud83d\ude00", "😀"),
        (r"é\u00e9", "éé"),
    ];
    for (inside, expected) in cases {
        assert_eq!(unescape(inside), expected, "{inside}");
    }
    for bad in [r"\ud83d", r"\u12", r"\", r"\x", "a\nb", "\""] {
        assert!(try_unescape(bad).is_err(), "{bad}");
    }
}
