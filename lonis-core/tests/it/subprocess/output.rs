//! What a tool prints: counted as it is read, cut into blocks however it arrives, and never guessed at.

use std::time::Duration;

use lonis_core::limits::Bound;
use lonis_core::{Call, StdoutMapping, Tool};
use misbehave::Handshake;
use serde_json::{Value, json};

use super::support::{both, details, expect_error, output, streamed, tool};
use crate::process::support::{in_own_process, limits, within};

const LIMIT: Duration = Duration::from_secs(5);
/// Time enough on any machine, for what is judged by something else than time.
const AMPLE_MILLIS: u64 = 600_000;

#[test]
fn a_byte_that_is_not_utf8_ends_the_stream_where_it_stands() {
    let mut handshake = Handshake::new().expect("a handshake");
    let result = both(&tool(&["bad-utf8", &handshake.argument()]));
    let error = expect_error(&result, "invalid_output", 9);
    assert_eq!(result.blocks.len(), 1);
    let announced = handshake
        .heard()
        .iter()
        .find_map(|heard| heard.line.strip_prefix("offset "));
    let offset: u64 = announced
        .and_then(|text| text.parse().ok())
        .expect("the offset was announced");
    assert_eq!(details(&error)["byte_offset"], offset);
    assert_eq!(details(&error)["blocks"], 1);
}

#[test]
fn a_breach_of_the_cap_is_the_last_item_whatever_the_exit_says() {
    let tool = tool(&["blocks", "count=5400", "size=300"]).with_max_stdout_bytes(1_600_000);
    for _ in 0..20 {
        let result = streamed(&tool, Call::new(json!(null)));
        let error = expect_error(&result, "output_limit_exceeded", 7);
        assert_eq!(details(&error)["stream"], "stdout");
        assert_eq!(details(&error)["limit_bytes"], 1_600_000);
        let numbers: Vec<Value> = result
            .blocks
            .iter()
            .map(|block| output(block)["number"].clone())
            .collect();
        let expected: Vec<Value> = (0..numbers.len()).map(Value::from).collect();
        assert_eq!(numbers, expected);
        // Every whole block within the cap: 301 bytes each with its line end.
        assert_eq!(numbers.len(), 1_600_000 / 301);
    }
}

#[test]
fn an_output_without_an_end_is_cut_at_the_cap_in_little_memory() {
    in_own_process(
        "subprocess::output::an_output_without_an_end_is_cut_at_the_cap_in_little_memory",
        || {
            let flood = tool(&["flood"]);
            let before = peak_memory_kib();
            for mapping in [
                StdoutMapping::Blocks,
                StdoutMapping::Json,
                StdoutMapping::Lines,
                StdoutMapping::Text,
            ] {
                let flood = flood.clone().with_mapping(mapping);
                let streamed = within(Duration::from_secs(1), || {
                    streamed(&flood, Call::new(json!(null)))
                });
                let error = expect_error(&streamed, "output_limit_exceeded", 7);
                assert_eq!(details(&error)["stream"], "stdout", "{mapping:?}");
                let collected = within(Duration::from_secs(1), || {
                    flood.invoke(Value::Null).expect_err("over the cap")
                });
                assert_eq!(collected.kind(), error.kind());
            }
            let grown = peak_memory_kib() - before;
            assert!(grown <= 16 << 10, "{grown} KiB more");
        },
    );
}

fn peak_memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux says");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("the peak is listed");
    line.trim()
        .trim_end_matches(" kB")
        .parse()
        .expect("a number")
}

#[test]
fn exactly_the_cap_is_allowed_and_one_byte_more_is_not() {
    for (stream, bound) in [
        ("stdout", Bound::MaxStdoutBytes),
        ("stderr", Bound::MaxStderrBytes),
    ] {
        for (bytes, is_allowed) in [(4096, true), (4097, false)] {
            let tool = tool(&[
                "exact",
                &format!("bytes={bytes}"),
                &format!("stream={stream}"),
            ])
            .with_limits(limits(&[(bound, 4096)]));
            let result = both(&tool);
            if is_allowed {
                assert_eq!((result.blocks.len(), result.error), (1, None), "{stream}");
            } else {
                let error = expect_error(&result, "output_limit_exceeded", 7);
                assert_eq!(
                    (&details(&error)["stream"], &details(&error)["limit_bytes"]),
                    (&json!(stream), &json!(4096))
                );
            }
        }
    }
}

