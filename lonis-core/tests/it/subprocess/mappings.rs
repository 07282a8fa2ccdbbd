//! Plain output as `result` blocks: values, lines and text, and exit codes with a meaning of their own.

use lonis_core::{ExitMeaning, StdoutMapping, SubprocessTool, TextEncoding};
use lonis_schema::kind::OutcomeStatus;
use lonis_schema::{BlockKind, ErrorKind, Json, SeedBlock};
use serde_json::{Value, json};

use super::support::{both, details, expect_error, id, output};

fn printing(bytes: &[u8], mapping: StdoutMapping) -> SubprocessTool {
    exiting(bytes, 0, mapping)
}

/// Makes a tool that prints bytes and exits.
fn exiting(bytes: &[u8], code: u8, mapping: StdoutMapping) -> SubprocessTool {
    let octal = bytes
        .iter()
        .map(|byte| format!("\\{byte:03o}"))
        .collect::<Vec<_>>()
        .concat();
    SubprocessTool::new(id(), "sh")
        .with_args(["-c", &format!("printf '{octal}'; exit {code}")])
        .with_mapping(mapping)
        .with_version("2.1")
}

fn outputs(blocks: &[SeedBlock]) -> Vec<Value> {
    blocks.iter().map(output).collect()
}

#[test]
fn values_become_results_as_they_are() {
    let stdout = b"{\"b\":1.50,\"a\":[1]}\n[1,2] \"x\"null 12345678901234567890123\n";
    let result = both(&printing(stdout, StdoutMapping::Json));
    let texts: Vec<String> = result
        .blocks
        .iter()
        .map(|block| match block.payload() {
            BlockKind::Result(result) => result.output.text().to_owned(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        texts,
        [
            "{\"b\":1.50,\"a\":[1]}",
            "[1,2]",
            "\"x\"",
            "null",
            "12345678901234567890123"
        ]
    );
    assert_eq!(both(&printing(b"", StdoutMapping::Json)).blocks, []);

    let result = both(&printing(b"1 oops", StdoutMapping::Json));
    let error = expect_error(&result, "invalid_output", 9);
    assert_eq!(
        (result.blocks.len(), &details(&error)["byte_offset"]),
        (1, &json!(2))
    );
}

#[test]
fn a_value_leaves_room_for_the_block_around_it() {
    let nested = |depth: usize| [b"[".repeat(depth), b"]".repeat(depth)].concat();
    assert_eq!(
        both(&printing(&nested(124), StdoutMapping::Json)).error,
        None
    );
    let error = expect_error(
        &both(&printing(&nested(125), StdoutMapping::Json)),
        "invalid_output",
        9,
    );
    assert!(error.message().contains("124"), "{error}");
}

#[test]
fn lines_become_results() {
    let result = both(&printing(b"one\r\ntwo\n\nthree", StdoutMapping::Lines));
    let expected = ["one", "two", "", "three"].map(|line| json!({"line": line}));
    assert_eq!(outputs(&result.blocks), expected);
    assert_eq!(both(&printing(b"", StdoutMapping::Lines)).blocks, []);
}

#[test]
fn text_is_one_result_that_pins_its_input() {
    let result = both(&printing(b"all\nof it\n", StdoutMapping::Text));
    let [block] = &result.blocks[..] else {
        panic!("{result:?}")
    };
    assert_eq!(output(block), json!({"stdout": "all\nof it\n"}));
    assert_eq!(block.attribution().identity.as_str(), "misbehave:tool");
    assert_eq!(block.attribution().provenance.producer, "misbehave:tool");
    assert_eq!(block.provenance().tool_version.as_deref(), Some("2.1"));
    let hash = Json::from(Value::Null).content_hash();
    assert_eq!(
        block.provenance().input_hash.as_deref(),
        Some(hash.as_str())
    );
    assert_eq!(
        outputs(&both(&printing(b"", StdoutMapping::Text)).blocks),
        [json!({"stdout": ""})]
    );
}

#[test]
fn other_bytes_than_text_need_an_encoding() {
    let bytes = b"good \xff\xfe";
    for mapping in [StdoutMapping::Text, StdoutMapping::Lines] {
        let error = expect_error(&both(&printing(bytes, mapping)), "invalid_output", 9);
        assert_eq!(details(&error)["byte_offset"], 5, "{mapping:?}");
    }
    let text = |encoding| {
        outputs(&both(&printing(bytes, StdoutMapping::Text).with_encoding(encoding)).blocks)
    };
    assert_eq!(
        text(TextEncoding::Base64),
        [json!({"stdout_base64": "Z29vZCD//g=="})]
    );
    assert_eq!(
        text(TextEncoding::Lossy),
        [json!({"stdout": "good \u{fffd}\u{fffd}", "lossy": true})]
    );
}

#[test]
fn exit_codes_may_mean_something() {
    let tool = |stdout: &[u8], code| {
        exiting(stdout, code, StdoutMapping::Text)
            .with_exit_code(1, ExitMeaning::NoMatch)
            .with_exit_code(2, ExitMeaning::Error(ErrorKind::InvalidInput))
            .with_exit_code(3, ExitMeaning::Success)
            .with_exit_code(4, ExitMeaning::Error(ErrorKind::from("odd")))
    };
    let result = both(&tool(b"", 1));
    let [BlockKind::Outcome(outcome)] = &result
        .blocks
        .iter()
        .map(|block| block.payload().clone())
        .collect::<Vec<_>>()[..]
    else {
        panic!("{result:?}")
    };
    assert_eq!(
        (outcome.status, outcome.exit_code),
        (OutcomeStatus::NoMatch, Some(1))
    );
    let result = both(&tool(b"partly", 1));
    assert_eq!(output(&result.blocks[0]), json!({"stdout": "partly"}));
    assert!(matches!(result.blocks[1].payload(), BlockKind::Outcome(_)));

    assert_eq!(
        outputs(&both(&tool(b"fine", 3)).blocks),
        [json!({"stdout": "fine"})]
    );
    let error = expect_error(&both(&tool(b"usage", 2)), "invalid_input", 2);
    assert_eq!(details(&error)["exit_code"], 2);
    assert_eq!(details(&error)["partial_output"], "usage");
    expect_error(&both(&tool(b"", 4)), "odd", 6);
    expect_error(&both(&tool(b"", 5)), "tool_failed", 5);
}
