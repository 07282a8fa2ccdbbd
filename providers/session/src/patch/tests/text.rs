use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixture::{MemoryFiles, blob, check, on_file, run};
use crate::patch::steps;

fn text(find: &str, replace: &str) -> Value {
    json!({ "op": "replace-text", "find": find, "replace": replace })
}

#[test]
fn a_text_is_found_at_the_strictest_tier() {
    for (before, find, replace, expected) in [
        ("one\ntwo\n", "two", "2", Ok("one\n2\n")),
        (
            "a\r\nb\r\nc\r\n",
            "a\nb",
            "a\nx\nb",
            Ok("a\r\nx\r\nb\r\nc\r\n"),
        ),
        ("a\r\nb\nc\r\n", "b\nc", "b\nc\nd", Ok("a\r\nb\nc\nd\r\n")),
        ("a\rb\n", "a\rb", "c", Ok("c\n")),
        ("x  \ny\n", "x\ny", "x\nz", Ok("x  \nz\n")),
        (
            "    if a:\n        b\n",
            "if a:\n    b\n",
            "if a:\n    c\n",
            Ok("    if a:\n        c\n"),
        ),
        (
            "if a:\n    b\n",
            "  if a:\n      b",
            "  if a:\n      c",
            Ok("if a:\n    c\n"),
        ),
        (
            "\tif a\n\t\tb\n",
            "    if a\n        b",
            "    if a\n        c",
            Ok("\tif a\n\t\tc\n"),
        ),
        ("last", "last", "last\n", Err("patch/no-effect")),
        ("one\nlast", "last", "last\nmore\n", Ok("one\nlast\nmore")),
        ("one\nlast\n", "one\nlast\n", "one", Ok("one\n")),
        ("one\nlast", "last\n", "new\n", Ok("one\nnew")),
        ("a\na\n", "a", "b", Err("patch/text-ambiguous")),
        ("a\n", "b", "c", Err("patch/text-not-found")),
        (
            "  a\n   b\n",
            "a\nb\n",
            "c\nd\n",
            Err("patch/text-not-found"),
        ),
        ("\u{feff}a\nb\n", "a", "c", Ok("\u{feff}c\nb\n")),
    ] {
        check("f.txt", before, text(find, replace), expected);
    }
}

#[test]
fn an_occurrence_is_the_one_of_so_many() {
    for (index, of, expected) in [
        (1, 3, Ok("b a a")),
        (3, 3, Ok("a a b")),
        (1, 2, Err("patch/occurrence-count")),
    ] {
        let mut op = text("a", "b");
        op["occurrence"] = json!({ "index": index, "of": of });
        check("f.txt", "a a a", op, expected);
    }
    let mut exact = text("a\n", "b");
    exact["newline"] = json!("exact");
    check("f.txt", "a\n", exact.clone(), Ok("b"));
    check("f.txt", "a\r\n", exact, Err("patch/text-not-found"));
}

#[test]
fn bytes_that_are_no_text_are_refused_or_kept() {
    check("f", b"a\0b", text("a", "b"), Err("patch/not-text"));
    check("f", b"\xe9 a", text("\u{e9}", "b"), Err("patch/not-text"));
    let after = on_file(
        "f",
        b"\xe9t\xe9 = 1\n",
        &json!([{ "op": "replace-text", "path": "f", "find": "= 1", "replace": "= 2" }]),
    );
    assert_eq!(after.unwrap(), b"\xe9t\xe9 = 2\n");
    // The second byte of this character is a backslash.
    check(
        "f",
        b"\x95\\ a",
        text("\\", "/"),
        Err("patch/text-not-found"),
    );
}