#[test]
fn the_cap_of_stderr_holds_beside_good_output_and_a_failure() {
    for mode in [
        &["blocks", "stderr_bytes=6400000"][..],
        &["noise", "bytes=6400000", "exit=3"],
    ] {
        // What is judged is the cap: a machine with other work on it may take its time to get there.
        let tool = tool(mode).with_timeout_millis(AMPLE_MILLIS);
        let error = expect_error(&both(&tool), "output_limit_exceeded", 7);
        assert_eq!(details(&error)["stream"], "stderr");
        assert_eq!(details(&error)["limit_bytes"], 262_144);
    }
}

#[test]
fn one_value_may_be_held_to_less_than_all_of_stdout() {
    let tool = tool(&["blocks", "size=3000"]).with_limits(limits(&[(Bound::MaxBlockBytes, 2999)]));
    let error = expect_error(&both(&tool), "output_limit_exceeded", 7);
    assert_eq!(details(&error)["bound"], "max_block_bytes");
    assert_eq!(details(&error)["limit_bytes"], 2999);
}

#[test]
fn half_a_line_and_silence_is_a_timeout_with_the_half_as_a_detail() {
    let tool = tool(&["half-line"]).with_timeout_millis(2_500);
    let error = expect_error(&both(&tool), "timeout", 7);
    let partial = details(&error)["partial_output"]
        .as_str()
        .expect("the half")
        .to_owned();
    assert!(
        partial.starts_with("{\"schema_version\"") && !partial.ends_with('}'),
        "{partial}"
    );
    assert_eq!(details(&error)["timeout_millis"], 2_500);
}

#[test]
fn a_banner_ends_decoding_unless_the_child_explains_itself() {
    let result = both(&tool(&["banner"]));
    let error = expect_error(&result, "invalid_output", 9);
    assert_eq!(
        (result.blocks.len(), &details(&error)["byte_offset"]),
        (0, &json!(0))
    );
    assert_eq!(details(&error)["line"], 1);
    assert!(
        details(&error)["excerpt"]
            .as_str()
            .is_some_and(|text| text.starts_with("Welcome to")),
        "{error:?}"
    );

    let result = both(&tool(&["banner", "error=yes"]));
    let error = expect_error(&result, "teapot", 2);
    assert_eq!(details(&error), json!({"from": "misbehave"}));
    assert!(
        result
            .notes
            .iter()
            .any(|note| note.starts_with("invalid_output: stdout:")),
        "{:?}",
        result.notes
    );
}

#[test]
fn a_value_that_is_no_block_is_told_by_its_place_in_all_of_stdout() {
    let folder = tempfile::tempdir().unwrap();
    let played = folder.path().join("played");
    let good = r#"{"schema_version":"lonis.block/v1","attribution":{"identity":"a:b","provenance":{"when":"2026-01-01T00:00:00Z","producer":"a"}},"payload":{"kind":"t.x","data":1}}"#;
    let text = format!("{good}\n{}\n", good.replace("kind", "sort"));
    std::fs::write(&played, &text).unwrap();
    let result = both(&tool(&["play", &format!("stdout={}", played.display())]));
    let error = expect_error(&result, "invalid_output", 9);
    let place = text.find("\"sort\"").unwrap();
    assert_eq!(details(&error)["byte_offset"], place);
    assert!(
        error.message().ends_with(&format!("byte {place}")),
        "{error}"
    );
}

#[test]
fn every_form_of_whole_blocks_is_read() {
    for form in ["ndjson", "array", "pretty", "joined", "crlf", "bom"] {
        for chunk in ["chunk=0", "chunk=7"] {
            let result = both(&tool(&[
                "blocks",
                "count=2",
                &format!("form={form}"),
                chunk,
            ]));
            assert_eq!((result.blocks.len(), &result.error), (2, &None), "{form}");
        }
    }
    for (case, blocks) in [
        ("two-arrays", 2),
        ("blank-lines", 2),
        ("whitespace", 0),
        ("bom", 1),
        ("four-byte-text", 1),
    ] {
        let result = both(&tool(&["malformed", &format!("case={case}"), "chunk=2"]));
        assert_eq!(
            (result.blocks.len(), &result.error),
            (blocks, &None),
            "{case}"
        );
    }
}

