use serde_json::{Value, json};

use super::fixture::{MemoryFiles, blob, run};
use crate::snapshot::change::ChangeSet;

fn codes(files: &MemoryFiles, ops: &Value) -> Vec<String> {
    let reports = run(files, ops).unwrap_err();
    reports
        .iter()
        .map(|report| report.failure.code().to_owned())
        .collect()
}

fn paths(set: &ChangeSet) -> Vec<(&str, bool, bool)> {
    let side = |change: &'_ crate::snapshot::change::Change| {
        (change.before.is_some(), change.after.is_some())
    };
    set.changes()
        .iter()
        .map(|change| (change.path.as_str(), side(change).0, side(change).1))
        .collect()
}

#[test]
fn the_published_vectors_hold() {
    let files = MemoryFiles::new(&[("README.md", "hello\n")]);
    let ops = json!([{ "op": "replace-text", "path": "README.md", "find": "hello", "replace": "goodbye" }]);
    let outcome = run(&files, &ops).unwrap();
    assert_eq!(
        outcome.patch.to_string(),
        "5d375100fb9e8df64d0777c5628cdb72150424a9dfa8f675c596cdc93e298205"
    );
    assert_eq!(
        outcome.op_identities[0].to_string(),
        "ea581924be7bca8cfb8cddca68f1cd976f1c9d2b2582fa49a8e35ec2250a80f4"
    );
    assert_eq!(
        outcome.change_set.identity().to_string(),
        "5de5babc13a6480c12b32c0472aeedf85723caffd9ecc8744b2f2777b91b06a9"
    );
}

#[test]
fn whole_files_are_made_replaced_moved_and_removed() {
    let files = MemoryFiles::new(&[
        ("a", "one\n"),
        ("b*", "two\n"),
        ("d/x", "x\n"),
        ("l", "-> a"),
    ]);
    let cases = [
        (
            json!([{ "op": "create-file", "path": "n/m", "content": { "text": "x" } }]),
            vec![("n/m", false, true)],
        ),
        (
            json!([{ "op": "create-file", "path": "n", "content": { "base64": "/w==" }, "executable": true }]),
            vec![("n", false, true)],
        ),
        (
            json!([{ "op": "create-file", "path": "n/k", "content": { "link": "../a" } }]),
            vec![("n/k", false, true)],
        ),
        (
            json!([{ "op": "replace-file", "path": "a", "content": { "text": "1" }, "pre": blob("one\n") }]),
            vec![("a", true, true)],
        ),
        (
            json!([{ "op": "delete-file", "path": "a", "pre": blob("one\n") }]),
            vec![("a", true, false)],
        ),
        (
            json!([{ "op": "delete-file", "path": "l", "pre": blob("a") }]),
            vec![("l", true, false)],
        ),
        (
            json!([{ "op": "move-file", "path": "b", "to": "c", "pre": blob("two\n") }]),
            vec![("b", true, false), ("c", false, true)],
        ),
        (
            json!([{ "op": "set-executable", "path": "a", "executable": true }]),
            vec![("a", true, true)],
        ),
        (
            json!([{ "op": "delete-file", "path": "d/x", "pre": blob("x\n") }, { "op": "create-file", "path": "d", "content": { "text": "" } }]),
            vec![("d", false, true), ("d/x", true, false)],
        ),
        (
            json!([{ "op": "move-file", "path": "d/x", "to": "d", "pre": blob("x\n") }]),
            vec![("d", false, true), ("d/x", true, false)],
        ),
        (
            json!([{ "op": "move-file", "path": "a", "to": "c", "pre": blob("one\n") }, { "op": "replace-text", "path": "c", "find": "one", "replace": "1" }]),
            vec![("a", true, false), ("c", false, true)],
        ),
        (
            json!([{ "op": "delete-file", "path": "a", "pre": "sha256:2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806" }]),
            vec![("a", true, false)],
        ),
    ];
    for (ops, expected) in cases {
        let outcome = run(&files, &ops).unwrap_or_else(|reports| panic!("{ops}: {reports:?}"));
        assert_eq!(paths(&outcome.change_set), expected, "{ops}");
    }
    let moved = run(
        &files,
        &json!([{ "op": "move-file", "path": "b", "to": "c", "pre": blob("two\n") }]),
    )
    .unwrap();
    assert!(moved.changes[1].change.after.unwrap().is_executable());
}

