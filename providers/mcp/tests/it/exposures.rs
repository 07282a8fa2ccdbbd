//! What an exposure file offers, and what keeps the server from starting.

use serde_json::json;

use crate::client::{Client, Setup, names, odd_tool};

fn setup(exposure: &str) -> Setup {
    Setup::odd(&[("odd:echo", &["echo"]), ("odd:exit", &["exit", "code=5"])]).exposing(exposure)
}

#[test]
fn exactly_the_tools_of_the_file_are_offered_where_it_says_so() {
    let exposure = "version = 1\n[[expose]]\ntool = \"odd:echo\"\nname = \"say\"\nfixed = { text = \"fixed\" }\n[serve]\ndefaults = false\n";
    let mut client = setup(exposure).ready();
    let list = client.request("tools/list", &json!({}));
    assert_eq!(names(&list), ["say"]);
    let schema = &list["result"]["tools"][0]["inputSchema"];
    assert_eq!(schema["properties"], json!({}), "{schema}");
    let answer = client.call("say", &json!({}));
    let data = &answer["result"]["structuredContent"]["data"];
    assert_eq!(
        data["blocks"][0]["payload"]["data"]["output"],
        json!({"text": "fixed"})
    );
    let refused = client.call("say", &json!({"text": "mine"}));
    assert_eq!(
        refused["error"]["data"]["code"], "mcp/arguments",
        "{refused}"
    );
}

#[test]
fn a_file_that_does_not_fit_keeps_the_server_from_starting() {
    for (exposure, kind, exit) in [
        (
            "version = 1\n[[expose]]\ntool = \"odd:ecko\"\n",
            "mcp/exposure-tool",
            41,
        ),
        (
            "version = 1\n[serve]\nversion_of = \"lonis-odd\"\n",
            "mcp/exposure-tool",
            41,
        ),
        (
            "version = 1\n[[expose]]\ntool = \"odd:echo\"\nfields = [\"more\"]\n",
            "mcp/exposure-field",
            41,
        ),
        (
            "version = 1\n[[expose]]\ntool = \"odd:echo\"\nfixed = { more = 1 }\n",
            "mcp/exposure-field",
            41,
        ),
        (
            "version = 1\n[[expose]]\ntool = \"odd:echo\"\nfields = []\nforce_required = [\"text\"]\n",
            "mcp/exposure-required",
            41,
        ),
        (
            "version = 1\n[[expose]]\ntool = \"odd:echo\"\nname = \"a.b\"\n",
            "mcp/exposure-name",
            41,
        ),
        (
            "version = 1\n[[expose]]\ntool = \"odd:echo\"\nname = \"x\"\n[[expose]]\ntool = \"odd:exit\"\nname = \"x\"\n",
            "mcp/exposure-name",
            41,
        ),
        ("version = 1\nmore = 1\n", "invalid_config", 2),
        ("version = 2\n", "invalid_config", 2),
    ] {
        let (status, stderr) = setup(exposure).with(&["--mode", "json"]).start().end();
        assert_eq!(status.code(), Some(exit), "{exposure}: {stderr}");
        let last = stderr.lines().last().unwrap_or_default();
        let error: serde_json::Value = serde_json::from_str(last).expect(last);
        assert_eq!(error["kind"], kind, "{exposure}");
    }
}

#[test]
fn what_cannot_be_started_is_one_error() {
    for (words, kind, exit) in [
        (
            &["--mode", "json", "bridge", "files.toml"][..],
            "not_implemented",
            69,
        ),
        (
            &["--mode", "json", "serve", "--max-queue", "0"],
            "invalid_input",
            2,
        ),
        (&["--mode=ndjson", "sreve"], "invalid_input", 2),
        (
            &[
                "--mode",
                "json",
                "serve",
                "--workspace-root",
                "/nowhere/at/all",
            ],
            "invalid_config",
            2,
        ),
        (
            &["--mode", "json", "serve", "--exposure", "/nowhere/at/all"],
            "invalid_config",
            2,
        ),
    ] {
        let setup = Setup::new("").instead(words);
        let output = setup.command().output().expect("it starts");
        assert_eq!(
            (output.status.code(), output.stdout.len()),
            (Some(exit), 0),
            "{words:?}"
        );
        let error: serde_json::Value = serde_json::from_slice(&output.stderr).expect("one error");
        assert_eq!(error["kind"], kind, "{words:?}");
    }
}

/// As many as are needed until a slow machine has looked.
const MANY_FRAMES: [&str; 2] = ["--max-requests", "1000000000"];

/// Asks for the list until it has a name or lacks it; by then the server has told that it is another one.
fn until(client: &mut Client, name: &str, is_there: bool) {
    let mut is_told = false;
    loop {
        let id = client.ask("tools/list", &json!({}));
        loop {
            let frame = client.next();
            is_told |= frame["method"] == "notifications/tools/list_changed";
            if frame["id"] != id {
                continue;
            }
            if names(&frame).contains(&name) == is_there {
                assert!(is_told, "{frame}");
                return;
            }
            break;
        }
    }
}

#[test]
fn a_registry_that_changes_is_told() {
    let mut client = Setup::odd(&[("odd:echo", &["echo"])])
        .with(&MANY_FRAMES)
        .ready();
    let more = ["odd:echo", "odd:more"].map(|id| odd_tool(id, &["echo"], "none"));
    client.write_file("lonis.toml", &more.concat());
    until(&mut client, "odd-more", true);
    assert_eq!(
        client.call("odd-more", &json!({}))["result"]["isError"],
        false
    );
    client.write_file("lonis.toml", &odd_tool("odd:echo", &["echo"], "none"));
    until(&mut client, "odd-more", false);
    let gone = client.call("odd-more", &json!({}));
    assert_eq!(gone["error"]["data"]["code"], "mcp/unknown-tool", "{gone}");
}

#[test]
fn a_tool_that_is_no_longer_what_was_reviewed_waits_for_a_review() {
    let exposure = "version = 1\n[[expose]]\ntool = \"odd:echo\"\nfields = [\"text\"]\n";
    let mut client = setup(exposure).with(&MANY_FRAMES).ready();
    let changed =
        odd_tool("odd:echo", &["echo"], "none").replace("text = { type", "words = { type");
    client.write_file("lonis.toml", &changed);
    until(&mut client, "odd-echo", false);
    let answer = client.call("odd-echo", &json!({"text": "x"}));
    assert_eq!(
        answer["result"]["structuredContent"]["error"]["code"], "mcp/tool-changed",
        "{answer}"
    );
}

#[test]
fn the_same_registry_is_shown_by_the_same_bytes_in_whatever_order_it_stands() {
    let shown = |ids: [&str; 2]| {
        let tools = ids.map(|id| odd_tool(id, &["echo"], "none"));
        let mut client = Setup::new(&tools.concat()).ready();
        let list = client.request("tools/list", &json!({}))["result"].to_string();
        let uri = json!({"uri": "genesis://mcp/profile"});
        let read = client.request("resources/read", &uri);
        let text = read["result"]["contents"][0]["text"]
            .as_str()
            .expect("a text");
        let profile: serde_json::Value = serde_json::from_str(text).expect("JSON");
        (list, profile["interface"]["identitySha256"].clone())
    };
    let one = shown(["odd:a", "odd:b"]);
    assert_eq!(one, shown(["odd:b", "odd:a"]));
    assert_ne!(one.1, shown(["odd:a", "odd:c"]).1);
}
