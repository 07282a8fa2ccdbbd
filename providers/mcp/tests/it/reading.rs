//! What can be read: the resources, results in pages, and the tools that find other tools.

use serde_json::{Value, json};

use crate::client::{Client, Setup, names};

fn read(client: &mut Client, uri: &str) -> Value {
    let answer = client.request("resources/read", &json!({"uri": uri}));
    let content = &answer["result"]["contents"][0];
    assert_eq!(
        (&content["uri"], &content["mimeType"]),
        (&json!(uri), &json!("application/json")),
        "{answer}"
    );
    let text = content["text"].as_str().expect("a text");
    serde_json::from_str(text).expect("a resource is JSON")
}

#[test]
fn every_resource_that_is_listed_can_be_read() {
    let mut client = Setup::odd(&[("odd:echo", &["echo"])]).ready();
    let list = client.request("resources/list", &json!({}));
    let resources = list["result"]["resources"]
        .as_array()
        .expect("a list")
        .clone();
    let uris: Vec<&str> = resources
        .iter()
        .filter_map(|one| one["uri"].as_str())
        .collect();
    for uri in [
        "genesis://cli/schema",
        "genesis://mcp/profile",
        "genesis://agent/core-card",
        "genesis://agent/profile",
        "genesis://agent/task-cards",
        "genesis://agent/symbol-index",
        "genesis://diagnostics/catalog",
        "lonis://providers",
        "lonis://contract/odd-echo",
    ] {
        assert!(uris.contains(&uri), "{uri}");
    }
    for uri in uris {
        read(&mut client, uri);
    }
    assert!(read(&mut client, "genesis://agent/core-card").is_string());
    let contract = read(&mut client, "lonis://contract/odd-echo");
    assert_eq!(contract["id"], "odd:echo");
    let schema = read(&mut client, "genesis://cli/schema");
    let profile = read(&mut client, "genesis://mcp/profile");
    let identity = &profile["interface"]["identitySha256"];
    assert_eq!(
        (
            identity.as_str().map(str::len),
            &schema["mcp"]["identitySha256"]
        ),
        (Some(64), identity)
    );
    assert_eq!(profile["limits"]["max_running"], 4);
    let unknown = client.request("resources/read", &json!({"uri": "file:///etc/passwd"}));
    assert_eq!(unknown["error"]["code"], -32002, "{unknown}");
    let templates = client.request("resources/templates/list", &json!({}));
    assert_eq!(templates["result"]["resourceTemplates"], json!([]));
}

#[test]
fn a_result_that_is_too_long_is_read_in_pages() {
    let mut client = Setup::odd(&[("odd:big", &["blocks", "count=3", "size=100000"])]).ready();
    let answer = client.call("odd-big", &json!({}));
    let result = &answer["result"];
    let data = &result["structuredContent"]["data"];
    assert_eq!(
        (&data["paged"], &result["isError"]),
        (&json!(true), &json!(false))
    );
    let link = &result["content"][1];
    assert_eq!(
        (&link["type"], &link["uri"]),
        (&json!("resource_link"), &data["uri"])
    );
    let uri = data["uri"].as_str().expect("a uri");
    let pages = data["pages"].as_u64().expect("a count");
    assert!(pages > 4, "{data}");
    let mut joined = String::new();
    for page in 1..=pages {
        let read = client.request(
            "resources/read",
            &json!({"uri": format!("{uri}?page={page}")}),
        );
        joined.push_str(
            read["result"]["contents"][0]["text"]
                .as_str()
                .expect("a text"),
        );
    }
    assert_eq!(
        joined.len() as u64,
        data["bytes"].as_u64().expect("a count")
    );
    let whole: Value = serde_json::from_str(&joined).expect("the envelope");
    assert_eq!(whole["data"]["blocks"].as_array().map(Vec::len), Some(3));
    assert!(joined.starts_with(data["head"].as_str().expect("a text")));
}

#[test]
fn a_result_that_no_frame_holds_even_in_pages_says_so() {
    let mut client = Setup::odd(&[("odd:big", &["blocks", "count=3", "size=100000"])])
        .with(&["--max-output-bytes", "1024", "--inline-bytes", "1024"])
        .ready();
    let answer = client.call("odd-big", &json!({}));
    assert_eq!(
        answer["error"]["data"]["code"], "mcp/frame-too-large",
        "{answer}"
    );
    assert_eq!(answer["error"]["data"]["audit"]["termination"], "completed");
}

#[test]
fn tools_are_found_by_words_and_shown_by_name_or_id() {
    let mut client = Setup::odd(&[("odd:echo", &["echo"]), ("odd:exit", &["exit"])]).ready();
    let data = |answer: &Value| answer["result"]["structuredContent"]["data"].clone();
    for name in ["lonis-search", "search-symbol"] {
        let found = data(&client.call(name, &json!({"query": "mode echo"})));
        assert_eq!(found["output"]["matches"][0]["name"], "odd-echo", "{found}");
        assert_eq!(found["output"]["matches"].as_array().map(Vec::len), Some(1));
    }
    for (name, tool) in [("lonis-card", "odd-echo"), ("get-card", "odd:echo")] {
        let card = data(&client.call(name, &json!({"tool": tool})));
        assert_eq!(
            card["output"]["contract"]["side_effects"], "read-only",
            "{card}"
        );
    }
    let found = data(&client.call("lonis-diagnostic", &json!({"code": "tool/timeout"})));
    assert_eq!(found["diagnostic"]["code"], "tool/timeout", "{found}");
    let lost = client.call("lonis-diagnostic", &json!({"code": "tool/timeuot"}));
    let envelope = &lost["result"]["structuredContent"];
    assert_eq!(
        envelope["error"]["code"], "diagnostic/lookup-not-found",
        "{lost}"
    );
    let unknown = client.call("lonis-card", &json!({"tool": "odd:ecko"}));
    assert_eq!(
        unknown["error"]["data"]["code"], "mcp/unknown-tool",
        "{unknown}"
    );
    let wrong = client.call("lonis-card", &json!({}));
    assert_eq!(wrong["error"]["data"]["code"], "mcp/arguments", "{wrong}");
}

#[test]
fn a_large_registry_can_cost_a_constant() {
    let mut client = Setup::odd(&[("odd:echo", &["echo"])])
        .exposing("version = 1\n[serve]\nshape = \"search\"\n")
        .ready();
    let list = client.request("tools/list", &json!({}));
    assert_eq!(
        names(&list),
        [
            "get-card",
            "lonis-call",
            "lonis-card",
            "lonis-diagnostic",
            "lonis-search",
            "search-symbol"
        ]
    );
    for tool in ["odd:echo", "odd-echo"] {
        let answer = client.call("lonis-call", &json!({"tool": tool, "input": {"text": "x"}}));
        let data = &answer["result"]["structuredContent"]["data"];
        assert_eq!(
            data["blocks"][0]["payload"]["data"]["output"],
            json!({"text": "x"}),
            "{answer}"
        );
    }
    let wrong = client.call(
        "lonis-call",
        &json!({"tool": "odd:echo", "input": {"text": 1}}),
    );
    assert_eq!(wrong["error"]["data"]["pointer"], "/text", "{wrong}");
}
