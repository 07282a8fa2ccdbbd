//! Who may end a call, hold it to less, or watch it.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use lonis_core::limits::Bound;
use lonis_core::process::CancelToken;
use lonis_core::{Availability, Call, SubprocessTool, Tool, ToolRegistry};
use lonis_schema::{ErrorKind, ToolContract, ToolId};
use misbehave::Handshake;
use serde_json::{Value, json};

use super::support::{details, expect_error, id, output, streamed, tool};
use crate::process::support::{AMPLE_MILLIS, limits, slack, within};

const LIMIT: Duration = Duration::from_mins(1);
const GRACE: Duration = Duration::from_millis(250);

#[test]
fn a_dropped_stream_leaves_nothing_behind() {
    let mut handshake = Handshake::new().expect("a handshake");
    let tool = tool(&["endless", &handshake.argument()]);
    let mut stream = tool.start(Call::new(json!(null))).expect("it starts");
    assert!(stream.next().expect("an item").is_ok());
    handshake
        .wait_for("leader", "ready", LIMIT)
        .expect("it announces itself");
    within(GRACE, || drop(stream));
    assert_eq!(handshake.wait_gone(slack()), []);
}

#[test]
fn a_cancelled_call_ends_while_its_tool_is_quiet() {
    let mut handshake = Handshake::new().expect("a handshake");
    let tool = tool(&["quiet", "millis=100000", &handshake.argument()]).with_timeout_millis(60_000);
    let token = CancelToken::new();
    let mut stream = tool
        .start(Call::new(json!(null)).with_cancel(token.clone()))
        .expect("it starts");
    handshake
        .wait_for("leader", "started", LIMIT)
        .expect("it announces itself");
    let canceller = std::thread::spawn(move || {
        token.cancel();
        Instant::now()
    });
    let error = stream.next().expect("an item").expect_err("cancelled");
    let cancelled_at = canceller.join().expect("no panic");
    assert!(cancelled_at.elapsed() <= GRACE + slack());
    assert_eq!(
        (error.kind(), error.exit_code()),
        (&ErrorKind::Cancelled, 1)
    );
    assert_eq!(handshake.wait_gone(slack()), []);
}

#[test]
fn a_call_may_be_held_to_less_than_its_tool() {
    let tool = tool(&["quiet", "millis=100000"]).with_timeout_millis(90_000);
    let call = Call::new(json!(null)).with_limits(limits(&[(Bound::TimeoutMillis, 300)]));
    let result = within(Duration::from_millis(300) + GRACE, || streamed(&tool, call));
    assert_eq!(
        details(&expect_error(&result, "timeout", 7))["timeout_millis"],
        300
    );
}

#[test]
fn stderr_is_heard_while_the_tool_runs() {
    let tool = tool(&["log-then-wait", "millis=100000"]).with_timeout_millis(90_000);
    let (heard, lines) = mpsc::channel();
    let token = CancelToken::new();
    let call = Call::new(json!(null))
        .with_cancel(token.clone())
        .on_stderr(move |bytes| {
            heard.send(bytes.to_vec()).expect("the test listens");
        });
    let mut stream = tool.start(call).expect("it starts");
    let listener = std::thread::spawn(move || {
        let line = lines.recv().expect("a line comes before the exit");
        token.cancel();
        line
    });
    let error = stream.next().expect("an item").expect_err("cancelled");
    assert_eq!(error.kind(), &ErrorKind::Cancelled);
    assert_eq!(listener.join().expect("no panic"), b"working on it\n");
    assert_eq!(details(&error)["stderr_tail"], "working on it");
}

#[test]
fn eight_threads_share_one_registry() {
    // Each call is quiet until all eight are there.
    let folder = tempfile::tempdir().expect("a folder");
    let until_eight = format!(
        "cd {}; : > $$; while [ $(ls | wc -l) -lt 8 ]; do sleep 0.01; done",
        folder.path().display()
    );
    let mut registry = ToolRegistry::new();
    registry
        .register(Box::new(tool(&["echo"])))
        .expect("the first of its id");
    registry
        .register(Box::new(
            SubprocessTool::new(ToolId::new("a:slow").expect("an id"), "sh")
                .with_args(["-c".to_owned(), until_eight])
                .with_timeout_millis(AMPLE_MILLIS),
        ))
        .expect("another id");
    std::thread::scope(|scope| {
        for number in 0..8 {
            let registry = &registry;
            scope.spawn(move || {
                let slow = registry.run(
                    &ToolId::new("a:slow").expect("an id"),
                    Call::new(json!(number)),
                );
                assert!(slow.is_success(), "{:?}", slow.error);
                let echoed = registry
                    .invoke(&id(), json!({"number": number}))
                    .expect("it answers");
                assert_eq!(output(&echoed[0]), json!({"number": number}));
            });
        }
    });
}

