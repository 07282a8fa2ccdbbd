//! Every command on the example project.

use std::fs;

use serde_json::Value;

use crate::program::{Project, Run, examples};

/// The bodies of the example project.
const BODIES: [&str; 10] = [
    "sensors/adjust_twice.soil",
    "sensors/clamp.soil",
    "sensors/classify.soil",
    "sensors/fahrenheit.soil",
    "sensors/is_fresh.soil",
    "sensors/status_text.soil",
    "stock/left_side.soil",
    "stock/remove_units.soil",
    "stock/total_units.soil",
    "rejected/level_rank.soil",
];

fn answer(words: &[&str]) -> String {
    Run::soil(&examples(), words).answer().to_owned()
}

fn document(words: &[&str]) -> Value {
    let text = answer(words);
    assert_eq!(text.matches('\n').count(), 1, "one line: {text}");
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn check_gives_the_document_of_the_project() {
    let expected = fs::read_to_string(examples().join("check.expected.json"));
    assert_eq!(
        answer(&["check", "program.json"]),
        expected.expect("it is there")
    );
}

#[test]
fn infer_judges_all_but_matches() {
    let checked = answer(&["check", "program.json"]);
    assert_eq!(answer(&["infer", "program.json"]), checked);
    let inferred = document(&["infer", "rejected.json"]);
    assert_eq!(inferred["defs"][0]["name"], "level_rank");
}

#[test]
fn what_is_rejected_is_so_at_its_place() {
    let run = Run::soil(&examples(), &["check", "rejected.json"]);
    assert_eq!(run.code, 1);
    assert_eq!(
        run.places(),
        ["non-exhaustive-match rejected/level_rank.soil 57..102"]
    );
    let errors = run.errors();
    assert_eq!(errors[0]["notes"][0]["message"], "High");
    assert_eq!(errors[0].get("edits"), None);
}

#[test]
fn rich_documents_say_more() {
    let run = Run::soil(&examples(), &["check", "rejected.json", "--rich"]);
    assert_eq!(run.code, 1);
    let errors = run.errors();
    assert_eq!(errors[0]["params"]["missing"][0], "| High -> ?high");
    assert_eq!(errors[0]["edits"][0]["kind"], "placeholder");
    assert_eq!(errors[0].get("repair_class"), None);
}

#[test]
fn print_returns_canonical_files_as_they_are() {
    for body in BODIES {
        let text = fs::read_to_string(examples().join(body)).expect("it is there");
        assert_eq!(answer(&["print", body]), text, "{body}");
    }
}

#[test]
fn print_gives_the_one_layout() {
    let project = Project::new(&[(
        "m/twice.soil",
        "twice:(n:I64)->I64 -- doubles\n\ntwice n=(((n+n)))",
    )]);
    let run = project.soil(&["print", "m/twice.soil"]);
    assert_eq!(run.answer(), "twice : (n : I64) -> I64\ntwice n = n + n\n");
}

#[test]
fn hash_gives_the_published_hashes() {
    let hashes = document(&["hash", "program.json"]);
    let readme = fs::read_to_string(examples().join("README.md")).expect("it is there");
    let mut found = 0;
    for definition in hashes["defs"].as_array().expect("a list") {
        let name = definition["name"].as_str().expect("a name");
        let line = readme
            .lines()
            .find(|line| line.contains(&format!("`{name}`")) && line.contains("edges"));
        let Some(line) = line else {
            continue;
        };
        found += 1;
        let hash = definition["soil_hash"].as_str().expect("a hash");
        assert!(line.contains(hash), "{name}: {hash}");
        assert_eq!(definition["calls"], serde_json::json!([]), "{name}");
    }
    assert_eq!(found, 4);
}

#[test]
fn hash_lists_the_calls() {
    let project = Project::new(&[
        ("m/one.soil", "one : I64\none = 1\n"),
        ("m/two.soil", "two : I64\ntwo = one\n"),
    ]);
    let run = project.soil(&["hash", "program.json"]);
    let document: Value = serde_json::from_str(run.answer()).expect("it is JSON");
    let defs = &document["defs"];
    assert_eq!(defs[1]["calls"][0]["name"], "one");
    assert_eq!(defs[1]["calls"][0]["hash"], defs[0]["soil_hash"]);
}

#[test]
fn lex_gives_tokens() {
    let project = Project::new(&[("f.soil", "f = ?x 1_0 \"a\\n\" _p")]);
    let run = project.soil(&["lex", "f.soil"]);
    let document: Value = serde_json::from_str(run.answer()).expect("it is JSON");
    let tokens = document["tokens"].as_array().expect("a list").iter();
    let items: Vec<String> = tokens.map(|token| token["item"].to_string()).collect();
    assert_eq!(
        items,
        [
            r#"{"tag":"TIdent","value":{"name":"f"}}"#,
            r#"{"tag":"TOp","value":{"op":"="}}"#,
            r#"{"tag":"THole","value":{"name":"x"}}"#,
            r#"{"tag":"TInt","value":{"digits":"10"}}"#,
            r#"{"tag":"TStr","value":{"value":"a\n"}}"#,
            r#"{"tag":"TPrivate","value":{"name":"_p"}}"#,
        ]
    );
}

#[test]
fn parse_gives_the_tree() {
    let tree = document(&["parse", "stock/remove_units.soil"]);
    let body = &tree["defs"][0]["item"]["body"];
    assert_eq!(body["item"]["tag"], "Arith");
    assert_eq!(
        body["span"],
        serde_json::json!({"start": 76, "end": 87, "line": 2, "col": 26})
    );
}

#[test]
fn rename_gives_what_is_referred_to() {
    let renamed = document(&["rename", "program.json"]);
    let all = renamed["defs"].as_array().expect("a list");
    let total = all.iter().find(|one| one["name"] == "total_units");
    assert_eq!(
        total.expect("it is listed")["refs"],
        serde_json::json!({
            "defs": [], "types": ["Item", "List", "U64"],
            "builtins": ["list_len", "list_nth"], "privates": []
        })
    );
}

#[test]
fn the_version_is_that_of_contract_and_crate() {
    assert_eq!(
        answer(&["--version"]),
        format!(
            "{{\"soil0_cli\":1,\"soil0\":\"{}\"}}\n",
            env!("CARGO_PKG_VERSION")
        )
    );
}

#[test]
fn two_runs_and_two_folders_give_the_same_bytes() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    let copy = elsewhere.path().join("soil-examples");
    copy_folder(&examples(), &copy);
    for words in [
        &["check", "program.json"][..],
        &["check", "rejected.json", "--rich"],
        &["check", "rejected.json", "--human"],
        &["rename", "program.json"],
        &["hash", "program.json"],
        &["search", "program.json", "--type", "a"],
        &["run", "program.json", "--entry", "classify", "--args", "[]"],
    ] {
        let first = Run::soil(&examples(), words);
        assert_eq!(Run::soil(&examples(), words), first, "{words:?}");
        assert_eq!(Run::soil(&copy, words), first, "{words:?}");
    }
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir_all(to).expect("the folder is made");
    for entry in fs::read_dir(from).expect("it is readable") {
        let path = entry.expect("it is readable").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).expect("it is copied");
        }
    }
}
