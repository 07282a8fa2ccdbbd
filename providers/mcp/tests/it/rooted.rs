//! Tools that work in a tree: which one, and that no other.

use serde_json::{Value, json};

use crate::client::{Client, Setup};

/// A tool that gives back its input, and takes a root and paths beneath it.
fn setup() -> Setup {
    let config = format!(
        "[tools.\"odd:tree\"]\ndescription = \"Echoes.\"\ncommand = \"{}\"\nargs = [\"echo\"]\nmapping = \"blocks\"\nstdin = \"json\"\n\
         side_effects = \"writes-filesystem\"\nbounds = {{ timeout_millis = 60000 }}\n[tools.\"odd:tree\".input_json_schema]\ntype = \"object\"\nrequired = [\"root\"]\n\
         [tools.\"odd:tree\".input_json_schema.properties]\nroot = {{ type = \"string\", x-lonis-path = \"workspace-root\" }}\n\
         paths = {{ type = \"array\", items = {{ type = \"string\", x-lonis-path = \"workspace\" }} }}\n",
        misbehave::program().display(),
    );
    let setup = Setup::new(&config);
    for name in ["root/a", "root/b", "outside"] {
        std::fs::create_dir(setup.path(name)).expect("a folder can be made");
    }
    setup
}

fn uri(client: &Client, name: &str) -> String {
    format!("file://{}", client.path(name).display())
}

fn seen(answer: &Value) -> &Value {
    &answer["result"]["structuredContent"]["data"]["blocks"][0]["payload"]["data"]["output"]["root"]
}

fn code(answer: &Value) -> &str {
    answer["error"]["data"]["code"].as_str().unwrap_or_default()
}

/// The next question of the server, answered with these roots.
fn name_roots(client: &mut Client, names: &[&str]) {
    let question = client.next();
    assert_eq!(question["method"], "roots/list", "{question}");
    let roots: Vec<Value> = names
        .iter()
        .map(|name| json!({"uri": uri(client, name)}))
        .collect();
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": roots}}));
}

#[test]
fn a_client_without_roots_works_in_the_boundary() {
    let mut client = setup().ready();
    let at = |client: &Client, name: &str| json!(client.path(name));
    let answer = client.call("odd-tree", &json!({}));
    assert_eq!(*seen(&answer), at(&client, "root"), "{answer}");
    let inner = client.call("odd-tree", &json!({"root": "a"}));
    assert_eq!(*seen(&inner), at(&client, "root/a"), "{inner}");
    let outer = json!({"root": uri(&client, "outside")});
    assert_eq!(code(&client.call("odd-tree", &outer)), "mcp/root-unknown");
}

#[test]
fn a_call_is_about_one_of_the_clients_roots() {
    let mut client = setup().start();
    client.greet(&json!({"roots": {"listChanged": true}}));
    name_roots(&mut client, &["root/a"]);
    let answer = client.call("odd-tree", &json!({}));
    assert_eq!(*seen(&answer), json!(client.path("root/a")), "{answer}");
    client.notify("notifications/roots/list_changed", &json!({}));
    name_roots(&mut client, &["root/a", "root/b"]);
    assert_eq!(
        code(&client.call("odd-tree", &json!({}))),
        "mcp/root-required"
    );
    let named = json!({"root": uri(&client, "root/b")});
    let answer = client.call("odd-tree", &named);
    assert_eq!(*seen(&answer), json!(client.path("root/b")), "{answer}");
    let other = json!({"root": uri(&client, "root")});
    assert_eq!(code(&client.call("odd-tree", &other)), "mcp/root-unknown");
}

#[test]
fn calls_wait_for_the_roots_and_a_bad_answer_ends_them() {
    let mut client = setup().start();
    client.greet(&json!({"roots": {}}));
    let id = client.ask("tools/call", &json!({"name": "odd-tree", "arguments": {}}));
    client.request_between("ping");
    name_roots(&mut client, &["root/a", "outside"]);
    let answer = client.answer(id);
    assert_eq!(code(&answer), "mcp/roots-invalid", "{answer}");
    assert_eq!(
        answer["error"]["data"]["rejected"],
        json!([{"index": 1, "reason": "outside"}])
    );
    // The next call asks once more.
    let id = client.ask("tools/call", &json!({"name": "odd-tree", "arguments": {}}));
    name_roots(&mut client, &["root/a"]);
    let answer = client.answer(id);
    assert_eq!(*seen(&answer), json!(client.path("root/a")), "{answer}");
}

#[test]
fn a_client_that_does_not_say_is_not_given_the_boundary() {
    let mut client = setup().with(&["--roots-timeout-ms", "100"]).start();
    client.greet(&json!({"roots": {}}));
    for _ in 0..4 {
        let answer = client.call("odd-tree", &json!({}));
        assert_eq!(code(&answer), "mcp/roots-timeout", "{answer}");
        assert_eq!(answer["error"]["data"]["retryable"], true);
    }
}

#[test]
fn a_path_stays_beneath_the_root_and_a_name_is_only_a_name() {
    let mut client = setup().ready();
    for path in ["../x", "/etc/passwd", "a/../../x", "a\u{0}b", ".."] {
        let answer = client.call("odd-tree", &json!({"paths": ["a", path]}));
        assert_eq!(code(&answer), "mcp/path-escape", "{path}");
        assert_eq!(answer["error"]["data"]["pointer"], "/paths/1");
    }
    for path in ["--help", "-rf", "a=b", "$(id)", "a/./b"] {
        let answer = client.call("odd-tree", &json!({"paths": [path]}));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
}
