//! A live tree that changed beside a session: refused, or joined and proved anew.

use std::fs;

use serde_json::{Value, json};

use crate::program::{Root, code_of, create, patch, replace};
use crate::repair_utility::hash;

/// A policy that allows a rebase, with an obligation that reads a file of the tree and notes that it ran.
fn policy(rebase: &str, argv: &[&str]) -> String {
    format!(
        "version = 1\n\n[session]\nrebase = \"{rebase}\"\n\n[[obligation]]\nname = \"holds\"\nargv = {argv:?}\n"
    )
}

/// A session that makes `a` say two, with a live tree that somebody changed since.
fn changed(rebase: &str, argv: &[&str], changes: &[(&str, &str)]) -> Root {
    let root = Root::new(&[
        ("lonis-session.toml", &policy(rebase, argv)),
        ("a", "one\n"),
        ("b", "one\n"),
        ("d/c", "one\n"),
    ]);
    root.passes(&["begin", "s"]);
    root.stages("s", &[replace("a", "one", "two"), create("d/new", "new\n")]);
    for (path, text) in changes {
        root.write(path, text);
    }
    root
}

fn refused(root: &Root, words: &[&str], exit: i32, code: &str) -> Value {
    let (seen, envelope) = root.run(words, &Value::Null);
    assert_eq!((seen, code_of(&envelope)), (exit, code), "{envelope}");
    envelope
}

const JOIN: [&str; 4] = ["apply", "s", "--rebase", "disjoint"];

#[test]
fn changes_of_other_paths_are_joined_and_the_union_is_proved() {
    let argv = ["grep", "-q", "two", "a"];
    let root = changed("disjoint", &argv, &[("b", "two\n"), ("d/x", "x\n")]);
    // Without being asked, nothing is joined.
    let stale = refused(&root, &["apply", "s"], 31, "session/stale-base");
    let parameters = &stale["diagnostics"][0]["parameters"];
    assert_eq!(parameters["overlapping"], json!([]));
    assert_eq!(parameters["disjoint"][0]["path"], "b");
    assert_eq!(parameters["disjoint"][1]["observed"]["bytes"], 2);

    let applied = root.passes(&JOIN);
    assert_eq!(applied["rebased"], true);
    assert_eq!(applied["written"], 2);
    assert_eq!(root.read("a").as_deref(), Some("two\n"));
    assert_eq!(root.read("b").as_deref(), Some("two\n"));
    assert_eq!(root.read("d/x").as_deref(), Some("x\n"));
    assert_eq!(root.read("d/new").as_deref(), Some("new\n"));
    let log = root.passes(&["log", "s"]);
    let kinds: Vec<&Value> = log["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event["kind"])
        .collect();
    assert_eq!(kinds, ["begun", "staged", "rebased", "applied"]);
    let record = &applied["transaction"];
    assert_eq!(record["rebases"].as_array().unwrap().len(), 1);
    assert_eq!(record["base_snapshot"], log["events"][2]["data"]["base"]);
}

#[test]
fn what_meets_the_session_is_stale_whatever_is_asked_for() {
    for (path, text) in [
        ("a", "by hand\n"),
        ("d/new", "by hand\n"),
        ("d/new/below", "by hand\n"),
        ("lonis-session.toml", "version = 1\n"),
    ] {
        let root = changed("disjoint", &["true"], &[(path, text), ("b", "two\n")]);
        let stale = refused(&root, &JOIN, 31, "session/stale-base");
        let parameters = &stale["diagnostics"][0]["parameters"];
        let overlapping = parameters["overlapping"].as_array().unwrap();
        assert_eq!(overlapping.len(), 1, "{parameters}");
        assert_eq!(overlapping[0]["path"], path);
        assert_eq!(root.read(path).as_deref(), Some(text));
    }
}

#[test]
fn a_union_that_does_not_hold_leaves_the_session_as_it_was() {
    // Holds for the candidate, and not once `b` is another.
    let root = changed("disjoint", &["grep", "-q", "one", "b"], &[("b", "two\n")]);
    let before = root.passes(&["status", "s"]);
    let failed = refused(&root, &JOIN, 31, "session/rebase-failed");
    assert_eq!(failed["diagnostics"][0]["parameters"]["round"], 1);
    assert_eq!(
        failed["diagnostics"][0]["parameters"]["paths"],
        json!(["b"])
    );
    assert_eq!(failed["data"]["results"][0]["name"], "holds");
    let after = root.passes(&["status", "s"]);
    assert_eq!(after["transaction"], before["transaction"]);
    assert_eq!(root.read("a").as_deref(), Some("one\n"));
    // With the live tree back at the base, the session applies as it was proved.
    root.write("b", "one\n");
    assert_eq!(root.passes(&["apply", "s"])["rebased"], false);
}

#[test]
fn more_than_the_frozen_policy_allows_is_refused() {
    let root = changed("never", &["true"], &[("b", "two\n")]);
    let bound = refused(&root, &JOIN, 41, "policy/bound");
    let parameters = &bound["diagnostics"][0]["parameters"];
    assert_eq!(
        (
            &parameters["key"],
            &parameters["asked"],
            &parameters["limit"]
        ),
        (
            &json!("session.rebase"),
            &json!("disjoint"),
            &json!("never")
        )
    );
    let proposal = &bound["diagnostics"][0]["repair_plan"]["policy_diff"];
    let policy = root.read("lonis-session.toml").unwrap();
    let expected = json!({
        "schema": "genesis/capability-policy-diff-v0.2", "status": "proposal", "operation": "set-bound",
        "key": "session.rebase", "from": "never", "to": "disjoint", "requires_review": true,
        "auto_apply": false, "base_policy_identity_sha256": hash(&policy),
    });
    assert_eq!(*proposal, expected);
    let (exit, _) = root.run(&["apply", "s", "--rebase", "merge"], &Value::Null);
    assert_eq!(exit, 2);
}

/// The obligation itself changes the live tree, each time it runs: after three rounds the apply gives up.
#[test]
fn a_tree_that_changes_in_every_round_is_given_up() {
    let root = Root::new(&[("a", "one\n"), ("b", "one\n")]);
    // A command is kept from the live tree where the kernel can do so; a tool is its host's to hold.
    let script = format!("echo x >> '{}'", root.tree().join("b").display());
    let registry = root.beside("lonis.toml");
    let tool = format!(
        "[tools.\"demo:changes\"]\ndescription = \"Changes.\"\ncommand = \"sh\"\nargs = [\"-c\", {script:?}]\n"
    );
    fs::write(&registry, tool).unwrap();
    let with = ["--providers", registry.to_str().unwrap()];
    let policy = "version = 1\n\n[session]\nrebase = \"disjoint\"\n\n[[obligation]]\nname = \"changes\"\ntool = \"demo:changes\"\n";
    root.write("lonis-session.toml", policy);
    root.passes(&["begin", "s"]);
    let words = [&with[..], &["stage", "s", "--patch", "-"]].concat();
    let (code, staged) = root.run(&words, &patch(&[replace("a", "one", "two")]));
    assert_eq!(code, 0, "{staged}");
    let join = [&with[..], &JOIN].concat();
    let failed = refused(&root, &join, 31, "session/rebase-failed");
    assert_eq!(failed["diagnostics"][0]["parameters"]["round"], 3);
    assert_eq!(root.read("a").as_deref(), Some("one\n"));
    // It ran for the candidate, and once in each round.
    assert_eq!(root.read("b").as_deref(), Some("one\nx\nx\nx\nx\n"));
}
