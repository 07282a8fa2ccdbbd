use lonis_schema::{Block, BlockKind, ProviderManifest, ToolContract};
use serde_json::{Value, json};

use super::*;
use crate::fixture::{Full, WORD_CODES, Words, capabilities};
use crate::limits::{Bound, Limits};

fn contract(name: &str) -> ToolContract {
    let items = json!({"anyOf": [{"type": "string"}, {"type": "number"}, {"const": false}]});
    ToolContract::new(name, "Says words.")
        .with_input_json_schema(json!({"type": ["array", "null"], "items": items}))
}

fn provider() -> Provider<BlockKind> {
    Provider::new("acme", "2.1.0")
        .description("Words.")
        .tool(Words::with_contract("acme:say", contract("acme:say")))
        .tool_as(
            "acme.shout",
            Words::with_contract("acme:shout", contract("acme:shout")),
        )
        .tool(Words::new("acme:plain"))
}

fn ask(provider: &Provider<BlockKind>, line: &str, input: &str) -> (u8, String, String) {
    let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let code = provider.answer(&args, &mut input.as_bytes(), &mut stdout, &mut stderr);
    (
        code,
        String::from_utf8(stdout).unwrap(),
        String::from_utf8(stderr).unwrap(),
    )
}

fn error(answer: &(u8, String, String)) -> Value {
    assert_eq!(answer.1, "", "a failure writes no data");
    serde_json::from_str(&answer.2).unwrap()
}

#[test]
fn the_surface_is_the_one_of_the_wire_contract() {
    let manifest = concat!(
        r#"{"name":"acme","version":"2.1.0","description":"Words.","provider_type":"external-executable","#,
        r#""protocol_version":"lonis.provider/v1","tools":["acme:say","acme.shout","acme:plain"]}"#,
        "\n"
    );
    let listed = concat!(
        r#"{"provider":"acme","tools":[{"description":"Says words.","name":"acme:say","version":"1.0.0"},"#,
        r#"{"description":"Says words.","name":"acme.shout","version":"1.0.0"},"#,
        r#"{"name":"acme:plain","version":"1.0.0"}]}"#,
        "\n"
    );
    for (line, stdout) in [
        ("--mode json manifest", manifest),
        ("manifest", manifest),
        ("--mode json tools list", listed),
        ("--mode ndjson tools list", listed),
        (
            "tools list",
            "acme:say\t1.0.0\nacme.shout\t1.0.0\nacme:plain\t1.0.0\n",
        ),
        ("--version", "acme 2.1.0\n"),
    ] {
        assert_eq!(
            ask(&provider(), line, ""),
            (0, stdout.to_owned(), String::new()),
            "{line}"
        );
    }
    let (code, stdout, _) = ask(&provider(), "--mode json tools describe acme.shout", "");
    let described: ToolContract = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, described), (0, contract("acme:shout")));
}

#[test]
fn a_call_writes_its_blocks_in_the_mode_asked_for() {
    let (code, stdout, stderr) = ask(
        &provider(),
        "--mode json call acme.shout",
        "\u{feff} [\"a\", \"b\"]\n",
    );
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(
        serde_json::from_str::<Vec<Value>>(&stdout).unwrap().len(),
        2
    );
    assert_eq!(
        ask(
            &provider(),
            "--mode ndjson call acme:plain",
            "[\"a\",\"b\"]"
        )
        .1
        .lines()
        .count(),
        2
    );
    assert_eq!(
        ask(&provider(), "call acme:say", "[\"a\"]").1,
        "message: a\n"
    );
}

#[test]
fn errors_are_structured_and_take_their_code_from_the_tools_table() {
    for (line, input, kind, code) in [
        ("--mode json call acme:nothing", "null", "not_found", 3),
        (
            "--mode json tools describe acme:nothing",
            "",
            "not_found",
            3,
        ),
        (
            "--mode json tools describe acme:plain",
            "",
            "not_implemented",
            69,
        ),
        ("--mode json call acme:say", "[", "invalid_input", 2),
        ("--mode json call acme:say", "[] []", "invalid_input", 2),
        ("--mode json call acme:say", "", "bad_input", 2),
        ("--mode json call acme:say", "{}", "invalid_input", 2),
        ("--mode json call", "", "invalid_input", 2),
        ("--mode ndjson serve", "", "not_implemented", 69),
    ] {
        let answer = ask(&provider(), line, input);
        assert_eq!(
            (answer.0, &error(&answer)["kind"]),
            (code, &json!(kind)),
            "{line} {input}"
        );
    }
    let answer = ask(&provider(), "--mode ndjson call acme:say", "[7]");
    assert_eq!(
        (answer.0, error(&answer)),
        (
            12,
            json!({"kind": "no_word", "message": "a number is no word", "exit_code": 12})
        )
    );
}

#[test]
fn input_that_breaks_the_schema_never_reaches_the_tool() {
    let answer = ask(&provider(), "--mode json call acme:say", "[\"a\", true]");
    let error = error(&answer);
    assert_eq!(
        (answer.0, &error["kind"], &error["details"]["pointer"]),
        (2, &json!("invalid_input"), &json!("/1"))
    );
}

