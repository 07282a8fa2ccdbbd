//! How calls end before their time, and that nothing is left of them.

use std::time::Duration;

use misbehave::Handshake;
use serde_json::{Value, json};

use crate::client::{Client, PATIENCE, Setup, odd_tool};

/// A server with a tool that sleeps beside a grandchild that holds its pipes, and one that only sleeps.
fn sleeping(handshake: &Handshake) -> Setup {
    let log = handshake.argument();
    Setup::odd(&[
        ("odd:hold", &["hold-pipe", "millis=60000", &log]),
        ("odd:sleep", &["sleep", "millis=60000", &log]),
        ("odd:echo", &["echo"]),
    ])
}

fn handshake() -> Handshake {
    Handshake::new().expect("a handshake can be made")
}

fn wait_for(handshake: &mut Handshake, role: &str) {
    handshake
        .wait_for(role, "ready", PATIENCE)
        .expect("the tool starts");
}

fn assert_gone(handshake: &mut Handshake) {
    assert_eq!(handshake.wait_gone(PATIENCE), []);
}

fn ask(client: &mut Client, name: &str) -> i64 {
    client.ask("tools/call", &json!({"name": name, "arguments": {}}))
}

fn code(frame: &Value) -> (i64, &str) {
    let error = &frame["error"];
    (
        error["code"].as_i64().unwrap_or(0),
        error["data"]["code"].as_str().unwrap_or(""),
    )
}

#[test]
fn a_running_call_that_is_cancelled_is_gone_before_it_is_answered() {
    let mut handshake = handshake();
    let mut client = sleeping(&handshake).ready();
    let id = ask(&mut client, "odd-hold");
    wait_for(&mut handshake, "grandchild");
    client.notify(
        "notifications/cancelled",
        &json!({"requestId": id, "reason": "enough"}),
    );
    let answer = client.answer(id);
    assert_eq!(code(&answer), (-32800, "mcp/cancelled"), "{answer}");
    let data = &answer["error"]["data"];
    assert_eq!(data["phase"], "running");
    assert_eq!(
        data["audit"]["termination"], "cancelled-and-reaped",
        "{data}"
    );
    assert_eq!(data["effect"], "none");
    assert_gone(&mut handshake);
    // Its id may be used again, and cancelling what is over does nothing.
    client.notify("notifications/cancelled", &json!({"requestId": id}));
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
    assert_eq!(client.answer(id)["result"], json!({}));
}

#[test]
fn a_waiting_call_that_is_cancelled_is_never_started() {
    let mut handshake = handshake();
    let mut client = sleeping(&handshake).with(&["--max-running", "1"]).ready();
    let first = ask(&mut client, "odd-sleep");
    wait_for(&mut handshake, "leader");
    let second = ask(&mut client, "odd-sleep");
    client.notify("notifications/cancelled", &json!({"requestId": second}));
    let answer = client.answer(second);
    assert_eq!(answer["error"]["data"]["phase"], "queued", "{answer}");
    assert_eq!(
        answer["error"]["data"]["audit"]["termination"],
        "not-started"
    );
    client.notify("notifications/cancelled", &json!({"requestId": first}));
    assert_eq!(code(&client.answer(first)), (-32800, "mcp/cancelled"));
    assert_eq!(handshake.pids().len(), 1);
    assert_gone(&mut handshake);
}

#[test]
fn a_cancelled_call_can_be_left_without_an_answer() {
    let mut handshake = handshake();
    let mut client = sleeping(&handshake)
        .exposing("version = 1\n[serve]\ncancelled_response = false\n")
        .ready();
    let id = ask(&mut client, "odd-sleep");
    wait_for(&mut handshake, "leader");
    client.notify("notifications/cancelled", &json!({"requestId": id}));
    assert_gone(&mut handshake);
    client.close();
    assert_eq!(client.rest(), Vec::<Value>::new());
    let (status, stderr) = client.end();
    assert!(
        status.success() && stderr.contains("mcp/cancelled"),
        "{status} {stderr}"
    );
}

#[test]
fn an_id_is_taken_while_its_call_is_active() {
    let mut handshake = handshake();
    let mut client = sleeping(&handshake).ready();
    let id = ask(&mut client, "odd-sleep");
    wait_for(&mut handshake, "leader");
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
    assert_eq!(code(&client.answer(id)), (-32600, "mcp/id-active"));
    let text = id.to_string();
    client.send(&json!({"jsonrpc": "2.0", "id": text, "method": "ping"}));
    assert_eq!(client.next()["id"], json!(text));
}

