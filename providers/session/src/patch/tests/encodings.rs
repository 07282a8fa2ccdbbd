//! Bytes outside of an edit stay, whatever their encoding and their line ends.

use serde_json::{Value, json};

use super::fixture::{blob, on_file};

/// A word that is no ASCII in each of the encodings; the last is broken.
const WORDS: [(&str, &[u8]); 9] = [
    ("ascii", b"word"),
    ("utf-8", "gr\u{fc}n\u{20ac}".as_bytes()),
    ("latin-1", b"gr\xfcn"),
    ("windows-1251", b"\xe7\xe5\xeb"),
    ("shift-jis", b"\x97\xce\x83\x5c"),
    ("gb18030", b"\xc2\xcc\x81\x30\x81\x31"),
    ("euc-kr", b"\xb3\xec"),
    ("big5", b"\xba\xf1\xa5\x5c"),
    ("broken utf-8", b"\xc3\x28\xf0\x9f"),
];

const ENDS: [(&str, [&[u8]; 3]); 4] = [
    ("lf", [b"\n", b"\n", b"\n"]),
    ("crlf", [b"\r\n", b"\r\n", b"\r\n"]),
    ("mixed", [b"\n", b"\r\n", b"\n"]),
    ("lone cr", [b"\r\n", b"\r", b"\n"]),
];

/// A line, what stands around it, and what an op of each kind makes of it.
fn check(lead: &[u8], mark: &[u8], tail: &[u8], op: &Value, expected: &[u8], name: &str) {
    let before = [lead, mark, tail].concat();
    let mut op = op.clone();
    op["path"] = json!("f.txt");
    if op["op"] == "replace-range" {
        op["pre"] = json!(blob(&before));
    }
    let got =
        on_file("f.txt", &before, &json!([op])).unwrap_or_else(|codes| panic!("{name}: {codes:?}"));
    assert_eq!(got, [lead, expected, tail].concat(), "{name}");
}

#[test]
fn what_an_edit_does_not_name_keeps_its_bytes() {
    for (encoding, word) in WORDS {
        for (style, [first, second, last]) in ENDS {
            for has_mark in [false, true] {
                for has_end in [false, true] {
                    let name = format!("{encoding}, {style}, {has_mark}, {has_end}");
                    let bom: &[u8] = if has_mark && encoding != "broken utf-8" {
                        b"\xef\xbb\xbf"
                    } else {
                        b""
                    };
                    let lead = [bom, word, b" one ", first].concat();
                    let end: &[u8] = if has_end { last } else { b"" };
                    let tail = [second, b"\tlast ", word, b"  ", end].concat();
                    let text =
                        json!({"op": "replace-text", "find": "MARK = 1", "replace": "MARK = 22"});
                    check(&lead, b"MARK = 1", &tail, &text, b"MARK = 22", &name);
                    let exact = json!({"op": "replace-text", "find": "MARK = 1", "replace": "", "newline": "exact"});
                    check(&lead, b"MARK = 1", &tail, &exact, b"", &name);
                    // A lone CR is data, so that the line of the mark would take in the last one.
                    if style != "lone cr" {
                        let range = json!({"op": "replace-range", "start_line": 2, "end_line": 2, "text": "two\nlines"});
                        let expected = [b"two".as_slice(), second, b"lines"].concat();
                        check(&lead, b"MARK = 1", &tail, &range, &expected, &name);
                        let loose = json!({"op": "replace-text", "find": "  MARK = 1\n", "replace": "  MARK = 3\n"});
                        check(&lead, b"MARK = 1", &tail, &loose, b"MARK = 3", &name);
                    }
                }
            }
        }
    }
}

#[test]
fn half_a_character_is_no_match() {
    // The second byte of the first character is a backslash, that of ASCII is not.
    let before = b"\x83\x5c and \\ there\n";
    let op = json!([{"op": "replace-text", "path": "f", "find": "\\", "replace": "/"}]);
    assert_eq!(
        on_file("f", before, &op).unwrap(),
        b"\x83\x5c and / there\n"
    );
    let other = json!([{"op": "replace-text", "path": "f", "find": "and", "replace": "\u{fc}"}]);
    assert_eq!(
        on_file("f", before, &other).unwrap_err(),
        ["patch/not-text"]
    );
    let wide = b"\xff\xfea\0";
    let op = json!([{"op": "replace-text", "path": "f", "find": "a", "replace": "b"}]);
    assert_eq!(on_file("f", wide, &op).unwrap_err(), ["patch/not-text"]);
}
