//! What a model gets to read, and what it does not for want of room.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::job_root::{CLAMP, GOOD, Root, checker};
use crate::program::{Run, texts_below};

const READING: &str = "---\nname: Reading\n---\n\nOne reading.\n\n```soil-type\ntype Reading = { unit : Unit2, value : I64 }\n```\n";
const UNIT: &str =
    "---\nname: Unit2\n---\n\nA unit.\n\n```soil-type\ntype Unit2 = | Kelvin | Celsius\n```\n";

fn spec(name: &str, signature: &str) -> String {
    format!(
        "---\nname: {name}\n---\n\nSays something.\n\n```soil-sig\n{name} : {signature}\n```\n\n```property p\nforall x : I64\nx == x\n```\n"
    )
}

/// A project in which callees lie near and far.
fn root() -> Root {
    let by_type = |ty: &str| format!("(x : {ty}) -> I64");
    let body = |name: &str, ty: &str| format!("{name} : {}\n{name} x = 1\n", by_type(ty));
    let files = [
        (
            "shop/target.tr".to_owned(),
            spec("target", &by_type("Reading")),
        ),
        ("shop/reading.tr".to_owned(), READING.to_owned()),
        ("shop/unit2.tr".to_owned(), UNIT.to_owned()),
        (
            "shop/_module.tr".to_owned(),
            "---\nname: shop\n---\n\nA shop.\n\n```exports\ntarget\n```\n".to_owned(),
        ),
        (
            "shop/a_plain.tr".to_owned(),
            spec("a_plain", &by_type("I64")),
        ),
        ("shop/a_plain.soil".to_owned(), body("a_plain", "I64")),
        (
            "shop/b_unit.tr".to_owned(),
            spec("b_unit", &by_type("Unit2")),
        ),
        ("shop/b_unit.soil".to_owned(), body("b_unit", "Unit2")),
        (
            "shop/c_reading.tr".to_owned(),
            spec("c_reading", &by_type("List Reading")),
        ),
        (
            "shop/c_reading.soil".to_owned(),
            body("c_reading", "List Reading"),
        ),
        (
            "other/a_plain.tr".to_owned(),
            spec("a_plain", &by_type("Reading")),
        ),
        ("other/a_plain.soil".to_owned(), body("a_plain", "Reading")),
        ("other/clamp.tr".to_owned(), CLAMP.to_owned()),
        ("other/clamp.soil".to_owned(), GOOD.to_owned()),
        (
            "other/not_lowered.tr".to_owned(),
            spec("not_lowered", &by_type("I64")),
        ),
    ];
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    Root::new(&files)
}

/// Packs a bundle, and gives manifest, digest and files.
fn pack(root: &Root, words: &[&str]) -> (Value, String, BTreeMap<String, String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("bundle");
    let out = out.to_str().expect("a text");
    let run = root.run(&[&["context", "target", "--out", out, "--json"], words].concat());
    let document: Value = serde_json::from_str(run.answer()).expect("a document");
    let files = texts_below(Path::new(out));
    let digest = document["digest"].as_str().expect("a text").to_owned();
    (document["manifest"].clone(), digest, files)
}

