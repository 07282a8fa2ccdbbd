//! Tokens: the rule over bytes beside a real count, for each kind of file that a bundle has.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::job_root::checker;
use crate::program::{Run, texts_below};

const INTRODUCTION: &str = "\
# Counting tokens

A bundle is packed for a number of tokens. By default a token is a quarter of a text's bytes, which is a rule and no count:
the table shows how far it is from what the tokenizer `o200k_base` counts, for each kind of file of the bundles of the
example projects. A negative error means that the rule promises more room than there is. `--counter bytes/3` makes the rule
stricter, which texts outside of ASCII need, and `--counter o200k_base` counts.

| file | texts | bytes | by the rule | by `o200k_base` | error |
|---|--:|--:|--:|--:|--:|
";

/// Packs the bundle of a definition, and gives its manifest and its files.
fn pack(project: &str, definition: &str, words: &[&str]) -> (Value, BTreeMap<String, String>) {
    let root = golden().join(project);
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("bundle");
    let own = [
        "context",
        definition,
        "--json",
        "--out",
        out.to_str().expect("a text"),
    ];
    let run = Run::of(
        checker(&root, &[&own[..], words].concat())
            .output()
            .expect("it starts"),
    );
    let document: Value = serde_json::from_str(run.answer()).expect("a document");
    let files = texts_below(&out);
    (document["manifest"].clone(), files)
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/soil/v1")
}

/// The definitions of the example projects.
const DEFINITIONS: [(&str, &str); 8] = [
    ("locks", "clamp"),
    ("locks", "price"),
    ("soil-examples", "adjust_twice"),
    ("soil-examples", "sensors/clamp"),
    ("soil-examples", "fahrenheit"),
    ("soil-examples", "is_fresh"),
    ("soil-examples", "status_text"),
    ("soil-examples", "remove_units"),
];

/// Gives what a real counter counts.
fn counted(text: &str) -> u64 {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len() as u64
}

/// Gives the kind of a file by its path in a bundle.
fn kind(path: &str) -> String {
    match path.split_once('/') {
        None => path.to_owned(),
        Some((folder, name)) => {
            let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
            format!("{folder}/*.{ending}")
        }
    }
}

fn page() -> String {
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (project, definition) in DEFINITIONS {
        let (_, files) = pack(project, definition, &["--budget", "200000"]);
        for (path, text) in files {
            texts.entry(kind(&path)).or_default().insert(text);
        }
    }
    let mut page = INTRODUCTION.to_owned();
    for (kind, texts) in texts {
        let bytes: usize = texts.iter().map(String::len).sum();
        let rule: u64 = texts
            .iter()
            .map(|text| (text.len() as u64).div_ceil(4))
            .sum();
        let count: u64 = texts.iter().map(|text| counted(text)).sum();
        let over =
            i64::try_from(rule).expect("it is small") - i64::try_from(count).expect("it is small");
        // Rounded half away from zero, in whole percent.
        let percent = (200 * over + over.signum() * i64::try_from(count).expect("it is small"))
            / (2 * i64::try_from(count).expect("it is small"));
        writeln!(
            page,
            "| `{kind}` | {} | {bytes} | {rule} | {count} | {percent:+} % |",
            texts.len()
        )
        .expect("a text takes all");
    }
    page
}

#[test]
fn the_book_tells_how_far_the_rule_is_from_a_count() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference/tokens.md");
    let page = page();
    if std::env::var_os("LONIS_BLESS").is_some() {
        fs::write(&path, &page).expect("the page is written");
    }
    let file = fs::read_to_string(&path).expect("the page is there");
    assert_eq!(file, page, "`LONIS_BLESS=1 cargo test` writes the page");
}

#[test]
fn a_real_counter_never_promises_more_room_than_there_is() {
    for (project, definition) in [DEFINITIONS[1], DEFINITIONS[6]] {
        let counter = ["--counter", "o200k_base", "--budget"];
        let (whole, _) = pack(project, definition, &[&counter[..], &["200000"]].concat());
        assert_eq!(whole["counter"], json!({"tokenizer": "o200k_base"}));
        let needed = whole["needed"].as_u64().expect("a number");
        for part in [4, 10] {
            let budget = (needed * part / 10).to_string();
            let (manifest, files) = pack(project, definition, &[&counter[..], &[&budget]].concat());
            let all: String = files.values().map(String::as_str).collect();
            let estimate = manifest["estimate"].as_u64().expect("a number");
            assert!(
                estimate * 100 >= counted(&all) * 95,
                "{definition} {budget}: {estimate}"
            );
            let packed: u64 = files
                .iter()
                .filter(|(path, _)| *path != "bundle.json")
                .map(|(_, text)| counted(text))
                .sum();
            assert!(
                packed <= needed * part / 10,
                "{definition} {budget}: {packed}"
            );
        }
    }
}

#[test]
fn a_hard_limit_holds_for_everything_by_each_counter() {
    let (two, many) = (
        &[1_200, 2_000][..],
        &[1_200, 1_500, 1_777, 1_999, 2_000][..],
    );
    let cases = [
        ("bytes/4", Some(4), many),
        ("bytes/3", Some(3), many),
        ("bytes/1", Some(1), two),
        ("o200k_base", None, two),
    ];
    for (counter, divisor, limits) in cases {
        for max in limits {
            // Spec and tests of one byte a token are long.
            let max = if divisor == Some(1) { max * 3 } else { *max };
            let max_text = max.to_string();
            let words = [
                "--counter",
                counter,
                "--budget",
                "200000",
                "--max-tokens",
                &max_text,
            ];
            let (manifest, files) = pack("locks", "price", &words);
            let tokens = match divisor {
                Some(divisor) => files
                    .values()
                    .map(|text| text.len() as u64)
                    .sum::<u64>()
                    .div_ceil(divisor),
                None => files.values().map(|text| counted(text)).sum(),
            };
            assert!(tokens <= max, "{counter} {max}: {tokens}");
            let dropped = manifest["dropped"].as_array().expect("a list");
            assert!(!dropped.is_empty(), "{counter} {max}: {tokens}");
        }
    }
}

#[test]
fn a_counter_that_is_not_there_is_usage() {
    let run = checker(
        &golden().join("locks"),
        &["job", "open", "price", "--counter", "gpt2"],
    );
    let run = Run::of({ run }.output().expect("it starts"));
    assert_eq!((run.code, &run.errors()[0]["code"]), (2, &json!("usage")));
}
