//! Calls of tools that behave, and of some that do not.

use serde_json::json;

use crate::client::{Setup, odd_tool};

#[test]
fn a_call_gives_one_envelope_as_text_and_as_structure() {
    let mut client = Setup::odd(&[("odd:echo", &["echo"])]).ready();
    let answer = client.call("odd-echo", &json!({"text": "--help"}));
    let result = &answer["result"];
    assert_eq!(result["isError"], false, "{answer}");
    let content = result["content"].as_array().expect("a list");
    assert_eq!(content.len(), 1);
    let text = content[0]["text"].as_str().expect("a text");
    let envelope: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(envelope, result["structuredContent"]);
    assert_eq!(
        (&envelope["ok"], &envelope["kind"]),
        (&json!(true), &json!("lonis/call-v0.1"))
    );
    assert_eq!(envelope["data"]["tool"], "odd:echo");
    assert_eq!(
        envelope["data"]["blocks"][0]["payload"]["data"]["output"],
        json!({"text": "--help"})
    );
    let meta = &result["_meta"];
    assert_eq!(meta["genesis/effect"], "none");
    assert_eq!(meta["genesis/sessionAudit"]["termination"], "completed");
    assert_eq!(
        meta["genesis/sessionAudit"]["enforcement"]["wall"],
        "process-tree-deadline"
    );
}

#[test]
fn what_a_tool_fails_with_is_a_result() {
    let mut client = Setup::odd(&[
        ("odd:error", &["error", "kind=teapot", "exit=3"]),
        ("odd:exit", &["exit", "code=5"]),
        ("odd:utf8", &["bad-utf8"]),
        ("odd:die", &["die", "signal=9", "blocks=1"]),
        ("odd:endless", &["endless", "children=1"]),
        ("odd:deeper", &["deep", "depth=128"]),
        ("odd:forged", &["malformed", "case=duplicate-deep"]),
    ])
    .ready();
    for (name, code) in [
        ("odd-error", "tool/foreign-error"),
        ("odd-exit", "tool/failed"),
        ("odd-utf8", "tool/invalid-output"),
        ("odd-die", "tool/failed"),
        ("odd-endless", "tool/output-limit"),
        ("odd-deeper", "tool/invalid-output"),
        ("odd-forged", "tool/invalid-output"),
    ] {
        let answer = client.call(name, &json!({}));
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{answer}");
        let envelope = &result["structuredContent"];
        assert_eq!(envelope["ok"], false, "{answer}");
        assert_eq!(envelope["error"]["code"], code, "{answer}");
        assert_eq!(envelope["diagnostics"][0]["code"], code, "{answer}");
    }
}

#[test]
fn a_policy_of_the_host_holds_for_clients_too() {
    let config = odd_tool("odd:ask", &["echo"], "none")
        + &odd_tool("odd:deny", &["echo"], "none")
        + "[[policy]]\nids = [\"odd:ask\"]\ndecide = \"ask\"\n[[policy]]\nids = [\"odd:deny\"]\ndecide = \"deny\"\n";
    let mut client = Setup::new(&config).ready();
    for name in ["odd-ask", "odd-deny"] {
        let answer = client.call(name, &json!({}));
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(answer["result"]["_meta"]["genesis/effect"], "none");
        let audit = &answer["result"]["_meta"]["genesis/sessionAudit"];
        assert_eq!(audit["termination"], "not-started", "{audit}");
    }
}

#[test]
fn progress_grows_and_ends_before_the_answer() {
    let action = |name: &str| {
        format!(
            "{{\"schema_version\":\"lonis.block/v1\",\"attribution\":{{\"identity\":\"odd:play\",\"provenance\":\
             {{\"when\":\"2026-01-01T00:00:00Z\",\"producer\":\"odd:play\"}}}},\"payload\":{{\"kind\":\"action\",\
             \"data\":{{\"verb\":\"test\",\"target\":\"{name}\",\"status\":\"completed\"}}}}}}\n"
        )
    };
    let setup = Setup::odd(&[]);
    let blocks = setup.path("blocks");
    setup.write("blocks", &["one", "two", "three"].map(action).concat());
    let play = format!("stdout={}", blocks.display());
    setup.write(
        "lonis.toml",
        &odd_tool("odd:play", &["play", &play], "none"),
    );
    let mut client = setup.ready();
    let params = json!({"name": "odd-play", "arguments": {}, "_meta": {"progressToken": "t"}});
    let id = client.ask("tools/call", &params);
    let (mut seen, mut messages) = (Vec::new(), Vec::new());
    let answer = loop {
        let frame = client.next();
        if frame["id"] == id {
            break frame;
        }
        assert_eq!(frame["method"], "notifications/progress", "{frame}");
        assert_eq!(frame["params"]["progressToken"], "t");
        assert_eq!(frame["params"]["total"], 1);
        messages.extend(frame["params"]["message"].as_str().map(str::to_owned));
        seen.push(frame["params"]["progress"].as_f64().expect("a number"));
    };
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let (first, last) = (seen.first().copied(), seen.last().copied());
    assert_eq!((first, last), (Some(0.0), Some(1.0)), "{seen:?}");
    assert!(
        seen.len() >= 3 && seen.is_sorted_by(|one, next| one < next),
        "{seen:?}"
    );
}

#[test]
fn a_block_as_deep_as_may_be_is_read_in_pages() {
    let mut client = Setup::odd(&[("odd:deep", &["deep", "depth=127"])]).ready();
    let answer = client.call("odd-deep", &json!({}));
    let data = &answer["result"]["structuredContent"]["data"];
    assert_eq!(
        (&data["paged"], &data["pages"]),
        (&json!(true), &json!(1)),
        "{answer}"
    );
    let read = client.request("resources/read", &json!({"uri": data["uri"]}));
    let text = read["result"]["contents"][0]["text"]
        .as_str()
        .expect("a text");
    assert_eq!(text.len() as u64, data["bytes"].as_u64().expect("a count"));
}