#[test]
fn everything_else_is_invalid_and_keeps_the_blocks_before_it() {
    for (case, blocks, part) in [
        ("text", 0, "expected"),
        ("text-between", 1, "line 2"),
        ("trailing-text", 1, "expected"),
        ("scalar", 0, "expected"),
        ("null", 0, "expected"),
        ("nested-array", 0, "expected"),
        ("scalar-in-array", 1, "expected"),
        ("comma", 1, "expected"),
        ("trailing-comma", 1, "expected"),
        ("second-bom", 1, "byte order mark"),
        ("double-bom", 0, "byte order mark"),
        ("half-bom", 0, "not UTF-8"),
        ("truncated-array", 2, "truncated after 2 blocks"),
        ("truncated-line", 1, "truncated after 1 block"),
        ("nul", 1, "expected"),
        ("control-character", 0, "control character"),
        ("lone-surrogate", 0, "lone surrogate"),
        ("infinity", 0, "1e400"),
        ("nan", 0, "expected"),
        ("duplicate-kind", 0, "duplicate key `kind`"),
        ("duplicate-deep", 0, "duplicate key `b`"),
        ("duplicate-escaped", 0, "duplicate key `a`"),
        ("unknown-marker", 0, "foo.bar/v9"),
        ("unknown-key", 0, "`extra`"),
        ("missing-attribution", 0, "`attribution`"),
        ("missing-data", 0, "`data`"),
        ("third-payload-key", 0, "`more`"),
        ("internally-tagged", 0, "`content`"),
        ("bad-seed-data", 0, "`text`"),
        ("positional", 0, ""),
    ] {
        let result = both(&tool(&["malformed", &format!("case={case}")]));
        let error = expect_error(&result, "invalid_output", 9);
        assert_eq!(result.blocks.len(), blocks, "{case}");
        assert!(error.message().contains(part), "{case}: {error}");
    }
}

#[test]
fn a_breach_of_a_limit_is_a_warning_of_the_host() {
    for (case, part) in [
        ("bad-stamp", "host: `/attribution/provenance/when`"),
        ("broken-bounds", "host: `/bounds`"),
    ] {
        let result = both(&tool(&["malformed", &format!("case={case}")]));
        assert_eq!((result.blocks.len(), &result.error), (1, &None), "{case}");
        assert!(
            result.blocks[0].warnings()[0].starts_with(part),
            "{:?}",
            result.blocks[0].warnings()
        );
    }
}

#[test]
fn elements_of_an_array_are_handed_out_as_they_close() {
    let mut handshake = Handshake::new().expect("a handshake");
    let argument = handshake.argument();
    let tool = tool(&[
        "--mode",
        "json",
        "call",
        "misbehave.blocks,count=3,form=array,gated=yes",
        &argument,
    ]);
    let mut stream = tool.start(Call::new(json!(null))).expect("it starts");
    for number in 0..3 {
        handshake
            .open_gate("leader", LIMIT)
            .expect("the child waits");
        // The child stands before its next element now, or is about to.
        let block = stream.next().expect("a block").expect("no error");
        assert_eq!(output(&block)["number"], number);
    }
    assert!(stream.next().is_none());
}

#[test]
fn silence_is_success_and_an_exit_code_alone_is_a_failure() {
    assert_eq!(both(&tool(&["quiet", "millis=0"])).error, None);
    let result = both(&tool(&["exit", "code=5"]));
    let error = expect_error(&result, "tool_failed", 5);
    assert_eq!(
        (error.message(), details(&error)),
        ("exited with code 5", json!({"exit_code": 5}))
    );
}

#[test]
fn a_long_stream_keeps_its_order_in_little_memory() {
    in_own_process(
        "subprocess::output::a_long_stream_keeps_its_order_in_little_memory",
        || {
            let tool = tool(&["blocks", "count=100000", "size=590"])
                .with_max_stdout_bytes(1 << 30)
                .with_timeout_millis(AMPLE_MILLIS);
            let before = peak_memory_kib();
            let stream = tool.start(Call::new(json!(null))).expect("it starts");
            let mut count = 0;
            for item in stream {
                assert_eq!(output(&item.expect("a block"))["number"], count);
                count += 1;
            }
            let grown = peak_memory_kib() - before;
            assert_eq!(count, 100_000);
            // The allocator of a process that has just begun takes some of it.
            assert!(grown <= 6 << 10, "{grown} KiB more");
        },
    );
}

#[test]
fn nesting_is_counted_and_never_exhausts_the_stack() {
    assert_eq!(both(&tool(&["deep", "depth=127"])).error, None);
    for depth in ["depth=128", "depth=100000"] {
        let error = expect_error(&both(&tool(&["deep", depth])), "invalid_output", 9);
        assert!(error.message().contains("127"), "{error}");
    }
}