#[test]
fn lines_are_named_as_they_were_before_the_patch() {
    let before = "1\n2\n3\n4\n";
    let range = |start: usize, end: usize, text: &str| json!({ "op": "replace-range", "path": "f", "start_line": start, "end_line": end, "text": text, "pre": blob(before) });
    for (ops, expected) in [
        (json!([range(2, 2, "two")]), Ok("1\ntwo\n3\n4\n")),
        (
            json!([range(1, 1, "a\nb"), range(3, 3, "three")]),
            Ok("a\nb\n2\nthree\n4\n"),
        ),
        (
            json!([range(3, 2, "mid"), range(4, 4, "")]),
            Ok("1\n2\nmid\n3\n"),
        ),
        (json!([range(5, 4, "end")]), Ok("1\n2\n3\n4\nend\n")),
        (
            json!([range(2, 3, "x"), range(3, 3, "y")]),
            Err("patch/range-invalid"),
        ),
        (json!([range(5, 5, "x")]), Err("patch/range-invalid")),
        (json!([range(7, 6, "x")]), Err("patch/range-invalid")),
    ] {
        let got = on_file("f", before, &ops)
            .map(|bytes| String::from_utf8(bytes).unwrap())
            .map_err(|codes| codes[0].clone());
        assert_eq!(got.as_deref().map_err(String::as_str), expected, "{ops}");
    }
    for (before, start, end, text, expected) in [
        ("a\r\nb\r\n", 2, 2, "c\nd", Ok("a\r\nc\r\nd\r\n")),
        ("a", 1, 1, "b", Ok("b")),
        ("a", 2, 1, "b", Ok("a\nb")),
        ("", 1, 0, "b", Ok("b\n")),
        ("a\nb", 2, 2, "c\nd", Ok("a\nc\nd")),
    ] {
        let op = json!({ "op": "replace-range", "start_line": start, "end_line": end, "text": text, "pre": blob(before) });
        check("f", before, op, expected);
    }
    let moved = json!([{ "op": "replace-range", "path": "f", "start_line": 1, "end_line": 1, "text": "x", "old": "3\n" }]);
    let reports = run(&MemoryFiles::new(&[("f", before)]), &moved).unwrap_err();
    let report = reports[0].to_value();
    assert_eq!(
        (&report["code"], &report["moved_to"]),
        (&json!("patch/pre-image-mismatch"), &json!(3))
    );
    let retry = json!([report["retry"]]);
    assert_eq!(on_file("f", before, &retry).unwrap(), b"1\n2\nx\n4\n");
}

#[test]
fn closest_names_the_line_that_differs() {
    let before = "fn a() {\n    one();\n    two();\n}\n\nfn b() {}\n";
    for (find, differs, line) in [
        ("    one( );\n    two();", "whitespace", 2),
        ("    ONE();\n    two();", "case", 2),
        ("    one();\n    three();", "content", 3),
        ("2: one();\n3: two();", "line-numbers", 2),
    ] {
        let ops =
            json!([{ "op": "replace-text", "path": "f.txt", "find": find, "replace": "new text" }]);
        let report = run(&MemoryFiles::new(&[("f.txt", before)]), &ops).unwrap_err()[0].to_value();
        assert_eq!(report["differs"], json!(differs), "{report}");
        assert_eq!(
            report["closest"]["first_difference"]["line"],
            json!(line),
            "{report}"
        );
    }
    let ops = json!([{ "op": "replace-text", "path": "f.txt", "find": "    old();", "replace": "    one();" }]);
    let report = run(&MemoryFiles::new(&[("f.txt", before)]), &ops).unwrap_err()[0].to_value();
    assert_eq!(report["already_present"], json!(true), "{report}");
}

#[test]
fn a_report_is_bounded_on_any_input() {
    for (before, find) in [
        ("x".repeat(4 << 20), "y".repeat(1 << 20)),
        ("a\n".repeat(100_000), "b".to_owned()),
        ("a\n".repeat(100_000), "a".to_owned()),
        ("(".repeat(10_000), "(x".to_owned()),
    ] {
        let ops = json!([{ "op": "replace-text", "path": "f.txt", "find": find, "replace": "z" }]);
        let report = run(&MemoryFiles::new(&[("f.txt", before)]), &ops).unwrap_err()[0].to_value();
        assert!(
            report.to_string().len() < 4096,
            "{}",
            report.to_string().len()
        );
    }
}

