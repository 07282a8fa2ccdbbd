//! The order of a connection, from its first line to the end of the process.

use serde_json::{Value, json};

use crate::client::{Client, Setup, names};

fn initialize(id: &Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id, "method": "initialize",
        "params": {"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    })
}

fn code(frame: &Value) -> (i64, &str) {
    let error = &frame["error"];
    (
        error["code"].as_i64().unwrap_or(0),
        error["data"]["code"].as_str().unwrap_or(""),
    )
}

fn one(client: &mut Client, frame: &Value) -> Value {
    client.send(frame);
    client.next()
}

#[test]
fn a_connection_goes_in_order() {
    let mut client = Setup::odd(&[("odd:echo", &["echo"])]).start();
    let not_yet = (-32002, "mcp/not-initialized");
    let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
    assert_eq!(one(&mut client, &ping)["result"], json!({}));
    assert_eq!(code(&client.request("tools/list", &json!({}))), not_yet);
    assert_eq!(
        code(&client.request("prompts/list", &json!({}))),
        (-32601, "mcp/method")
    );

    let greeting = one(&mut client, &initialize(&json!(1)));
    assert_eq!(greeting["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(greeting["result"]["serverInfo"]["name"], "lonis-mcp");
    let instructions = greeting["result"]["instructions"].as_str().expect("a text");
    assert!(instructions.chars().count() <= 600, "{instructions}");
    assert_eq!(
        code(&one(&mut client, &initialize(&json!(2)))),
        (-32600, "mcp/already-initialized")
    );
    assert_eq!(code(&client.request("tools/list", &json!({}))), not_yet);

    client.notify("notifications/initialized", &json!({}));
    client.notify("notifications/unheard-of", &json!({}));
    let list = client.request("tools/list", &json!({}));
    assert!(names(&list).contains(&"odd-echo"), "{list}");
    assert_eq!(
        code(&client.request("tools/list", &json!({"cursor": "x"}))),
        (-32602, "mcp/cursor")
    );
    let (status, _) = client.end();
    assert!(status.success(), "{status}");
}

#[test]
fn what_is_no_message_is_refused_and_the_next_line_is_read() {
    let mut client = Setup::new("").with(&["--max-frame-bytes", "1024"]).start();
    let long = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"l\",\"method\":\"ping\",\"params\":{{\"x\":\"{}\"}}}}\n",
        "y".repeat(1024)
    );
    for (line, expected, id) in [
        ("nonsense\n", (-32700, "mcp/parse"), Value::Null),
        ("\n", (-32700, "mcp/parse"), Value::Null),
        ("{\"id\":1,\"id\":2}\n", (-32700, "mcp/parse"), Value::Null),
        ("[]\n", (-32600, "mcp/batch"), Value::Null),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n",
            (-32600, "mcp/request-id"),
            Value::Null,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":3}\n",
            (-32600, "mcp/request"),
            json!(3),
        ),
        (long.as_str(), (-32003, "mcp/frame-too-large"), json!("l")),
    ] {
        client.write(line.as_bytes());
        let answer = client.next();
        assert_eq!((code(&answer), &answer["id"]), (expected, &id), "{line}");
        let ping = json!({"jsonrpc": "2.0", "id": "after", "method": "ping"});
        assert_eq!(one(&mut client, &ping)["id"], "after", "{line}");
    }
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}\n");
    assert_eq!(code(&client.next()), (-32700, "mcp/utf8"));
}

#[test]
fn parameters_of_another_shape_are_refused_with_their_place() {
    let mut client = Setup::odd(&[("odd:echo", &["echo"])]).ready();
    for (method, params, expected) in [
        ("tools/call", json!([]), (-32602, "mcp/params")),
        ("tools/call", json!({}), (-32602, "mcp/params")),
        ("tools/call", json!({"name": 7}), (-32602, "mcp/params")),
        (
            "tools/call",
            json!({"name": "odd-echo", "arguments": []}),
            (-32602, "mcp/params"),
        ),
        (
            "tools/call",
            json!({"name": "odd-ecko"}),
            (-32602, "mcp/unknown-tool"),
        ),
        (
            "tools/call",
            json!({"name": "odd-echo", "task": {}}),
            (-32602, "mcp/task"),
        ),
        (
            "tools/call",
            json!({"name": "odd-echo", "_meta": {"progressToken": []}}),
            (-32602, "mcp/progress-token"),
        ),
        (
            "tools/call",
            json!({"name": "odd-echo", "_meta": {"genesis/deadlineMs": 0}}),
            (-32602, "mcp/params"),
        ),
        (
            "tools/call",
            json!({"name": "odd-echo", "arguments": {"text": 1}}),
            (-32602, "mcp/arguments"),
        ),
        (
            "tools/call",
            json!({"name": "odd-echo", "arguments": {"more": 1}}),
            (-32602, "mcp/arguments"),
        ),
        ("tasks/list", json!({}), (-32601, "mcp/method")),
    ] {
        let answer = client.request(method, &params);
        assert_eq!(code(&answer), expected, "{method} {params}");
    }
    let wrong = client.call("odd-echo", &json!({"text": 1}));
    assert_eq!(wrong["error"]["data"]["pointer"], "/text");
    assert_eq!(wrong["error"]["data"]["received"], "a number");
    let diagnostic = &wrong["error"]["data"]["diagnostic"];
    assert_eq!(
        (&diagnostic["code"], &diagnostic["parameters"]["pointer"]),
        (&json!("mcp/arguments"), &json!("/text"))
    );
    let near = client.call("odd-ecko", &json!({}));
    assert_eq!(near["error"]["data"]["nearest"], json!(["odd-echo"]));
}

#[test]
fn frames_beyond_the_budget_end_the_connection() {
    let mut client = Setup::new("").with(&["--max-requests", "2"]).start();
    for _ in 0..3 {
        client.ask("ping", &json!({}));
    }
    assert_eq!(client.next()["result"], json!({}));
    assert_eq!(client.next()["result"], json!({}));
    assert_eq!(code(&client.next()), (-32004, "mcp/session-limit"));
    assert_eq!(client.rest(), Vec::<Value>::new());
}
