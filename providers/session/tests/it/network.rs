//! Obligations that are to have no network.

use std::fs;

use lonis::process::{self, Program};
use serde_json::json;

use crate::program::{Root, code_of, create, patch};

#[test]
fn an_obligation_without_network_runs_where_there_is_none_or_not_at_all() {
    let ours = fs::read_link("/proc/self/ns/net").unwrap();
    let elsewhere = format!(
        "test \"$(readlink /proc/self/ns/net)\" != '{}'",
        ours.display()
    );
    let staged = |network: &str| {
        let policy = format!(
            "version = 1\n\n[[obligation]]\nname = \"elsewhere\"\nnetwork = \"{network}\"\nargv = {:?}\n",
            ["sh", "-c", &elsewhere]
        );
        let root = Root::new(&[("lonis-session.toml", &policy)]);
        root.passes(&["begin", "s"]);
        let (code, envelope) = root.run(
            &["stage", "s", "--patch", "-"],
            &patch(&[create("a", "a\n")]),
        );
        (code, envelope)
    };
    let (code, inherited) = staged("inherit");
    assert_eq!(
        (code, code_of(&inherited)),
        (30, "session/obligations-failed")
    );
    assert_eq!(
        inherited["data"]["results"][0]["code"],
        "obligation/exit-status"
    );

    let can_be_closed = process::run(&Program::new("true").without_network(), [])
        .failure
        .is_none();
    let (code, denied) = staged("deny");
    let result = &denied["data"]["results"][0];
    if can_be_closed {
        assert_eq!((code, &result["ok"]), (0, &json!(true)), "{denied}");
        assert_eq!(result["enforcement"]["network"], "namespace");
    } else {
        assert_eq!(
            (code, &result["code"]),
            (41, &json!("policy/network-denied"))
        );
        assert_eq!(code_of(&denied), "policy/network-denied");
        let entry = &denied["diagnostics"][0];
        assert_eq!(entry["blocking_capability"], "network");
        let plan = &entry["repair_plan"];
        assert_eq!(plan["action"]["kind"], "policy-review");
        assert_eq!(plan["policy_diff"]["capability"], "network");
        assert_eq!(plan["policy_diff"]["operation"], "add-allow");
        assert_eq!(result["enforcement"]["network"], "unavailable");
    }
}
