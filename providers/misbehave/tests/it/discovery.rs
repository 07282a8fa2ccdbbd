//! The provider surface, well and badly answered.

use serde_json::Value;

use crate::{run, stdout};

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(arguments)).unwrap()
}

#[test]
fn the_surface_agrees_with_itself() {
    let manifest = json(&["--mode", "json", "manifest"]);
    let list = json(&["--mode", "json", "tools", "list"]);
    let listed: Vec<&Value> = list["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(
        manifest["tools"]
            .as_array()
            .unwrap()
            .iter()
            .collect::<Vec<_>>(),
        listed
    );
    for name in listed {
        let contract = json(&[
            "--mode",
            "json",
            "tools",
            "describe",
            name.as_str().unwrap(),
        ]);
        assert_eq!(&contract["name"], name);
    }
}

#[test]
fn tools_can_be_chosen_and_configured_by_name() {
    let list = json(&["tools=exit+flood", "--mode", "json", "tools", "list"]);
    assert_eq!(list["tools"].as_array().unwrap().len(), 2);
    assert_eq!(
        run(&["--mode", "json", "call", "misbehave.exit,code=7"])
            .status
            .code(),
        Some(7)
    );
    assert_eq!(
        run(&["--mode", "json", "call", "exit"]).status.code(),
        Some(5)
    );
    assert_eq!(
        run(&["list=odd-names", "--mode", "json", "call", "a:b"])
            .status
            .code(),
        Some(0)
    );
    let unknown = run(&["--mode", "json", "call", "misbehave.nothing"]);
    assert_eq!(unknown.status.code(), Some(3));
    assert_eq!(
        serde_json::from_slice::<Value>(&unknown.stderr).unwrap()["kind"],
        "not_found"
    );
}

#[test]
fn each_step_goes_wrong_as_asked() {
    assert_eq!(
        json(&["manifest=wrong-protocol", "--mode", "json", "manifest"])["protocol_version"],
        "99"
    );
    assert!(json(&["manifest=array", "--mode", "json", "manifest"]).is_array());
    assert!(
        json(&[
            "manifest=unknown-keys",
            "keep=yes",
            "--mode",
            "json",
            "manifest"
        ])["later"]
            .is_object()
    );
    assert!(json(&["list=bare-array", "--mode", "json", "tools", "list"]).is_array());
    assert_eq!(
        json(&["list=many", "--mode", "json", "tools", "list"])["tools"]
            .as_array()
            .unwrap()
            .len(),
        1_000
    );
    let odd = json(&["list=odd-names", "--mode", "json", "tools", "list"]);
    assert!(
        odd["tools"]
            .as_array()
            .unwrap()
            .iter()
            .any(|tool| tool["name"] == "a\0b")
    );
    let describe =
        |way: &str| json(&[way, "--mode", "json", "tools", "describe", "misbehave.echo"]);
    assert_eq!(
        describe("describe=other")["name"],
        "misbehave.somebody-else"
    );
    assert_eq!(describe("describe=id")["name"], "misbehave:echo");
    assert!(describe("describe=schema")["input_json_schema"].is_object());
    for step in [
        &["manifest"][..],
        &["tools", "list"],
        &["tools", "describe", "misbehave.echo"],
    ] {
        let key = step
            .iter()
            .find(|word| ["manifest", "list", "describe"].contains(word))
            .unwrap();
        let code = |way: &str| {
            run(&[&[format!("{key}={way}").as_str(), "--mode", "json"], step].concat())
                .status
                .code()
        };
        assert_eq!(
            (code("fail"), code("error"), code("text"), code("nonsense")),
            (Some(5), Some(3), Some(0), Some(64))
        );
    }
}

#[test]
fn each_question_is_announced() {
    let mut handshake = misbehave::Handshake::new().unwrap();
    run(&[
        &handshake.argument(),
        "delay_millis=1",
        "--mode",
        "json",
        "tools",
        "list",
    ]);
    assert!(
        handshake
            .heard()
            .iter()
            .any(|heard| heard.role == "provider" && heard.line == "tools list")
    );
}