#[test]
fn digits_reach_the_tool_as_they_were_written() {
    let text = r#"{"z":1.50,"a":12345678901234567890123,"s":"\u0041"}"#;
    let call = Call::new(lonis_schema::Json::parse(text).expect("JSON"));
    let result = streamed(
        &tool(&["cat"]).with_mapping(lonis_core::StdoutMapping::Text),
        call,
    );
    assert_eq!(output(&result.blocks[0])["stdout"], text);
}

#[test]
fn a_call_may_change_the_environment_and_the_directory() {
    let folder = tempfile::tempdir().expect("a folder");
    let call = Call::new(json!(null))
        .with_env("SAID", "once")
        .with_cwd(folder.path());
    let shell = SubprocessTool::new(id(), "sh")
        .with_args(["-c", "printf '%s %s' \"$SAID\" \"$PWD\""])
        .with_env([("SAID", "always")])
        .with_mapping(lonis_core::StdoutMapping::Text);
    let said = |call| {
        output(&streamed(&shell, call).blocks[0])["stdout"]
            .as_str()
            .expect("text")
            .to_owned()
    };
    let path = folder.path().canonicalize().expect("it exists");
    assert_eq!(said(call), format!("once {}", path.display()));
    assert!(said(Call::new(json!(null))).starts_with("always "));
}

#[test]
fn what_is_not_there_is_unavailable_and_nothing_is_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "").expect("written");
    let missing =
        |availability: &Availability| matches!(availability, Availability::Missing { .. });
    for (command, is_missing) in [
        ("lonis-no-such-tool".into(), true),
        (folder.path().join("missing"), true),
        (folder.path().to_owned(), false),
        (plain, false),
    ] {
        let tool = SubprocessTool::new(id(), &command);
        assert!(!tool.availability().is_ready());
        assert_eq!(
            missing(&tool.availability()),
            is_missing,
            "{}",
            command.display()
        );
        let error = tool
            .start(Call::new(json!(null)))
            .expect_err("it is not there");
        assert_eq!(
            (error.kind(), error.exit_code()),
            (&ErrorKind::Unavailable, 6)
        );
        assert_eq!(details(&error)["failed_part"], "command");
    }
    assert_eq!(tool(&["echo"]).availability(), Availability::Ready);
}

#[test]
fn input_that_breaks_the_contract_never_starts_the_tool() {
    let mut handshake = Handshake::new().expect("a handshake");
    let contract = ToolContract::new("misbehave:tool", "Echoes.")
        .with_input_json_schema(json!({"properties": {"word": {"type": "string"}}}));
    let tool = tool(&["echo", &handshake.argument()]).with_contract(contract.clone());
    let error = tool
        .invoke(json!({"word": 7}))
        .expect_err("a number is no word");
    assert_eq!(
        (error.kind(), error.exit_code()),
        (&ErrorKind::InvalidInput, 2)
    );
    assert_eq!(details(&error)["pointer"], "/word");
    assert_eq!(handshake.heard(), []);
    assert_eq!(
        tool.invoke(json!({"word": "x"})).expect("it echoes").len(),
        1
    );
    assert_eq!(tool.contract(), Some(contract));
}

#[test]
fn a_pin_on_another_input_is_a_note() {
    let block = |pin: &str| {
        format!(
            r#"{{"schema_version":"lonis.block/v1","provenance":{{"input_hash":"{pin}"}},"attribution":{{"identity":"a:b","provenance":{{"when":"2026-03-01T12:00:00Z","producer":"a:b"}}}},"payload":{{"kind":"t.x","data":1}}}}"#
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let played = folder.path().join("stdout");
    let right = lonis_schema::Json::from(Value::Null).content_hash();
    std::fs::write(
        &played,
        [block(right.as_str()), block("wrong"), block("wrong")].join("\n"),
    )
    .expect("written");
    let result = streamed(
        &tool(&["play", &format!("stdout={}", played.display())]),
        Call::new(json!(null)),
    );
    assert_eq!((result.blocks.len(), result.error), (3, None));
    assert_eq!(result.notes.len(), 1);
    assert!(
        result.notes[0].starts_with("block 2 pins the input hash `wrong`"),
        "{:?}",
        result.notes
    );
    assert!(
        result.notes[0].ends_with("so does 1 further block"),
        "{:?}",
        result.notes
    );
}