proptest! {
    #[test]
    fn a_retry_applies_at_the_place_it_was_given_for(lines in proptest::collection::vec("[ab]{1,2}", 2..12), find in "[ab]") {
        let before = lines.join("\n");
        let files = MemoryFiles::new(&[("f.txt", &before)]);
        let ops = json!([{ "op": "replace-text", "path": "f.txt", "find": find, "replace": "X" }]);
        if let Err(reports) = run(&files, &ops)
            && reports[0].failure.code() == "patch/text-ambiguous"
        {
            let report = reports[0].to_value();
            for place in report["matches"].as_array().unwrap() {
                let after = String::from_utf8(on_file("f.txt", &before, &json!([place["retry"]])).unwrap()).unwrap();
                let line = usize::try_from(place["line"].as_u64().unwrap()).unwrap() - 1;
                for (index, (old, new)) in before.split('\n').zip(after.split('\n')).enumerate() {
                    prop_assert_eq!(old != new, index == line);
                }
                prop_assert_eq!(after.matches('X').count(), 1);
            }
        }
    }

    #[test]
    fn bytes_outside_of_the_edit_stay(
        head in proptest::collection::vec(proptest::sample::select(vec!["a", "b", "\r\n", "\n", "\r", "\t"]), 0..20),
        tail in proptest::collection::vec(proptest::sample::select(vec!["a", "b", "\r\n", "\n", "\r", " "]), 0..20),
    ) {
        let (head, tail) = (head.concat(), tail.concat());
        let before = format!("{head}MARK{tail}");
        let after = on_file("f.txt", &before, &json!([{ "op": "replace-text", "path": "f.txt", "find": "MARK", "replace": "new" }]));
        prop_assert_eq!(String::from_utf8(after.unwrap()).unwrap(), format!("{head}new{tail}"));
    }
}

#[test]
fn a_text_that_adds_syntax_errors_is_warned_of() {
    let rust = "fn one() {}\n\nfn two() {}\n\nfn three() {}\n\nfn four() {}\n";
    let broken = "fn one() {\n\nfn two() {}\n\nfn three() {}\n\nfn four() {}\n";
    for (name, before, find, replace, expected) in [
        ("a.rs", rust, "two() {}", "two() { call() }", None),
        (
            "a.rs",
            rust,
            "two() {}",
            "two() {} }",
            Some("syntax errors at lines 3"),
        ),
        (
            "a.rs",
            rust,
            "two() {}",
            "two(",
            Some("syntax errors at lines"),
        ),
        ("a.txt", rust, "two() {}", "two(", None),
        ("a.rs", broken, "three() {}", "three() { call() }", None),
        ("a.rs", broken, "one() {\n", "one() {}\n", None),
    ] {
        let files = MemoryFiles::new(&[(name, before)]);
        let mut op = text(find, replace);
        op["path"] = json!(name);
        let outcome = run(&files, &json!([op])).unwrap();
        let warned: Vec<&str> = outcome
            .warnings
            .iter()
            .map(|warning| {
                assert_eq!(warning.name, "error-nodes");
                &*warning.detail
            })
            .collect();
        match expected {
            None => assert!(warned.is_empty(), "{replace}: {warned:?}"),
            Some(start) => assert!(
                warned.len() == 1 && warned[0].starts_with(start),
                "{replace}: {warned:?}"
            ),
        }
    }
}

#[test]
fn what_is_no_text_of_its_language_is_not_parsed_for_a_warning() {
    let edit = |text: &str, line: &str, count: usize| {
        let files = MemoryFiles::new(&[("a.rs", text)]);
        let op = json!({ "op": "replace-text", "path": "a.rs", "find": line, "replace": "let = (;\n",
            "occurrence": { "index": 1, "of": count } });
        let mut warned = false;
        let steps = steps::taken(|| {
            let outcome = run(&files, &json!([op])).unwrap();
            warned = !outcome.warnings.is_empty();
        });
        (warned, steps >= text.len())
    };
    let nonsense = "let (0x1 {\n".repeat(400);
    assert_eq!(edit(&nonsense, "let (0x1 {\n", 400), (false, false));
    let whole = format!("fn f() {{\n{}}}\n", "    g();\n".repeat(400));
    assert_eq!(edit(&whole, "    g();\n", 400), (true, true));
}
