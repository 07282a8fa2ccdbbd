//! A job as a client of the Model Context Protocol sees it: seven tools under bare names, documents as they are.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::job_hosted::{Caller, Line, Says, built};
use crate::job_root::{GOOD, Root, draft};

/// A connection to the server of a job.
struct Connection {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    asked: u64,
}

impl Connection {
    fn open(home: &Path, job: &str) -> Self {
        static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
        let program = PROGRAM.get_or_init(|| built("lonis-mcp", "lonis-mcp"));
        let mut child = Command::new(program)
            .args(["serve", "--exposure", &format!("{job}/mcp.toml")])
            .env_clear()
            .env("HOME", home)
            .env("LONIS_PROVIDER_PATH", home)
            .current_dir(home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let stdin = child.stdin.take().expect("it is piped");
        let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        Self {
            child,
            stdin,
            stdout,
            asked: 0,
        }
    }

    /// Sends a request, and gives its answer.
    fn ask(&mut self, mut request: Value) -> Value {
        self.asked += 1;
        request["jsonrpc"] = json!("2.0");
        request["id"] = json!(self.asked);
        writeln!(self.stdin, "{request}").expect("it is read");
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("a frame is text");
        let answer: Value = serde_json::from_str(&line).expect("a frame");
        assert_eq!(answer["id"], self.asked, "{answer}");
        answer
    }

    fn close(self) {
        let Self {
            mut child, stdin, ..
        } = self;
        drop(stdin);
        assert!(child.wait().expect("it ends").success());
    }
}

/// Gives the greeting of the server of a job, then its answers to these requests.
fn ask(home: &Path, job: &str, requests: &[Value]) -> Vec<Value> {
    let mut connection = Connection::open(home, job);
    let mut answers = vec![connection.ask(json!({
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }))];
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    writeln!(connection.stdin, "{initialized}").expect("it is read");
    answers.extend(
        requests
            .iter()
            .map(|request| connection.ask(request.clone())),
    );
    connection.close();
    answers
}

fn call(tool: &str, input: &Value) -> Value {
    json!({"method": "tools/call", "params": {"name": tool, "arguments": input}})
}

/// Gives the one text of a result, and whether it is an error.
fn said(answer: &Value) -> (&str, bool) {
    let result = &answer["result"];
    let content = result["content"].as_array().expect("a list");
    assert_eq!((content.len(), &content[0]["type"]), (1, &json!("text")));
    assert_eq!(result.get("structuredContent"), None, "{answer}");
    let text = content[0]["text"].as_str().expect("a text");
    (text, result["isError"].as_bool().expect("it says so"))
}

/// Plays a playbook in a job, by one connection.
pub(crate) fn play(home: &Path, job: &str, lines: &[Line]) {
    let requests: Vec<Value> = lines
        .iter()
        .map(|(tool, input, _)| call(tool, input))
        .collect();
    let answers = ask(home, job, &requests);
    for ((tool, _, says), answer) in lines.iter().zip(&answers[1..]) {
        let (text, is_error) = said(answer);
        let document: Value = serde_json::from_str(text).expect("a document");
        match says {
            Says::Document(places) => {
                assert!(!is_error, "{tool}: {text}");
                for (place, value) in places {
                    let found = document.pointer(place);
                    assert_eq!(found, Some(value), "{tool} {place}: {text}");
                }
            }
            Says::Refusal(codes, _) => {
                assert!(is_error, "{tool}: {text}");
                let errors = document["errors"].as_array().expect("a document");
                let found: Vec<&str> = errors
                    .iter()
                    .filter_map(|one| one["code"].as_str())
                    .collect();
                assert_eq!(found, *codes, "{tool}");
            }
        }
    }
}

#[test]
fn a_job_has_exactly_the_seven_tools_and_their_own_schemas() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let Caller::Mcp(home) = Caller::mcp() else {
        unreachable!("it was made so");
    };
    let list = json!({"method": "tools/list"});
    let answers = ask(home.path(), &job.0, &[list]);
    let server = &answers[0]["result"]["serverInfo"];
    assert_eq!(server["version"], env!("CARGO_PKG_VERSION"));
    let tools = answers[1]["result"]["tools"].as_array().expect("a list");
    let names: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    let seven = [
        "ask_human",
        "check_refinements",
        "check_types",
        "read_context",
        "read_spec",
        "run_tests",
        "write_soil",
    ];
    assert_eq!(names, seven);
    let schema = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name);
        tool.expect("it is listed")["inputSchema"].clone()
    };
    let path = json!({
        "type": "object", "properties": {"path": {"type": "string"}},
        "required": ["path"], "additionalProperties": false,
    });
    assert_eq!(schema("read_context"), path);
    let empty = json!({"type": "object", "properties": {}, "additionalProperties": false});
    assert_eq!(schema("check_types"), empty);
    for tool in tools {
        assert_eq!(tool.get("outputSchema"), None, "{tool}");
        let properties = &tool["inputSchema"]["properties"];
        assert_eq!(properties.get("job"), None, "{tool}");
        assert_eq!(properties.get("root"), None, "{tool}");
    }
}

#[test]
fn a_document_is_the_bytes_of_the_block_and_bad_arguments_are_one_too() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let Caller::Mcp(home) = Caller::mcp() else {
        unreachable!("it was made so");
    };
    job.document("write_soil", &draft(GOOD));
    for (tool, input) in [
        ("read_context", json!({"path": "tests.json"})),
        ("check_types", json!({})),
        ("run_tests", json!({})),
    ] {
        let run = job.call(tool, &input);
        let answers = ask(home.path(), &job.0, &[call(tool, &input)]);
        let (text, is_error) = said(&answers[1]);
        assert!(!is_error, "{text}");
        let whole = format!("\"data\":{text}}}");
        assert!(
            run.answer().contains(&whole),
            "{tool}: {text}\n{}",
            run.stdout
        );
    }
    let wrong = [
        call("read_context", &json!({})),
        call("read_context", &json!({"path": 1})),
        call(
            "write_soil",
            &json!({"soil": "x", "decisions_applied": [], "job": "/x"}),
        ),
    ];
    let answers = ask(home.path(), &job.0, &wrong);
    for answer in &answers[1..] {
        let (text, is_error) = said(answer);
        let document: Value = serde_json::from_str(text).expect("a document");
        let error = &document["errors"][0];
        let shown = (&error["code"], &error["repair_class"], &error["spec_ref"]);
        let usage = (&json!("usage"), &json!("fix-call"), &json!("soil0-cli#1"));
        assert_eq!((shown, is_error), (usage, true), "{text}");
        assert_eq!(error["file"], json!({"tag": "None"}));
    }
}

#[test]
fn the_calls_of_one_connection_share_the_job() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let Caller::Mcp(home) = Caller::mcp() else {
        unreachable!("it was made so");
    };
    let writes = vec![call("write_soil", &draft(GOOD)); 3];
    let answers = ask(home.path(), &job.0, &writes);
    for answer in &answers[1..] {
        let (text, is_error) = said(answer);
        assert!(!is_error, "{text}");
    }
    assert_eq!(job.record()["turns"], 3);
    assert_eq!(job.close()["outcome"]["tag"], "Green");
}
