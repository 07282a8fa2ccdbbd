//! The example verticals, run as a host runs a provider.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use std::{env, thread};

use lonis::{BlockKind, ProviderManifest, ProviderToolList, SeedBlock, ToolContract, ToolError};
use serde_json::{Value, json};

/// Longest wait for a line that a tool has to write at once; only a broken tool takes it.
const PATIENCE: Duration = Duration::from_mins(1);

#[test]
fn each_says_what_it_offers() {
    let cases = [
        ("keys", "acme-keys", ["acme:kv:get", "acme:kv:keys"]),
        (
            "lines",
            "acme-lines",
            ["acme:text:search", "acme:text:count"],
        ),
    ];
    for (example, name, ids) in cases {
        let manifest: ProviderManifest = answered(example, &["manifest"]);
        assert_eq!(manifest.name, name);
        assert_eq!(manifest.tools, ids);
        let list: ProviderToolList = answered(example, &["tools", "list"]);
        let names: Vec<&str> = list.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ids);
        for id in ids {
            let contract: ToolContract = answered(example, &["tools", "describe", id]);
            assert_eq!(contract.name(), id);
            assert_eq!(contract.side_effects().as_str(), "read-only");
            let schema = contract.input_json_schema().unwrap().to_value();
            assert_eq!(schema["additionalProperties"], false, "{id}");
            assert_eq!(schema["required"][0], "file", "{id}");
        }
    }
}

