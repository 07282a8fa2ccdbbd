//! What the example providers answer: each folder has its `cases.json`, in which `FOLDER` stands for a folder with the
//! files of the case.

use std::path::{Path, PathBuf};

use lonis::process::{self, Program, Status};
use lonis::{SeedBlock, ToolError};
use serde_json::Value;

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
    let call =
        program
            .clone()
            .with_args(["--mode", "ndjson", "call", case["tool"].as_str().unwrap()]);
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