#[test]
fn path_states_are_checked_before_any_op_runs() {
    let files = MemoryFiles::new(&[
        ("a", "one\n"),
        ("d/x", "x\n"),
        ("l", "-> a"),
        ("m", "-> d"),
        ("out", "-> ../b"),
    ]);
    let text = json!({ "text": "x" });
    let cases = [
        (
            json!([{ "op": "create-file", "path": "a", "content": text }]),
            vec!["patch/path-state-conflict"],
        ),
        (
            json!([{ "op": "create-file", "path": "d", "content": text }]),
            vec!["patch/path-state-conflict"],
        ),
        (
            json!([{ "op": "create-file", "path": "a/b", "content": text }]),
            vec!["patch/path-state-conflict"],
        ),
        (
            json!([{ "op": "create-file", "path": "l", "content": text }]),
            vec!["patch/path-state-conflict"],
        ),
        (
            json!([{ "op": "create-file", "path": "m/y", "content": text }]),
            vec!["patch/path-symlink"],
        ),
        (
            json!([{ "op": "replace-text", "path": "m/x", "find": "x", "replace": "y" }]),
            vec!["patch/path-symlink"],
        ),
        (
            json!([{ "op": "replace-text", "path": "l", "find": "x", "replace": "y" }]),
            vec!["patch/path-symlink"],
        ),
        (
            json!([{ "op": "replace-text", "path": "out", "find": "x", "replace": "y" }]),
            vec!["patch/path-symlink"],
        ),
        (
            json!([{ "op": "delete-file", "path": "none", "pre": blob("") }, { "op": "replace-text", "path": "d/x", "find": "q", "replace": "y" }]),
            vec!["patch/path-state-conflict", "patch/text-not-found"],
        ),
        (
            json!([{ "op": "move-file", "path": "a", "to": "d/x", "pre": blob("one\n") }, { "op": "replace-text", "path": "a", "find": "q", "replace": "y" }]),
            vec!["patch/path-state-conflict"],
        ),
        (
            json!([{ "op": "create-file", "path": ".git/config", "content": text }]),
            vec!["patch/path"],
        ),
        (
            json!([{ "op": "create-file", "path": "../x", "content": text }]),
            vec!["patch/path"],
        ),
        (
            json!([{ "op": "create-file", "path": "k", "content": { "link": "../x" } }]),
            vec!["patch/path"],
        ),
        (
            json!([{ "op": "replace-file", "path": "a", "content": text, "pre": blob("two\n") }]),
            vec!["patch/pre-image-mismatch"],
        ),
        (
            json!([{ "op": "delete-file", "path": "a", "pre": blob("") }]),
            vec!["patch/pre-image-mismatch"],
        ),
        (
            json!([{ "op": "set-executable", "path": "a", "executable": false }]),
            vec!["patch/no-effect"],
        ),
        (
            json!([{ "op": "replace-text", "path": "a", "find": "one", "replace": "one" }]),
            vec!["patch/no-effect"],
        ),
    ];
    for (ops, expected) in cases {
        assert_eq!(codes(&files, &ops), expected, "{ops}");
    }
    let reports = run(
        &files,
        &json!([{ "op": "replace-text", "path": "m/x", "find": "x", "replace": "y" }]),
    )
    .unwrap_err();
    let report = reports[0].to_value();
    assert_eq!(
        (&report["link"], &report["resolved"]),
        (&json!("m"), &json!("d/x"))
    );
}

#[test]
fn a_document_is_read_strictly() {
    let files = MemoryFiles::new(&[("a", "one\n")]);
    let cases = [
        (json!([]), "/ops"),
        (json!([{ "op": "grow", "path": "a" }]), "/ops/0/op"),
        (json!([{ "op": "delete-file", "path": "a" }]), "/ops/0/pre"),
        (
            json!([{ "op": "delete-file", "path": "a", "pre": "blob:12" }]),
            "/ops/0/pre",
        ),
        (
            json!([{ "op": "replace-text", "path": "a", "find": "", "replace": "" }]),
            "/ops/0/find",
        ),
        (
            json!([{ "op": "replace-text", "path": "a", "find": "x" }]),
            "/ops/0/replace",
        ),
        (
            json!([{ "op": "replace-text", "path": "a", "find": "x", "replace": "", "fuzz": 1 }]),
            "/ops/0/fuzz",
        ),
        (
            json!([{ "op": "replace-text", "path": "a", "find": "x", "replace": "", "match": "loose" }]),
            "/ops/0/match",
        ),
        (
            json!([{ "op": "replace-text", "path": "a", "find": "x", "replace": "", "occurrence": { "index": 3, "of": 2 } }]),
            "/ops/0/occurrence/index",
        ),
        (
            json!([{ "op": "replace-range", "path": "a", "start_line": 3, "end_line": 1, "text": "", "old": "x" }]),
            "/ops/0/end_line",
        ),
        (
            json!([{ "op": "create-file", "path": "b", "content": { "text": "", "base64": "" } }]),
            "/ops/0/content",
        ),
        (
            json!([{ "op": "set-key", "path": "a", "pointer": "x", "value": 1 }]),
            "/ops/0/pointer",
        ),
    ];
    for (ops, pointer) in cases {
        let report = run(&files, &ops).unwrap_err()[0].to_value();
        assert_eq!(
            (&report["code"], &report["pointer"]),
            (&json!("patch/schema"), &json!(pointer)),
            "{ops}"
        );
    }
    let long = json!([{ "op": "replace-text", "path": "a", "find": "x".repeat(4 * 1024 * 1024 + 1), "replace": "" }]);
    assert_eq!(
        run(&files, &long).unwrap_err()[0].to_value()["code"],
        json!("patch/limit")
    );
}