#[test]
fn blocks_before_a_failure_are_written() {
    let (code, stdout, stderr) = ask(&provider(), "--mode json call acme:say", "[\"a\", 7]");
    assert_eq!(
        (
            code,
            serde_json::from_str::<Vec<Value>>(&stdout).unwrap().len()
        ),
        (12, 1)
    );
    assert!(stderr.starts_with("{\"kind\":\"no_word\""), "{stderr}");
}

#[test]
fn a_panic_of_a_tool_is_an_internal_error() {
    let answer = ask(&provider(), "--mode json call acme:say", "[false]");
    let last: Value = serde_json::from_str(answer.2.lines().last().unwrap()).unwrap();
    assert_eq!((answer.0, &last["kind"]), (70, &json!("internal")));
    assert_eq!(last["message"], "the tool panicked: false is neither");
}

#[test]
fn a_broken_provider_says_so_whatever_it_is_asked() {
    let check = |provider: Provider<BlockKind>, part: &str| {
        for line in ["manifest", "tools list", "tools describe a:b", "call a:b"] {
            let answer = ask(&provider, &format!("--mode json {line}"), "null");
            let error = error(&answer);
            assert_eq!(
                (answer.0, &error["kind"]),
                (70, &json!("internal")),
                "{line}"
            );
            assert!(error["message"].as_str().unwrap().contains(part), "{error}");
        }
    };
    let new = || Provider::new("acme", "1.0.0");
    let with = |schema: Value| {
        new().tool(Words::with_contract(
            "a:b",
            ToolContract::new("a:b", "x").with_input_json_schema(schema),
        ))
    };
    check(new().tool_as("-x", Words::new("a:b")), "begins with `-`");
    check(new().tool_as("a..b", Words::new("a:b")), "makes no tool id");
    check(
        new().tool(Words::new("a:b")).tool(Words::new("a:b")),
        "both have the id `a:b`",
    );
    check(
        new()
            .tool(Words::new("a:b"))
            .tool_as("a.b", Words::new("a:b")),
        "tools `a:b` and `a.b` both have the id",
    );
    check(
        new().tool(Words::with_contract("a:b", contract("a:c"))),
        "contract of tool `a:b` is for `a:c`",
    );
    check(
        with(json!({"type": "nope"})),
        "schema is not usable at `/type`",
    );
    check(
        with(json!({"enum": ["x".repeat(70_000)]})),
        "the limit is 65536",
    );
    let long = ToolContract::new("a:b", "é".repeat(4097));
    check(
        new().tool(Words::with_contract("a:b", long)),
        "has 4097 characters",
    );
}

#[test]
fn a_full_output_ends_the_work() {
    for line in [
        "manifest",
        "tools list",
        "tools describe acme:say",
        "call acme:say",
    ] {
        let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let mut stderr = Vec::new();
        let code = provider().answer(
            &args,
            &mut "[\"a\"]".as_bytes(),
            &mut Full::after(4),
            &mut stderr,
        );
        assert_eq!(
            (
                code,
                String::from_utf8(stderr)
                    .unwrap()
                    .starts_with("error: io: ")
            ),
            (8, true),
            "{line}"
        );
    }
}

/// A tool that says itself what is wrong with an input.
struct Judging(Words);

capabilities!(Judging, |tool: &Judging| tool.0.id, WORD_CODES);

impl Tool<BlockKind> for Judging {
    fn invoke(&self, input: Value) -> Result<Vec<Block<BlockKind>>, ToolError> {
        self.0.invoke(input)
    }

    fn contract(&self) -> Option<ToolContract> {
        self.0.contract.clone()
    }

    fn judges_input(&self) -> bool {
        true
    }

    fn suggested_limits(&self) -> Limits {
        Limits::new()
            .with_nearest(Bound::TimeoutMillis, 120_000)
            .with_nearest(Bound::MaxStdoutBytes, 4 << 20)
    }
}

#[test]
fn manifest_and_list_say_more_to_those_who_know_of_it() {
    let provider = Provider::new("acme", "1.0.0")
        .manifest_member("contract", json!("acme/1"))
        .manifest_member("name", json!("other"))
        .tool(Judging(Words::new("acme:say")))
        .tool(Words::new("acme:plain"));
    let manifest = ask(&provider, "--mode json manifest", "").1;
    let end = concat!(
        r#","tools":["acme:say","acme:plain"],"contract":"acme/1"}"#,
        "\n"
    );
    assert!(manifest.ends_with(end), "{manifest}");
    assert_eq!(ProviderManifest::read(&manifest).unwrap().name, "acme");
    let listed = concat!(
        r#"{"provider":"acme","tools":[{"name":"acme:say","version":"1.0.0","#,
        r#""suggested_timeout_millis":120000,"suggested_stdout_bytes":4194304},"#,
        r#"{"name":"acme:plain","version":"1.0.0"}]}"#,
        "\n"
    );
    assert_eq!(ask(&provider, "--mode json tools list", "").1, listed);
}

#[test]
fn a_tool_that_judges_its_input_gets_what_breaks_the_schema() {
    let provider = Provider::new("acme", "1.0.0").tool(Judging(Words::with_contract(
        "acme:say",
        contract("acme:say"),
    )));
    let answer = ask(&provider, "--mode json call acme:say", "[7]");
    assert_eq!((answer.0, &error(&answer)["kind"]), (12, &json!("no_word")));
    let described = ask(&provider, "--mode json tools describe acme:say", "");
    let described: ToolContract = serde_json::from_str(&described.1).unwrap();
    assert!(described.input_json_schema().is_some());
}
