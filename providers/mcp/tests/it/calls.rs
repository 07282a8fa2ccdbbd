//! Calls of tools that behave, and of some that do not.

use serde_json::json;

use crate::client::Setup;

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
    ])
    .ready();
    for (name, code) in [
        ("odd-error", "tool/foreign-error"),
        ("odd-exit", "tool/failed"),
        ("odd-utf8", "tool/invalid-output"),
        ("odd-die", "tool/failed"),
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
