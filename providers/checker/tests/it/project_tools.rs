//! The tools over projects, as a host calls them.

use serde_json::{Value, json};

use crate::job_root::checker;
use crate::program::{Run, examples};

/// Calls a tool in an empty folder.
fn call(tool: &str, input: &Value) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = checker(folder.path(), &["--mode", "ndjson", "call", tool]);
    Run::on(&mut command, input.to_string().as_bytes())
}

/// Calls a tool that answers, and gives its one block.
fn block(tool: &str, input: &Value) -> Value {
    let run = call(tool, input);
    let block: Value = serde_json::from_str(run.answer()).expect("one block");
    assert_eq!(block["payload"]["kind"], tool);
    assert_eq!(block["attribution"]["identity"], tool.replace('.', ":"));
    block
}

#[test]
fn check_gives_one_block_whatever_it_finds() {
    let root = examples();
    let root = root.canonicalize().expect("it is there");
    let input = json!({"root": root});
    let whole = block("checker.check", &input);
    let data = &whole["payload"]["data"];
    let keys: Vec<&String> = data.as_object().expect("an object").keys().collect();
    let expected = [
        "ok",
        "definitions",
        "checked",
        "errors",
        "warnings",
        "rendered",
    ];
    assert!(
        keys.len() == 6 && expected.iter().all(|key| data.get(key).is_some()),
        "{keys:?}"
    );
    assert_eq!(
        (&data["ok"], &data["definitions"], &data["checked"]),
        (&json!(false), &json!(10), &json!(10))
    );
    let provenance = &whole["provenance"];
    assert_eq!(
        provenance["replay"],
        json!({"replayable": true, "required_hashes": ["input_hash", "project_hash"]})
    );
    assert_eq!(provenance["project_hash"].as_str().map(str::len), Some(64));
    let one = block("checker.check", &json!({"root": root, "package": "stock"}));
    assert_eq!(one["payload"]["data"]["ok"], true);
    // The keys stand in the order of the document.
    let text = call("checker.check", &input).stdout;
    assert!(
        text.contains(r#""data":{"ok":false,"definitions":10,"checked":10,"errors":[{"code":"#),
        "{text}"
    );
}

#[test]
fn a_check_carries_what_people_see_of_it() {
    let root = examples();
    let root = root.canonicalize().expect("it is there");
    let rejected = block(
        "checker.check",
        &json!({"root": root, "package": "rejected"}),
    );
    let text = rejected["payload"]["data"]["rendered"]
        .as_str()
        .expect("a text");
    let start = "1 of 1 definition checked, not fine\n\nerror[non-exhaustive-match]: ";
    assert!(text.starts_with(start), "{text}");
    assert!(text.ends_with("\n\n1 error\n"), "{text}");
    let fine = block("checker.check", &json!({"root": root, "package": "stock"}));
    let text = &fine["payload"]["data"]["rendered"];
    assert_eq!(text, "3 of 3 definitions checked, fine\n");
}

#[test]
fn definitions_are_located_byte_for_byte() {
    let soil = "f : I64\nf = 1\n\n  -- words\nbroken : \ng : I64\ng = 2\n";
    let cases = [
        (
            "m/f.soil",
            "f : I64\nf = 1\n".to_owned(),
            json!([{"path": ["f"], "kind": "function", "start": 0, "end": 13}]),
        ),
        (
            "_private.soil",
            "_f : I64\n_f = 1\n\n_g : I64\n_g = 2".to_owned(),
            json!([
            {"path": ["_f"], "kind": "private", "start": 0, "end": 15},
            {"path": ["_g"], "kind": "private", "start": 17, "end": 32}]),
        ),
        (
            "f.tr",
            "---\nname: f\n---\n\n```soil-sig\nf : I64\n```\n\nÄ\n\n```test a\n() => 1\n```\n"
                .to_owned(),
            json!([
            {"path": ["soil-sig"], "kind": "soil-sig", "start": 17, "end": 41},
            {"path": ["test", "a"], "kind": "test", "start": 46, "end": 68}]),
        ),
        ("f.tr", "no frontmatter".to_owned(), json!([])),
    ];
    for (path, text, expected) in cases {
        let found = block("checker.definitions", &json!({"text": text, "path": path}));
        assert_eq!(
            found["payload"]["data"],
            json!({"definitions": expected}),
            "{path}"
        );
    }
    let found = block(
        "checker.definitions",
        &json!({"text": soil, "path": "f.soil"}),
    );
    assert_eq!(
        found["payload"]["data"]["definitions"][0]["path"],
        json!(["f"])
    );
}

#[test]
fn search_finds_by_type() {
    let root = examples();
    let root = root.canonicalize().expect("it is there");
    let found = block(
        "checker.search",
        &json!({"root": root, "type": "U64 -> U64 -> U64"}),
    );
    let matches = found["payload"]["data"]["matches"]
        .as_array()
        .expect("a list");
    assert_eq!(
        matches[0],
        json!({"name": "remove_units", "module": "stock", "type": "(have : U64) -> (take : U64) -> U64", "how": "exact"})
    );
    let one = block(
        "checker.search",
        &json!({"root": root, "type": "F64 -> F64", "limit": 1}),
    );
    assert_eq!(
        one["payload"]["data"]["matches"].as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn refusals_are_errors_with_a_document() {
    let root = examples();
    let root = root.canonicalize().expect("it is there");
    let cases = [
        ("checker.check", json!({"root": "."}), "checker/usage", 2),
        (
            "checker.check",
            json!({"root": "/no/such/folder"}),
            "checker/config-no-root",
            1,
        ),
        (
            "checker.check",
            json!({"root": root, "package": "nothing"}),
            "checker/usage",
            2,
        ),
        (
            "checker.definitions",
            json!({"text": "", "path": "a.rs"}),
            "checker/usage",
            2,
        ),
        (
            "checker.search",
            json!({"root": root, "type": "F64 ->"}),
            "checker/usage",
            2,
        ),
        ("checker.search", json!({"root": root}), "invalid_input", 2),
    ];
    for (tool, input, kind, code) in cases {
        let run = call(tool, &input);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (code, ""),
            "{tool} {input}: {run:?}"
        );
        let error: Value = serde_json::from_str(&run.stderr).expect("one error");
        assert_eq!(error["kind"], kind);
        if let Some(code) = kind.strip_prefix("checker/") {
            assert_eq!(error["details"]["errors"][0]["code"], code);
        }
    }
}
