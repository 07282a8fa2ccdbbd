//! The exact report of each code, at least three each: `LONIS_BLESS=1 cargo test` writes them, and they are reviewed.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::fixture::{MemoryFiles, blob, document, run, run_diff};
use crate::patch::document::Document;
use crate::patch::engine::{Rules, StageError, stage};
use crate::patch::failure::Failure;
use crate::path::WorkspacePath;

const EXPECTED: &str = include_str!("reports.ndjson");

const FILES: [(&str, &str); 15] = [
    ("a.txt", "one\ntwo\nthree\n"),
    ("twice.txt", "x = 1\ny = 2\nx = 1\n"),
    ("bin", "a\u{0}b"),
    ("d/x", "x\n"),
    ("l", "-> d/x"),
    ("m", "-> d"),
    ("out", "-> ../x"),
    ("v.json", "{\"a\": {\"b\": [1, 2]}, \"s\": \"t\"}\n"),
    ("v.toml", "a = 1\n[t]\nk = 'v'\n[b]\n[t.u]\nz = 1\n"),
    ("v.yaml", "a: &x 1\nb: *x\nc:\n  - d\n"),
    ("bad.json", "{\"a\" 1}\n"),
    (
        "f.py",
        "def one():\n    return 1\n\n\ndef two():\n    return one()\n",
    ),
    (
        "g.py",
        "def one(): pass\n\n\ndef one(): pass\n\n\nclass C:\n    def one(self): pass\n",
    ),
    ("broken.py", "def one():\n  x = (\n\n\ndef two(:\n  pass\n"),
    ("lonis-session.toml", "version = 1\n"),
];

