//! What the example providers answer: each folder has its `cases.json`, in which `FOLDER` stands for a folder with the
//! files of the case.

use std::path::{Path, PathBuf};

use lonis::limits::{Bound, Limits};
use lonis::process::{self, Program, Status};
use lonis::{SeedBlock, ToolError};
use serde_json::Value;

use crate::program::{Place, lonis};

/// Bounds for what is not about time, on a machine with other work on it.
const AMPLE: &str = "{ timeout_millis = 600_000 }";

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../providers/examples")
        .join(name)
}

/// Runs the cases of one example, where the program that it needs is there.
fn cases(folder: &str, executable: &str, needs: &str) {
    if Program::new(needs).resolve().is_err() {
        println!("skipped: `{needs}` is not on PATH");
        return;
    }
    let program = Program::new(example(folder).join(executable));
    let text = std::fs::read_to_string(example(folder).join("cases.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    for case in &cases {
        run(&program, case);
    }
    assert!(cases.len() >= 10);
}

fn run(program: &Program, case: &Value) {
    let files = tempfile::tempdir().unwrap();
    for (name, text) in case["files"].as_object().into_iter().flatten() {
        let path = files.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text.as_str().unwrap()).unwrap();
    }
    let placed = |value: &Value| {
        value
            .to_string()
            .replace("FOLDER", files.path().to_str().unwrap())
    };
    let call = program
        .clone()
        .with_args(["--mode", "ndjson", "call", case["tool"].as_str().unwrap()])
        .with_limits(Limits::new().with(Bound::TimeoutMillis, 600_000).unwrap());
    let captured = process::run(&call, placed(&case["input"]));
    let what = &case["what"];
    assert_eq!(captured.failure, None, "{what}");
    let stderr = String::from_utf8(captured.stderr).unwrap();
    if case["error"].is_object() {
        let error = ToolError::read(&stderr).unwrap();
        let code = error.exit_code();
        assert_eq!(
            error.kind().as_str(),
            case["error"]["kind"],
            "{what}: {stderr}"
        );
        assert_eq!(Value::from(code), case["error"]["exit_code"], "{what}");
        assert_eq!(
            captured.outcome.status,
            Some(Status::Exited(code)),
            "{what}"
        );
        if let Some(pointer) = case["error"].get("pointer") {
            let details = error.details().unwrap().to_value();
            assert_eq!(&details["pointer"], pointer, "{what}");
        }
        return;
    }
    assert_eq!(stderr, "", "{what}");
    let expected: Value = serde_json::from_str(&placed(&case["payloads"])).unwrap();
    let blocks = read(&captured.stdout);
    let payloads: Vec<Value> = blocks
        .iter()
        .map(|block| serde_json::to_value(block.payload()).unwrap())
        .collect();
    assert_eq!(Value::from(payloads), expected, "{what}");
    let warnings: Vec<&String> = blocks.iter().flat_map(SeedBlock::warnings).collect();
    let no_warnings = Value::Array(Vec::new());
    assert_eq!(
        &serde_json::json!(warnings),
        case.get("warnings").unwrap_or(&no_warnings),
        "{what}"
    );
}

fn read(stdout: &[u8]) -> Vec<SeedBlock> {
    let text = std::str::from_utf8(stdout).unwrap();
    text.lines()
        .map(|line| SeedBlock::read(line).unwrap().without_findings().unwrap())
        .collect()
}

/// Runs a provider through the whole protocol: nothing of it may fall short, but what a busy machine has a part in.
fn conforms(place: &Place, provider: &str, short: &[&str]) {
    let report = place.run(&["--mode", "json", "conform", provider]).ok();
    let rows: Vec<Value> = report.json().as_array().unwrap().clone();
    let fallen: Vec<String> = rows
        .iter()
        .map(|row| &row["payload"]["data"])
        .filter(|row| row["verdict"] == "falls_short" && row["rule"] != "ndjson-flush")
        .map(|row| row["rule"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(fallen, short, "{provider}: {report:?}");
    assert!(rows.len() > 30, "{provider}: {report:?}");
}

#[test]
fn each_conforms() {
    for (path, needs) in [
        ("csv/lonis-csv", "python3"),
        ("markdown/lonis-markdown", "node"),
        ("weblog/lonis-weblog", "jq"),
    ] {
        if Program::new(needs).resolve().is_err() {
            println!("skipped: `{needs}` is not on PATH");
            continue;
        }
        let place = Place::new();
        place.config(&format!(
            "[providers.example]\ncommand = '{}'\nbounds = {AMPLE}\n",
            example(path).display()
        ));
        conforms(&place, "example", &[]);
    }
}

#[test]
fn plain_programs_conform_behind_lonis() {
    let place = Place::new();
    place.config(&format!(
        "[providers.plain]\ncommand = '{}'\nbounds = {AMPLE}\nenv = {{ LONIS_CONFIG = '{}', HOME = '/nonexistent' }}\n",
        lonis().display(),
        example("plain-cli/lonis.toml").display()
    ));
    // That is of the builtins, which take any input.
    let of_builtins = ["input-schema-given", "input-schema-given"];
    conforms(&place, "plain", &of_builtins);
    let config = example("plain-cli/lonis.toml");
    let place = Place::new().with("LONIS_CONFIG", config.to_str().unwrap());
    for command in [&["conform"][..], &["providers", "doctor"]] {
        let words = [&["--mode", "json"], command, &["grep:search"]].concat();
        let error = place.run(&words).fails("not_found", 3);
        assert!(error.message().contains("is a plain program"), "{error}");
    }
}

#[test]
fn csv() {
    cases("csv", "lonis-csv", "python3");
}

#[test]
fn markdown() {
    cases("markdown", "lonis-markdown", "node");
}

#[test]
fn weblog() {
    cases("weblog", "lonis-weblog", "jq");
}