#[test]
fn a_deadline_of_the_client_or_of_the_file_ends_the_call() {
    let mut handshake = handshake();
    let exposure = "version = 1\n[[expose]]\ntool = \"odd:hold\"\ndeadline_millis = 700\n";
    let mut client = sleeping(&handshake).exposing(exposure).ready();
    for (name, meta, limit) in [
        ("odd-sleep", json!({"genesis/deadlineMs": 600}), 600),
        ("odd-hold", json!({}), 700),
        ("odd-hold", json!({"genesis/deadlineMs": 80_000}), 700),
    ] {
        let params = json!({"name": name, "arguments": {}, "_meta": meta});
        let answer = client.request("tools/call", &params);
        // The tool's own bound may be seen first, since both are the same then.
        if answer.get("result").is_some() {
            let envelope = &answer["result"]["structuredContent"];
            assert_eq!(
                (envelope["error"]["code"].as_str(), limit),
                (Some("tool/timeout"), 700)
            );
            continue;
        }
        assert_eq!(code(&answer), (-32007, "mcp/resource-exceeded"), "{answer}");
        let data = &answer["error"]["data"];
        assert_eq!(
            (&data["resource"], &data["limit"]),
            (&json!("wall"), &json!(limit))
        );
    }
    assert_gone(&mut handshake);
}

#[test]
fn what_a_closed_connection_leaves_is_finished_or_ended() {
    for (drain, is_finished) in [("60000", true), ("0", false)] {
        let mut handshake = handshake();
        let log = handshake.argument();
        let setup = Setup::odd(&[("odd:blocks", &["blocks", "count=1", "gated=yes", &log])]);
        let mut client = setup.with(&["--drain-timeout-ms", drain]).ready();
        let id = ask(&mut client, "odd-blocks");
        handshake
            .wait_for("leader", "gate", PATIENCE)
            .expect("the tool starts");
        client.close();
        if is_finished {
            handshake.open_gate("leader", PATIENCE).expect("it waits");
        }
        let frames = client.rest();
        let answer = frames
            .iter()
            .find(|frame| frame["id"] == id)
            .expect("it is answered");
        if is_finished {
            assert_eq!(answer["result"]["isError"], false, "{answer}");
        } else {
            assert_eq!(code(answer), (-32006, "mcp/drain-timeout"), "{answer}");
        }
        assert_gone(&mut handshake);
        let (status, stderr) = client.end();
        assert!(status.success(), "{status} {stderr}");
    }
}

#[test]
fn calls_beyond_those_that_are_finished_are_not_begun() {
    let mut handshake = handshake();
    let words = ["--drain-timeout-ms", "500", "--max-drain-requests", "1"];
    let mut client = sleeping(&handshake).with(&words).ready();
    let running = ask(&mut client, "odd-sleep");
    wait_for(&mut handshake, "leader");
    let more: Vec<i64> = (0..6).map(|_| ask(&mut client, "odd-sleep")).collect();
    client.close();
    let frames = client.rest();
    let code_of = |id: i64| {
        let frame = frames
            .iter()
            .find(|frame| frame["id"] == id)
            .expect("it is answered");
        code(frame).1.to_owned()
    };
    assert_eq!(code_of(running), "mcp/drain-timeout");
    // Some of them may have been begun before the end was seen; the last two cannot have been.
    for id in &more[4..] {
        assert_eq!(code_of(*id), "mcp/drain-bounded");
    }
    assert_gone(&mut handshake);
}

#[test]
fn nothing_is_left_of_a_server_that_is_killed_or_ended() {
    for signal in ["KILL", "TERM"] {
        let mut handshake = handshake();
        let mut client = sleeping(&handshake).ready();
        ask(&mut client, "odd-sleep");
        wait_for(&mut handshake, "leader");
        client.signal(signal);
        client.rest();
        assert_gone(&mut handshake);
    }
}

