//! Requests that need no handshake, alone and between those of one.

use serde_json::{Value, json};

use crate::client::{Client, Setup, names};

fn params(version: &str, mut more: Value) -> Value {
    more["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(version);
    more["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    more
}

fn ask(client: &mut Client, method: &str, more: Value) -> Value {
    client.request(method, &params("2026-07-28", more))
}

#[test]
fn a_request_is_served_by_itself_in_any_state() {
    let mut client = Setup::odd(&[("odd:echo", &["echo"])]).start();
    for is_greeted in [false, true] {
        if is_greeted {
            client.greet(&json!({}));
        }
        let discovered = ask(&mut client, "server/discover", json!({}));
        let result = &discovered["result"];
        assert_eq!(
            result["supportedVersions"],
            json!(["2026-07-28"]),
            "{discovered}"
        );
        assert_eq!(
            result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
            "lonis-mcp"
        );
        let list = ask(&mut client, "tools/list", json!({}));
        assert!(names(&list).contains(&"odd-echo"));
        for member in [
            ("resultType", json!("complete")),
            ("cacheScope", json!("private")),
            ("ttlMs", json!(0)),
        ] {
            assert_eq!(list["result"][member.0], member.1, "{}", member.0);
        }
        let called = ask(
            &mut client,
            "tools/call",
            json!({"name": "odd-echo", "arguments": {"text": "x"}}),
        );
        assert_eq!(called["result"]["isError"], false, "{called}");
        assert_eq!(called["result"]["resultType"], "complete");
        assert_eq!(called["result"].get("ttlMs"), None);
    }
    let plain = client.request("tools/list", &json!({}));
    assert_eq!(plain["result"].get("resultType"), None, "{plain}");
}

#[test]
fn what_is_wrong_is_said_in_the_numbers_of_the_revision() {
    let mut client = Setup::odd(&[("odd:echo", &["echo"])]).start();
    let code = |frame: &Value| {
        (
            frame["error"]["code"].clone(),
            frame["error"]["data"]["code"].clone(),
        )
    };
    let unread = client.request("tools/list", &params("2099-01-01", json!({})));
    assert_eq!(
        code(&unread),
        (json!(-32022), json!("mcp/protocol-version"))
    );
    assert_eq!(unread["error"]["data"]["supported"], json!(["2026-07-28"]));
    assert_eq!(unread["error"]["data"]["requested"], "2099-01-01");
    let bare = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    assert_eq!(
        code(&client.request("tools/list", &bare)),
        (json!(-32602), json!("mcp/params"))
    );
    let ping = ask(&mut client, "ping", json!({}));
    assert_eq!(code(&ping), (json!(-32601), json!("mcp/method")));
    let gone = ask(
        &mut client,
        "resources/read",
        json!({"uri": "lonis://nothing"}),
    );
    assert_eq!(code(&gone), (json!(-32602), json!("mcp/resource-unknown")));
    let wrong = ask(
        &mut client,
        "tools/call",
        json!({"name": "odd-echo", "arguments": {"text": 1}}),
    );
    assert_eq!(wrong["result"]["isError"], true, "{wrong}");
    assert_eq!(
        wrong["result"]["structuredContent"]["error"]["code"],
        "mcp/arguments"
    );
}

#[test]
fn the_form_can_be_turned_off() {
    let mut client = Setup::odd(&[("odd:echo", &["echo"])])
        .exposing("version = 1\n[serve]\nstateless = false\n")
        .start();
    for method in ["server/discover", "tools/list"] {
        let refused = ask(&mut client, method, json!({}));
        assert_eq!(refused["error"]["code"], -32601, "{refused}");
    }
}
