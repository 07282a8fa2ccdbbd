//! How a tool fails: its own error first, then its exit, then what the host did about it.

use lonis_core::{Call, Delivery, Tool, run_call};
use lonis_schema::OutputMode;
use serde_json::{Value, json};

use super::support::{both, details, expect_error, streamed, tool};

#[test]
fn a_signal_is_a_fact_and_not_prose() {
    for (signal, name, code) in [(9, "SIGKILL", 137), (11, "SIGSEGV", 139)] {
        let error = expect_error(
            &both(&tool(&["die", &format!("signal={signal}")])),
            "tool_failed",
            code,
        );
        assert_eq!(
            details(&error),
            json!({"signal": signal, "signal_name": name})
        );
    }
}

#[test]
fn a_failure_never_has_the_code_of_success() {
    for (exit, code) in [("exit=3", 3), ("exit=5", 5)] {
        let tool = tool(&["error", "exit_code=0", exit]);
        let error = expect_error(&both(&tool), "teapot", code);
        assert_eq!(error.message(), "short and stout");
        for delivery in [Delivery::Collected, Delivery::Streamed] {
            let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
            let started = tool.start(Call::new(json!(null)));
            assert_eq!(
                run_call(
                    started,
                    delivery,
                    OutputMode::Json,
                    &mut stdout,
                    &mut stderr
                ),
                code
            );
        }
    }
}

#[test]
fn the_last_line_decides_and_the_rest_are_diagnostics() {
    let result = both(&tool(&["error", "before=2", "exit=4", "exit_code=9"]));
    let error = expect_error(&result, "teapot", 9);
    assert_eq!(details(&error), json!({"from": "misbehave"}));
    assert_eq!(result.diagnostics, "log line 0 before\nlog line 1 before");

    let error = expect_error(
        &both(&tool(&["error", "after=1", "exit=4"])),
        "tool_failed",
        4,
    );
    assert!(error.message().ends_with("log line 0 after"), "{error}");

    for (form, kind) in [
        ("pretty", "teapot"),
        ("no-code", "teapot"),
        ("no-kind", "tool_failed"),
        ("array", "tool_failed"),
    ] {
        expect_error(
            &both(&tool(&["error", &format!("form={form}"), "exit=3"])),
            kind,
            3,
        );
    }
}

#[test]
fn an_error_beside_success_is_a_note() {
    let result = both(&tool(&["error", "exit=0", "blocks=1"]));
    assert_eq!((result.blocks.len(), result.error), (1, None));
    assert_eq!(result.notes.len(), 1);
    assert!(
        result.notes[0].contains("teapot: short and stout"),
        "{:?}",
        result.notes
    );
}

#[test]
fn a_failure_tells_which_blocks_came_before_it() {
    let tool = tool(&["blocks", "count=2", "exit=5"]);
    let streamed = streamed(&tool, Call::new(json!(null)));
    assert_eq!(streamed.blocks.len(), 2);
    assert_eq!(
        details(&expect_error(&streamed, "tool_failed", 5))["blocks"],
        2
    );

    let error = tool.invoke(Value::Null).expect_err("exit 5");
    let details = details(&error);
    assert_eq!(details["blocks"], 2);
    assert_eq!(
        details["partial_blocks"],
        serde_json::to_value(&streamed.blocks).expect("they are blocks")
    );
}

#[test]
fn what_a_stream_delivered_is_written_before_its_error() {
    let tool = tool(&["error", "blocks=3", "exit=3"]);
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let started = tool.start(Call::new(json!(null)));
    let code = run_call(
        started,
        Delivery::Streamed,
        OutputMode::Json,
        &mut stdout,
        &mut stderr,
    );
    assert_eq!(code, 3);
    assert_eq!(
        serde_json::from_slice::<Vec<Value>>(&stdout)
            .expect("an array")
            .len(),
        3
    );
    let error: Value = serde_json::from_slice(&stderr).expect("one error and nothing else");
    assert_eq!(error["kind"], "teapot");

    let started = tool.start(Call::new(json!(null)));
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    run_call(
        started,
        Delivery::Collected,
        OutputMode::Json,
        &mut stdout,
        &mut stderr,
    );
    assert_eq!(stdout, b"");
}

#[test]
fn a_long_stderr_is_cut_in_the_message_and_kept_at_its_end() {
    let error = expect_error(
        &both(&tool(&["noise", "bytes=204800", "exit=3"])),
        "tool_failed",
        3,
    );
    assert!(error.message().len() <= 4096);
    let tail = details(&error)["stderr_tail"]
        .as_str()
        .expect("the tail")
        .to_owned();
    assert!(
        tail.len() <= 16 << 10 && tail.ends_with("last line"),
        "{}",
        tail.len()
    );
}