#[test]
fn a_client_that_never_reads_is_not_waited_for() {
    let mut handshake = handshake();
    let log = handshake.argument();
    let config = [
        odd_tool("odd:big", &["exact", "bytes=900000"], "read-only"),
        odd_tool("odd:sleep", &["sleep", "millis=60000", &log], "read-only"),
    ];
    let mut client = Setup::new(&config.concat())
        .with(&["--inline-bytes", "4000000"])
        .unread();
    for id in 0..40 {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "odd-big"}}));
    }
    client.send(&json!({"jsonrpc": "2.0", "id": "s", "method": "tools/call", "params": {"name": "odd-sleep"}}));
    client.close();
    let status = client.wait();
    assert!(status.success(), "{status}");
    assert_gone(&mut handshake);
}

#[test]
fn a_hundred_calls_at_once_are_bounded_and_each_is_answered() {
    let mut handshake = handshake();
    let mut client = sleeping(&handshake)
        .with(&["--max-queue", "8", "--max-running", "2"])
        .ready();
    let first: Vec<i64> = (0..2).map(|_| ask(&mut client, "odd-sleep")).collect();
    while handshake.pids().len() < 2 {
        let heard = handshake.wait_for("leader", "never", Duration::from_millis(50));
        assert!(heard.is_err());
    }
    let more: Vec<i64> = (0..100).map(|_| ask(&mut client, "odd-sleep")).collect();
    client.request("ping", &json!({}));
    // Those that wait go first, so that none of them is begun in place of one that ends.
    for id in more.iter().chain(&first) {
        client.notify("notifications/cancelled", &json!({"requestId": id}));
    }
    client.close();
    let frames = client.rest();
    let mut codes: Vec<&str> = frames
        .iter()
        .filter(|frame| frame.get("error").is_some())
        .map(|frame| code(frame).1)
        .collect();
    codes.sort_unstable();
    assert_eq!(
        codes
            .iter()
            .filter(|code| **code == "mcp/cancelled")
            .count(),
        10
    );
    assert_eq!(handshake.pids().len(), 2);
    assert_gone(&mut handshake);
}

#[test]
fn of_a_line_of_a_hundred_megabytes_only_the_front_is_kept() {
    let mut client = Setup::new("").ready();
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":\"big\",\"method\":\"ping\",\"params\":{\"x\":\"");
    let part = "y".repeat(1 << 20);
    for _ in 0..100 {
        client.write(part.as_bytes());
    }
    client.write(b"\"}}\n");
    let answer = client.next();
    assert_eq!(
        (code(&answer), &answer["id"]),
        ((-32003, "mcp/frame-too-large"), &json!("big"))
    );
    client.request("ping", &json!({}));
    if let Some(peak) = client.peak_kibibytes() {
        assert!(peak < 96 * 1024, "{peak} KiB");
    }
}

#[test]
fn in_the_document_form_a_call_without_an_end_is_a_document_too() {
    let mut handshake = handshake();
    let exposure = "version = 1\n[[expose]]\ntool = \"odd:sleep\"\ndeadline_millis = 300\n\
        [serve]\ndefaults = false\nresult = \"document\"\n";
    let mut client = sleeping(&handshake).exposing(exposure).ready();
    let answer = client.call("odd-sleep", &json!({}));
    let text = answer["result"]["content"][0]["text"]
        .as_str()
        .expect("a text");
    let document: Value = serde_json::from_str(text).expect("a document");
    let error = &document["errors"][0];
    assert_eq!(
        (&answer["result"]["isError"], &error["code"]),
        (&json!(true), &json!("internal"))
    );
    let message = error["message"].as_str().expect("a text");
    assert!(message.starts_with("timeout: "), "{message}");
    assert_gone(&mut handshake);
}

#[test]
fn an_answer_that_cannot_be_written_is_a_failure_unless_the_client_is_gone() {
    use std::fs::File;
    use std::process::Stdio;

    let greeting = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    });
    let full = File::options()
        .write(true)
        .open("/dev/full")
        .expect("Linux has it");
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    for (output, code) in [(Stdio::from(full), 8), (Stdio::from(writer), 0)] {
        let setup = Setup::odd(&[("odd:echo", &["echo"])]);
        setup.write("greeting", &format!("{greeting}\n"));
        let input = File::open(setup.path("greeting")).expect("it was written");
        let ended = setup.command().stdin(input).stdout(output).output();
        let ended = ended.expect("the server starts");
        assert_eq!(ended.status.code(), Some(code), "{ended:?}");
    }
}