#[test]
fn a_key_is_read_as_it_is_written() {
    let file = fixture(
        "settings.json",
        r#"{"theme":"dark", "ratio":1.50, "deep":{"b":1,"a":2}}"#,
    );
    let input = json!({"file": file, "key": "ratio"});
    let blocks = called("keys", "acme:kv:get", &input);
    let [block] = &blocks[..] else {
        panic!("{blocks:?}")
    };
    assert_eq!(block.schema_id(), "lonis.block/acme.kv.entry/v1");
    assert_eq!(
        block.provenance().input_hash.as_deref(),
        Some(lonis::json_content_hash(&input).as_str())
    );
    let BlockKind::Extension { data, .. } = block.payload() else {
        panic!("{block:?}")
    };
    assert_eq!(data.text(), r#"{"key":"ratio","value":1.50}"#);

    let output = run(
        "keys",
        &["call", "acme:kv:keys"],
        &json!({"file": file}).to_string(),
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "deep, ratio, theme\n"
    );
    let input = json!({"file": file, "prefix": "t"});
    let blocks = called("keys", "acme:kv:keys", &input);
    assert_eq!(
        blocks[0].render_human(),
        r#"extension[acme.kv.keys]: {"keys":["theme"]}"#
    );
}

#[test]
fn what_cannot_be_done_is_one_error_with_its_code() {
    let file = fixture("empty.json", "{}");
    let list = fixture("list.json", "[1]");
    let long = fixture("long.txt", &"x".repeat((1 << 20) + 1));
    let get = "acme:kv:get";
    let count = "acme:text:count";
    let cases = [
        (
            "keys",
            get,
            json!({"file": file, "key": "a"}),
            "not_found",
            3,
        ),
        (
            "keys",
            get,
            json!({"file": "a.json", "key": "a"}),
            "bad_input",
            2,
        ),
        (
            "keys",
            get,
            json!({"file": "/nowhere/a.json", "key": "a"}),
            "not_found",
            3,
        ),
        (
            "keys",
            get,
            json!({"file": list, "key": "a"}),
            "bad_input",
            2,
        ),
        (
            "keys",
            get,
            json!({"file": file, "key": 7}),
            "invalid_input",
            2,
        ),
        ("keys", get, json!({"file": file}), "invalid_input", 2),
        (
            "keys",
            get,
            json!({"file": file, "key": "a", "more": 1}),
            "invalid_input",
            2,
        ),
        ("keys", "acme:kv:set", json!({}), "not_found", 3),
        ("lines", count, json!({"file": "/nowhere/a.txt"}), "io", 8),
        ("lines", count, json!({"file": "a.txt"}), "bad_input", 2),
        ("lines", count, json!({"file": long}), "limit_exceeded", 7),
        (
            "lines",
            "acme:text:search",
            json!({"file": file, "text": ""}),
            "invalid_input",
            2,
        ),
    ];
    for (example, tool, input, kind, code) in cases {
        let args = ["--mode", "json", "call", tool];
        let output = run(example, &args, &input.to_string());
        let stderr = String::from_utf8_lossy(&output.stderr);
        let error = ToolError::read(&stderr).unwrap();
        assert_eq!(error.kind().as_str(), kind, "{tool} {input}: {stderr}");
        assert_eq!(output.status.code(), Some(code), "{tool} {input}: {stderr}");
    }
}

#[test]
fn a_search_ends_where_it_is_told_to() {
    let file = fixture("poem.txt", "one fish\r\ntwo fish\nred bird\nblue fish");
    let cases = [
        (
            json!({"file": file, "text": "fish"}),
            vec![1, 2, 4],
            json!({"lines": 4, "hits": 3, "is_cut": false}),
        ),
        (
            json!({"file": file, "text": "fish", "max_hits": 2}),
            vec![1, 2],
            json!({"lines": 4, "hits": 2, "is_cut": true}),
        ),
        (
            json!({"file": file, "text": "cat"}),
            vec![],
            json!({"lines": 4, "hits": 0, "is_cut": false}),
        ),
    ];
    for (input, lines, end) in cases {
        let blocks = called("lines", "acme:text:search", &input);
        let mut data: Vec<Value> = blocks.iter().map(data).collect();
        assert_eq!(data.pop(), Some(end), "{input}");
        let found: Vec<Value> = data.iter().map(|hit| hit["line"].clone()).collect();
        assert_eq!(found, lines, "{input}");
    }
    let output = run(
        "lines",
        &["call", "acme:text:count"],
        &json!({"file": file}).to_string(),
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "4 line(s), 8 word(s), 37 byte(s)\n"
    );
}

#[cfg(unix)]
#[test]
fn a_hit_is_written_before_the_file_has_ended() {
    let file = folder().join("growing.txt");
    if !file.exists() {
        let made = command("mkfifo".as_ref()).arg(&file).status();
        assert!(made.expect("mkfifo can be started").success());
    }
    let args = ["--mode", "ndjson", "call", "acme:text:search"];
    let mut child = command(&program("lines"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = json!({"file": file, "text": "hit"}).to_string();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (line, lines) = mpsc::channel();
    // Ends with the child's output; joined below.
    let reader = thread::spawn(move || {
        for text in stdout.lines() {
            line.send(text.unwrap()).unwrap();
        }
    });
    // Open for both, so that it waits for nobody.
    let mut pipe = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&file)
        .unwrap();
    for number in 1..=3 {
        pipe.write_all(format!("hit {number}\n").as_bytes())
            .unwrap();
        let text = lines.recv_timeout(PATIENCE).unwrap();
        let block: SeedBlock = serde_json::from_str(&text).unwrap();
        assert_eq!(
            data(&block),
            json!({"line": number, "text": format!("hit {number}")})
        );
    }
    drop(pipe);
    let last = lines.recv_timeout(PATIENCE).unwrap();
    assert!(last.contains("acme.text.searched"), "{last}");
    reader.join().unwrap();
    assert!(child.wait().unwrap().success());
}

fn data(block: &SeedBlock) -> Value {
    match block.payload() {
        BlockKind::Extension { data, .. } => data.to_value(),
        other => panic!("{other:?}"),
    }
}

/// The blocks of a call that succeeds and says nothing on stderr.
fn called(example: &str, tool: &str, input: &Value) -> Vec<SeedBlock> {
    answered_to(example, &["call", tool], &input.to_string())
}

fn answered<T: serde::de::DeserializeOwned>(example: &str, args: &[&str]) -> T {
    answered_to(example, args, "")
}

fn answered_to<T: serde::de::DeserializeOwned>(example: &str, args: &[&str], stdin: &str) -> T {
    let args = [&["--mode", "json"], args].concat();
    let output = run(example, &args, stdin);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    assert!(output.status.success(), "{args:?}");
    serde_json::from_slice(&output.stdout).expect("stdout is one document")
}

/// Runs an example with an empty environment, in a folder that is nobody's.
fn run(example: &str, args: &[&str], stdin: &str) -> Output {
    let mut child = command(&program(example))
        .args(args)
        .env_clear()
        .current_dir(folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the example can be started");
    let mut input = child.stdin.take().expect("it is piped");
    // A program that fails before it reads its input closes the pipe, which is no failure of the test.
    drop(input.write_all(stdin.as_bytes()));
    drop(input);
    child.wait_with_output().expect("its output can be read")
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test runs the examples as programs"
)]
fn command(program: &Path) -> Command {
    Command::new(program)
}

/// Examples are built with the tests of their crate, beside the folder of the test itself.
fn program(example: &str) -> PathBuf {
    let test = env::current_exe().expect("a test has a file");
    let built = test.ancestors().nth(2).expect("it stands in `deps`");
    let program = built
        .join("examples")
        .join(example)
        .with_extension(env::consts::EXE_EXTENSION);
    assert!(
        program.is_file(),
        "`{}` is not built: run `cargo test -p lonis` without choosing a target",
        program.display()
    );
    program
}

fn fixture(name: &str, text: &str) -> PathBuf {
    let file = folder().join(name);
    fs::write(&file, text).expect("the target folder can be written");
    file
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples");
    fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}