#[test]
fn the_most_useful_comes_first() {
    let (manifest, _, files) = pack(&root(), &["--budget", "20000"]);
    let packed: Vec<&str> = manifest["packed"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let own = [
        "spec.md",
        "tests.json",
        // Of the module by the types around the target, then those of others, then the prelude.
        "callees/c_reading.md",
        "callees/b_unit.md",
        "callees/shop__a_plain.md",
        "callees/other__a_plain.md",
        "callees/clamp.md",
        "callees/list_filter.md",
    ];
    assert_eq!(packed[..own.len()], own);
    assert_eq!(packed.last(), Some(&"module.md"));
    assert!(
        packed.contains(&"examples/list_map.tr") && files.contains_key("examples/list_map.soil")
    );
    assert!(!packed.contains(&"callees/not_lowered.md") && !packed.contains(&"callees/target.md"));
    let clamp = "# clamp\n\n```soil-sig\nclamp : (low : I64) -> (high : I64) -> (x : I64) -> I64\n```\n\n\
        - requires `ordered` (runtime — guarded, not proven; do not build on it): low <= high\n\
        - ensures `at_least` (runtime — guarded, not proven; do not build on it): result >= low\n\
        - ensures `at_most` (runtime — guarded, not proven; do not build on it): result <= high\n";
    assert_eq!(files["callees/clamp.md"], clamp);
    assert_eq!(
        (&manifest["dropped"], &manifest["oracle"]),
        (&json!([]), &json!({"tag": "None"}))
    );
}

#[test]
fn a_larger_budget_keeps_a_superset() {
    let root = root();
    let (whole, _, all) = pack(&root, &["--budget", "20000"]);
    let needed = whole["needed"].as_u64().expect("a number");
    let mut before: BTreeMap<String, String> = BTreeMap::new();
    for step in 0..24 {
        let budget = 60 + needed * step / 20;
        let (manifest, digest, mut files) = pack(&root, &["--budget", &budget.to_string()]);
        assert_eq!(pack(&root, &["--budget", &budget.to_string()]).1, digest);
        let bytes: usize = files.values().map(String::len).sum();
        // The number itself takes a few bytes of the manifest.
        let estimate = manifest["estimate"].as_u64().expect("a number");
        assert!(
            estimate.abs_diff(bytes as u64 / 4) <= 2,
            "{estimate} {bytes}"
        );
        files.remove("bundle.json");
        let packed: usize = files.values().map(String::len).sum();
        assert!(packed as u64 <= budget * 4, "{budget}");
        assert!(
            before
                .iter()
                .all(|(path, text)| files.get(path) == Some(text)),
            "{budget}"
        );
        let dropped = manifest["dropped"].as_array().expect("a list");
        assert!(
            dropped
                .iter()
                .all(|one| one["reason"] == "budget" && one["tokens"].is_u64())
        );
        assert_eq!(dropped.is_empty(), budget >= needed, "{budget}");
        before = files;
    }
    assert_eq!(before.len() + 1, all.len());
}

#[test]
fn what_has_to_fit_and_does_not_is_refused() {
    let root = root();
    let out = tempfile::tempdir().expect("a folder");
    let path = out.path().to_str().expect("a text");
    for words in [
        ["--budget", "10", "--max-tokens", "900"],
        ["--budget", "900", "--max-tokens", "10"],
    ] {
        let run = root.run(&[&["context", "target", "--out", path, "--json"], &words[..]].concat());
        assert_eq!(run.errors()[0]["code"], "budget-too-small");
    }
    for max in [500_u64, 600, 1_000] {
        let (manifest, _, files) = pack(
            &root,
            &["--budget", "20000", "--max-tokens", &max.to_string()],
        );
        let bytes: usize = files.values().map(String::len).sum();
        assert!(bytes as u64 <= max * 4 + 8, "{max}: {bytes}");
        assert!(!manifest["dropped"].as_array().expect("a list").is_empty());
    }
    fs::write(out.path().join("own.txt"), "mine").expect("it is written");
    assert_eq!(
        root.run(&["context", "target", "--budget", "900", "--out", path])
            .code,
        2
    );
}

/// The bundles of `price` of the pinned project by the room that they have: for all, for some, and for what is never left out.
const PINNED: [(&str, &str); 3] = [
    ("generous", "20000"),
    ("tight", "1200"),
    ("starvation", "260"),
];

#[test]
fn bundles_are_those_that_are_pinned() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/soil/v1");
    for (name, budget) in PINNED {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("bundle");
        let words = [
            "context",
            "price",
            "--json",
            "--budget",
            budget,
            "--out",
            out.to_str().expect("a text"),
        ];
        let output = checker(&golden.join("locks"), &words).output();
        let run = Run::of(output.expect("it starts"));
        let document: Value = serde_json::from_str(run.answer()).expect("a document");
        let files = texts_below(&out);
        let manifest: Value = serde_json::from_str(&files["bundle.json"]).expect("JSON");
        assert_eq!(manifest, document["manifest"], "{name}");
        let written = json!({"digest": document["digest"], "files": files});
        let written = serde_json::to_string_pretty(&written).expect("texts are JSON") + "\n";
        let path = golden.join(format!("bundles/{name}.json"));
        if std::env::var_os("LONIS_BLESS").is_some() {
            fs::write(&path, &written).expect("it is written");
        }
        let pinned = fs::read_to_string(&path).expect("it is there");
        assert_eq!(
            pinned, written,
            "{name}: `LONIS_BLESS=1 cargo test` writes it"
        );
    }
    let tight = fs::read_to_string(golden.join("bundles/tight.json")).expect("it is there");
    let starved = fs::read_to_string(golden.join("bundles/starvation.json")).expect("it is there");
    assert!(tight.contains("callees/clamp.md") && tight.contains("examples/"));
    assert!(!starved.contains("\"callees/clamp.md\": ") && starved.contains("\"spec.md\": "));
}