type Case = (&'static str, Value);

fn text(path: &str, find: &str, replace: &str) -> Value {
    json!({"op": "replace-text", "path": path, "find": find, "replace": replace})
}

fn create(path: &str) -> Value {
    json!({"op": "create-file", "path": path, "content": {"text": "t"}})
}

fn delete(path: &str, pre: &str) -> Value {
    json!({"op": "delete-file", "path": path, "pre": blob(pre)})
}

fn set(path: &str, pointer: &str, value: impl Into<Value>) -> Value {
    json!({"op": "set-key", "path": path, "pointer": pointer, "value": value.into()})
}

fn remove(path: &str, pointer: &str) -> Value {
    json!({"op": "remove-key", "path": path, "pointer": pointer})
}

fn append(path: &str, pointer: &str) -> Value {
    json!({"op": "append-item", "path": path, "pointer": pointer, "value": 1})
}

fn range(start: usize, end: usize, text: &str) -> Value {
    json!({"op": "replace-range", "path": "a.txt", "start_line": start, "end_line": end, "text": text, "pre": blob("one\ntwo\nthree\n")})
}

fn gone(path: &str, names: &[&str]) -> Value {
    json!({"op": "delete-definition", "path": path, "target": {"path": names}})
}

fn replaced(path: &str, name: &str, text: &str) -> Value {
    json!({"op": "replace-definition", "path": path, "target": {"path": [name]}, "text": text})
}

fn renamed(path: &str, name: &str, to: &str) -> Value {
    json!({"op": "rename-definition", "path": path, "target": {"path": [name]}, "to": to})
}

fn occurrence(path: &str, find: &str, index: usize, of: usize) -> Value {
    json!({"op": "replace-text", "path": path, "find": find, "replace": "q", "occurrence": {"index": index, "of": of}})
}

fn of_documents_and_paths() -> Vec<Case> {
    vec![
        (
            "patch/schema",
            json!({"op": "replace-text", "path": "a.txt", "find": "one"}),
        ),
        ("patch/schema", json!({"op": "grow", "path": "a.txt"})),
        (
            "patch/schema",
            json!({"op": "replace-text", "path": "a.txt", "find": "one", "replace": "1", "fuzz": 2}),
        ),
        (
            "patch/limit",
            json!([text("a.txt", &"x".repeat(4 * 1024 * 1024 + 1), "")]),
        ),
        (
            "patch/limit",
            json!([text("a.txt", "one", &"x".repeat(4 * 1024 * 1024 + 1))]),
        ),
        ("patch/limit", json!(vec![create("n"); 4097])),
        ("patch/path", create("../n")),
        ("patch/path", create("n/.git/x")),
        (
            "patch/path",
            json!({"op": "create-file", "path": "n", "content": {"link": "/etc/passwd"}}),
        ),
        ("patch/path-symlink", text("l", "x", "y")),
        ("patch/path-symlink", text("m/x", "x", "y")),
        ("patch/path-symlink", text("out", "x", "y")),
        ("patch/path-state-conflict", create("a.txt")),
        ("patch/path-state-conflict", create("a.txt/b")),
        ("patch/path-state-conflict", delete("none", "")),
        ("patch/pre-image-mismatch", delete("a.txt", "")),
        (
            "patch/pre-image-mismatch",
            json!({"op": "replace-range", "path": "a.txt", "start_line": 1, "end_line": 1, "text": "1", "old": "three\n"}),
        ),
        (
            "patch/pre-image-mismatch",
            json!({"op": "set-key", "path": "v.json", "pointer": "/s", "value": 1, "old": "u"}),
        ),
        (
            "patch/pre-image-mismatch",
            json!({"op": "delete-definition", "path": "f.py", "target": {"path": ["one"], "old": "def one(): pass"}}),
        ),
        ("patch/text-not-found", text("a.txt", "four", "4")),
        (
            "patch/text-not-found",
            text("a.txt", "one\nTwo\n", "1\n2\n"),
        ),
        ("patch/text-not-found", text("a.txt", "zero", "three\n")),
        (
            "patch/text-not-found",
            json!({"op": "replace-text", "path": "f.py", "find": "return 9", "replace": "x", "within": {"path": ["two"]}}),
        ),
    ]
}

fn of_text() -> Vec<Case> {
    vec![
        ("patch/text-ambiguous", text("twice.txt", "x = 1", "x = 2")),
        ("patch/text-ambiguous", text("a.txt", "o", "0")),
        ("patch/text-ambiguous", text("g.py", "pass", "return")),
        (
            "patch/occurrence-count",
            occurrence("twice.txt", "x = 1", 1, 3),
        ),
        (
            "patch/occurrence-count",
            occurrence("twice.txt", "y = 2", 2, 2),
        ),
        (
            "patch/occurrence-count",
            occurrence("twice.txt", "z = 3", 1, 1),
        ),
        ("patch/range-invalid", range(4, 4, "x")),
        ("patch/range-invalid", range(9, 8, "x")),
        (
            "patch/range-invalid",
            json!([range(1, 2, "x"), range(2, 3, "y")]),
        ),
        ("patch/not-text", text("bin", "a", "b")),
        (
            "patch/not-text",
            json!({"op": "replace-range", "path": "bin", "start_line": 1, "end_line": 1, "text": "", "old": "a"}),
        ),
        ("patch/not-text", text("bin", "\u{fc}", "b")),
    ]
}

fn of_formats() -> Vec<Case> {
    vec![
        ("patch/format-parse", set("bad.json", "/a", 1)),
        (
            "patch/format-parse",
            json!({"op": "set-key", "path": "a.txt", "pointer": "/a", "value": 1, "format": "toml"}),
        ),
        (
            "patch/format-parse",
            json!({"op": "set-key", "path": "bad.json", "pointer": "/a", "value": 1, "format": "yaml"}),
        ),
        ("patch/format-unsupported", set("a.txt", "/a", 1)),
        ("patch/format-unsupported", set("v.yaml", "/a", 2)),
        ("patch/format-unsupported", remove("v.toml", "/t")),
        ("patch/format-unsupported", set("v.toml", "/a", Value::Null)),
        ("patch/pointer-missing", set("v.json", "/q/r", 1)),
        ("patch/pointer-missing", remove("v.yaml", "/c/1")),
        ("patch/pointer-missing", remove("v.toml", "/t/none")),
        ("patch/pointer-type", append("v.json", "/a")),
        ("patch/pointer-type", append("v.toml", "/a")),
        ("patch/pointer-type", set("v.json", "/s/x", 1)),
    ]
}

fn of_definitions() -> Vec<Case> {
    vec![
        ("patch/definition-missing", gone("f.py", &["on"])),
        ("patch/definition-missing", gone("f.py", &["C"])),
        ("patch/definition-missing", gone("g.py", &["C", "two"])),
        ("patch/definition-ambiguous", gone("g.py", &["one"])),
        (
            "patch/definition-ambiguous",
            replaced("g.py", "one", "def one(): return"),
        ),
        (
            "patch/definition-ambiguous",
            json!({"op": "delete-definition", "path": "g.py", "target": {"path": ["one"], "occurrence": {"index": 1, "of": 3}}}),
        ),
        ("patch/definition-unparsable", gone("broken.py", &["one"])),
        (
            "patch/definition-unparsable",
            replaced("broken.py", "one", "def one(): pass"),
        ),
        (
            "patch/definition-unparsable",
            json!({"op": "replace-text", "path": "broken.py", "find": "x", "replace": "y", "within": {"path": ["one"]}}),
        ),
        (
            "patch/syntax-regression",
            replaced("f.py", "one", "def one(:"),
        ),
        (
            "patch/syntax-regression",
            replaced("f.py", "one", "def other(): pass"),
        ),
        (
            "patch/syntax-regression",
            json!({"op": "insert-definition", "path": "f.py", "anchor": "last", "text": "# nothing"}),
        ),
        ("patch/language-unsupported", gone("a.txt", &["one"])),
        (
            "patch/language-unsupported",
            json!({"op": "delete-definition", "path": "f.py", "language": "cobol", "target": {"path": ["one"]}}),
        ),
        (
            "patch/language-unsupported",
            json!({"op": "replace-text", "path": "a.txt", "find": "one", "replace": "1", "within": {"path": ["one"]}}),
        ),
        ("patch/rename-conflict", renamed("f.py", "one", "two")),
        (
            "patch/rename-conflict",
            json!({"op": "rename-definition", "path": "f.py", "target": {"path": ["one"]}, "to": "uno", "also": ["g.py"]}),
        ),
        ("patch/rename-conflict", renamed("g.py", "C", "self")),
    ]
}

fn of_diffs_and_policies() -> Vec<Case> {
    vec![
        ("patch/diff-parse", json!("no diff\n")),
        (
            "patch/diff-parse",
            json!("diff --git a/x b/x\nGIT binary patch\n"),
        ),
        (
            "patch/diff-parse",
            json!("--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n one\n"),
        ),
        (
            "patch/diff-hunk-mismatch",
            json!("--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-uno\n+1\n"),
        ),
        (
            "patch/diff-hunk-mismatch",
            json!("--- twice.txt\n+++ twice.txt\n@@ -9 +9 @@\n-x = 1\n+x = 2\n"),
        ),
        (
            "patch/diff-hunk-mismatch",
            json!("--- a.txt\n+++ a.txt\n@@ -9,0 +9 @@\n+more\n"),
        ),
        ("patch/no-effect", text("a.txt", "one", "one")),
        (
            "patch/no-effect",
            json!({"op": "set-executable", "path": "a.txt", "executable": false}),
        ),
        (
            "patch/no-effect",
            json!([text("a.txt", "one", "1"), text("a.txt", "1", "one")]),
        ),
        ("policy/protected-path", delete("d/x", "x\n")),
        ("policy/protected-path", text("d/x", "x", "y")),
        (
            "policy/protected-path",
            json!({"op": "move-file", "path": "a.txt", "to": "d/z", "pre": blob("one\ntwo\nthree\n")}),
        ),
        (
            "policy/policy-file-edit",
            text("lonis-session.toml", "1", "2"),
        ),
        (
            "policy/policy-file-edit",
            delete("lonis-session.toml", "version = 1\n"),
        ),
        (
            "policy/policy-file-edit",
            set("lonis-session.toml", "/version", 2),
        ),
    ]
}

/// What is refused, by its code.
fn cases() -> Vec<Case> {
    let groups = [
        of_documents_and_paths(),
        of_text(),
        of_formats(),
        of_definitions(),
        of_diffs_and_policies(),
    ];
    groups.concat()
}

fn protects(path: &WorkspacePath) -> Option<Failure> {
    let path = path.as_str();
    match path {
        "lonis-session.toml" => Some(Failure::PolicyFileEdit {
            path: path.to_owned(),
        }),
        _ if path.starts_with("d/") => Some(Failure::ProtectedPath {
            path: path.to_owned(),
            glob: "d/**".to_owned(),
        }),
        _ => None,
    }
}

/// The first report of a case.
fn report(code: &str, ops: &Value) -> Value {
    let files = MemoryFiles::new(&FILES);
    let reports = match ops {
        Value::String(diff) => run_diff(&files, diff).unwrap_err(),
        _ if code.starts_with("policy/") => {
            let ops = if ops.is_array() {
                ops.clone()
            } else {
                json!([ops])
            };
            let document = Document::read(&document(&ops)).unwrap();
            let rules = Rules {
                protects: &protects,
                ..Rules::default()
            };
            match stage(&files, &rules, &document.ops).unwrap_err() {
                StageError::Refused { reports, .. } => reports,
                StageError::Files(error) => panic!("{error}"),
            }
        }
        Value::Array(_) => run(&files, ops).unwrap_err(),
        _ => run(&files, &json!([ops])).unwrap_err(),
    };
    reports[0].to_value()
}

#[test]
fn each_code_has_the_report_that_was_reviewed() {
    let mut written = String::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (code, ops) in cases() {
        let report = report(code, &ops);
        assert_eq!(report["code"], json!(code), "{report}");
        *counts.entry(code).or_default() += 1;
        written.push_str(&report.to_string());
        written.push('\n');
    }
    assert_eq!(counts.len(), 26);
    assert!(counts.values().all(|count| *count >= 3), "{counts:?}");
    if std::env::var_os("LONIS_BLESS").is_some() {
        let file =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/patch/tests/reports.ndjson");
        std::fs::write(file, &written).unwrap();
        return;
    }
    for (expected, got) in EXPECTED.lines().zip(written.lines()) {
        assert_eq!(
            got, expected,
            "`LONIS_BLESS=1 cargo test` writes the reports"
        );
    }
    assert_eq!(EXPECTED.lines().count(), written.lines().count());
}
