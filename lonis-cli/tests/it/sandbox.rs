//! Tools that are held to what they declare.

use serde_json::Value;

use crate::program::{Place, misbehave};

/// Whether the doctor finds that files are kept from a tool here.
fn is_held(place: &Place) -> bool {
    let machine = place.run(&["--mode", "json", "providers", "doctor"]).json()["machine"].clone();
    let sandbox = &machine["sandbox"];
    let enforced = sandbox["enforced"]
        .as_array()
        .unwrap()
        .contains(&"files".into());
    // What is claimed is what was seen.
    assert_eq!(sandbox["keeps_files"], enforced, "{sandbox}");
    if !enforced {
        println!("skipped: {sandbox}");
    }
    enforced
}

/// A tool that makes a file where its input says.
fn table(effects: &str, keys: &str) -> String {
    format!(
        "[tools.\"t:x\"]\ndescription = ''\nside_effects = '{effects}'\ncommand = 'sh'\n\
         args = ['-c', 'echo x > \"$1\"', 'sh', {{ from = 'path' }}]\n{keys}\n"
    )
}

#[test]
fn a_tool_changes_what_it_declares_and_nothing_else() {
    let place = Place::new();
    if !is_held(&place) {
        return;
    }
    std::fs::create_dir(place.path("work/out")).unwrap();
    let out = place.path("work/out").display().to_string();
    let writable = format!("sandbox = 'contract'\nwritable = ['{out}']");
    for (effects, keys, may) in [
        ("none", writable.as_str(), false),
        ("read-only", writable.as_str(), false),
        ("read-only", "sandbox = 'off'", true),
        ("read-only", "", true),
        ("writes-filesystem", writable.as_str(), true),
        ("writes-filesystem", "sandbox = 'contract'", false),
        ("network", writable.as_str(), true),
        ("destructive", "sandbox = 'require'", true),
    ] {
        place.config(&table(effects, keys));
        let file = place.path("work/out/file");
        let input = serde_json::json!({ "path": file }).to_string();
        let run = place.run(&["--mode", "json", "call", "t:x", &input]);
        assert_eq!(run.code == 0, may, "{effects} {keys}: {run:?}");
        assert_eq!(file.exists(), may, "{effects} {keys}");
        // What is its own is writable under all rules.
        let own = place.run(&["--mode", "json", "call", "t:x", r#"{"path":"mine"}"#]);
        assert_eq!(own.code, 0, "{effects} {keys}: {own:?}");
        let _ = std::fs::remove_file(&file);
    }
}

#[test]
fn a_contract_that_a_provider_describes_is_held_and_one_tool_can_be_left_out() {
    let place = Place::new();
    if !is_held(&place) {
        return;
    }
    let outside = place.path("work");
    let provider = |keys: &str| {
        format!(
            "[providers.bad]\ncommand = ['{}', 'describe=read-only', 'tools=make-file,name={}/made']\nsandbox = 'contract'\n{keys}\n",
            misbehave().display(),
            outside.display()
        )
    };
    let native = format!("misbehave.make-file,name={}/made", outside.display());
    let tools = |place: &Place| -> Vec<String> {
        let list: Value = place.run(&["--mode", "json", "tools", "list"]).json();
        let names = list["tools"].as_array().unwrap().iter();
        names
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    for (keys, may) in [
        (String::new(), false),
        (format!("tools.\"{native}\" = {{ sandbox = 'off' }}"), true),
    ] {
        place.config(&provider(&keys));
        let id = tools(&place)
            .into_iter()
            .find(|id| id.contains("make-file"))
            .unwrap();
        let run = place.run(&["--mode", "json", "call", &id, "null"]);
        assert_eq!(
            (run.code == 0, outside.join("made").exists()),
            (may, may),
            "{keys}: {run:?}"
        );
    }
}

#[test]
fn the_network_is_closed_to_what_does_not_declare_it() {
    let place = Place::new();
    if !is_held(&place) {
        return;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    for (effects, reached) in [("read-only", false), ("network", true)] {
        place.config(&format!(
            "[tools.\"t:x\"]\ndescription = ''\nmapping = 'blocks'\nside_effects = '{effects}'\nsandbox = 'contract'\n\
             command = ['{}', 'connect', 'address={address}']\n",
            misbehave().display()
        ));
        let run = place.run(&["--mode", "json", "call", "t:x", "null"]);
        assert_eq!(run.code, 0, "{run:?}");
        let number = &run.json()[0]["payload"]["data"]["output"];
        assert_eq!(number.is_null(), reached, "{effects}: {number}");
    }
}
