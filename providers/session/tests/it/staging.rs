//! `stage` from each of its sources, what it answers a second time, and what a read tells.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use lonis_diagnostics::Failure;
use lonis_session::command::Command;
use lonis_session::commands::{Surroundings, run};
use serde_json::{Value, json};

use crate::git::{Git, write};

/// A repository, and the commands on it within this process.
struct Tree {
    git: Git,
    root: PathBuf,
}

impl Tree {
    fn new() -> Self {
        let git = Git::new();
        let root = git.repository("tree", &[]);
        write(&root, "a.txt", "one\ntwo\nthree\n");
        write(&root, "b.txt", "b\n");
        write(&root, "gone/c.txt", "c\n");
        write(&root, "run.sh", "#!/bin/sh\n");
        symlink("a.txt", root.join("link")).unwrap();
        Self { git, root }
    }

    fn call(&self, command: Command, mut input: Value) -> Result<Value, Failure> {
        let surroundings = Surroundings {
            git: self.git.environment(),
            temporary: Some(self.git.path("")),
            ..Surroundings::of_process()
        };
        input["root"] = json!(self.root);
        run(command, &input, &surroundings)
    }

    fn passes(&self, command: Command, input: Value) -> Value {
        let shown = input.to_string();
        self.call(command, input)
            .unwrap_or_else(|failure| panic!("{shown}: {failure:?}"))
    }

    /// The code and the parameters of the first diagnostic.
    fn refuses(&self, command: Command, input: Value) -> (String, Value) {
        let error = self.call(command, input).unwrap_err().tool_error();
        let details = json!(error)["details"].clone();
        let first = details["diagnostics"][0].clone();
        (
            first["code"].as_str().unwrap().to_owned(),
            first["parameters"].clone(),
        )
    }

    fn begin(&self, session: &str) {
        self.passes(Command::Begin, json!({"session": session}));
    }

    fn apply(&self, session: &str) {
        self.passes(Command::Apply, json!({"session": session}));
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }
}

fn patch(ops: &Value) -> Value {
    json!({"schema": "genesis/semantic-patch-v0.2", "intent": "a test", "ops": ops})
}

const DIFF: &str = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\ndiff --git a/b.txt b/d/b.txt\nsimilarity index 100%\nrename from b.txt\nrename to d/b.txt\n";

#[test]
fn a_diff_is_staged_and_applied() {
    let tree = Tree::new();
    tree.begin("s");
    let staged = tree.passes(
        Command::Stage,
        json!({"session": "s", "diff": DIFF, "format": "unified"}),
    );
    let paths: Vec<&str> = staged["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["a.txt", "b.txt", "d/b.txt"]);
    assert_eq!(
        staged["transaction"]["patches"][0]["intent"],
        "a unified diff"
    );
    tree.apply("s");
    assert_eq!(tree.text("a.txt"), "one\n2\nthree\n");
    assert_eq!(tree.text("d/b.txt"), "b\n");
    assert!(!tree.root.join("b.txt").exists());
}

#[test]
fn a_patch_is_exactly_one_of_three() {
    let tree = Tree::new();
    tree.begin("s");
    let ops = json!([{"op": "create-file", "path": "n", "content": {"text": ""}}]);
    for input in [
        json!({"session": "s"}),
        json!({"session": "s", "diff": DIFF, "patch": patch(&ops)}),
        json!({"session": "s", "diff": DIFF, "revert": "r"}),
    ] {
        assert_eq!(tree.refuses(Command::Stage, input).0, "tool/invalid-input");
    }
    for (input, code) in [
        (
            json!({"session": "s", "diff": "no diff"}),
            "patch/diff-parse",
        ),
        (
            json!({"session": "s", "diff": "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-x\n+y\n"}),
            "patch/diff-hunk-mismatch",
        ),
        (
            json!({"session": "s", "revert": "none"}),
            "session/not-found",
        ),
        (json!({"session": "s", "revert": "s"}), "tool/invalid-input"),
        (
            json!({"session": "s", "revert": "no id"}),
            "session/invalid-id",
        ),
        (
            json!({"session": "s", "diff": DIFF, "format": "blocks"}),
            "tool/invalid-input",
        ),
    ] {
        assert_eq!(tree.refuses(Command::Stage, input).0, code);
    }
}

#[test]
fn what_was_applied_is_undone_and_done_again() {
    let tree = Tree::new();
    let blob = |path: &str| {
        let bytes = fs::read(tree.root.join(path)).unwrap();
        format!(
            "blob:{}",
            lonis_session::identity::Identity::of(lonis_session::identity::Domain::Blob, &bytes)
        )
    };
    let link =
        lonis_session::identity::Identity::of(lonis_session::identity::Domain::Blob, b"a.txt");
    let ops = json!([
        {"op": "replace-text", "path": "a.txt", "find": "two", "replace": "2"},
        {"op": "delete-file", "path": "gone/c.txt", "pre": blob("gone/c.txt")},
        {"op": "create-file", "path": "gone", "content": {"text": "a file now\n"}},
        {"op": "set-executable", "path": "run.sh", "executable": true},
        {"op": "delete-file", "path": "link", "pre": format!("blob:{link}")},
        {"op": "move-file", "path": "b.txt", "to": "link", "pre": blob("b.txt")},
    ]);
    tree.begin("s");
    tree.passes(
        Command::Stage,
        json!({"session": "s", "patch": patch(&ops)}),
    );
    tree.apply("s");
    assert_eq!(tree.text("gone"), "a file now\n");
    // A later edit of another path is no obstacle.
    write(&tree.root, "later.txt", "later\n");
    tree.begin("back");
    let staged = tree.passes(Command::Stage, json!({"session": "back", "revert": "s"}));
    assert_eq!(
        staged["transaction"]["patches"][0]["intent"],
        "revert of `s`"
    );
    let again = tree.passes(Command::Stage, json!({"session": "back", "revert": "s"}));
    assert_eq!(
        (&again["already_applied"], &again["patch"]),
        (&json!(true), &staged["patch"])
    );
    tree.apply("back");
    assert_eq!(tree.text("a.txt"), "one\ntwo\nthree\n");
    assert_eq!(tree.text("gone/c.txt"), "c\n");
    assert_eq!(tree.text("b.txt"), "b\n");
    assert_eq!(
        fs::read_link(tree.root.join("link")).unwrap(),
        PathBuf::from("a.txt")
    );
    let mode = |path: &str| {
        fs::metadata(tree.root.join(path))
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode("run.sh") & 0o111, 0);
    assert_eq!(tree.text("later.txt"), "later\n");
    tree.begin("forth");
    tree.passes(
        Command::Stage,
        json!({"session": "forth", "revert": "back"}),
    );
    tree.apply("forth");
    assert_eq!(tree.text("gone"), "a file now\n");
    assert_eq!(mode("run.sh") & 0o100, 0o100);
    // A later edit of the same path is.
    write(&tree.root, "a.txt", "mine\n");
    tree.begin("late");
    let (code, _) = tree.refuses(
        Command::Stage,
        json!({"session": "late", "revert": "forth"}),
    );
    assert_eq!(code, "patch/pre-image-mismatch");
}

#[test]
fn what_stands_already_is_not_staged_again() {
    let tree = Tree::new();
    tree.begin("s");
    let insert = patch(
        &json!([{"op": "replace-text", "path": "a.txt", "find": "one\n", "replace": "one\nmore\n"}]),
    );
    let first = tree.passes(
        Command::Stage,
        json!({"session": "s", "patch": insert, "call": "c1"}),
    );
    assert_eq!(first["already_applied"], false);
    for input in [
        json!({"session": "s", "patch": insert}),
        json!({"session": "s", "patch": insert, "call": "c1"}),
        json!({"session": "s", "patch": insert, "call": "c2"}),
    ] {
        let again = tree.passes(Command::Stage, input);
        for member in [
            "patch",
            "change_set",
            "op_identities",
            "evidence",
            "obligations_ok",
        ] {
            assert_eq!(again[member], first[member], "{member}");
        }
        assert_eq!(again["already_applied"], true);
        assert_eq!(again["transaction"]["patch_count"], 1);
    }
    // Another intent is another document, and the insertion is made again.
    let mut other = insert.clone();
    other["intent"] = json!("once more");
    let second = tree.passes(Command::Stage, json!({"session": "s", "patch": other}));
    assert_eq!(
        (
            &second["already_applied"],
            &second["transaction"]["patch_count"]
        ),
        (&json!(false), &json!(2))
    );
    // What a later patch changed does not stand as the first one left it.
    let third = tree.passes(Command::Stage, json!({"session": "s", "patch": insert}));
    assert_eq!(
        (
            &third["already_applied"],
            &third["transaction"]["patch_count"]
        ),
        (&json!(false), &json!(3))
    );
    let diff = json!({"session": "s", "diff": "--- b.txt\n+++ b.txt\n@@ -1 +1,2 @@\n b\n+c\n"});
    tree.passes(Command::Stage, diff.clone());
    let again = tree.passes(Command::Stage, diff);
    assert_eq!(again["already_applied"], true);
}

#[test]
fn a_call_that_failed_fails_again_without_a_run() {
    let tree = Tree::new();
    let policy = "version = 1\n\n[[obligation]]\nname = \"no\"\nargv = [\"false\"]\n";
    write(&tree.root, "lonis-session.toml", policy);
    tree.begin("s");
    let input = json!({"session": "s", "diff": DIFF, "call": "c"});
    for _ in 0..2 {
        let (code, parameters) = tree.refuses(Command::Stage, input.clone());
        assert_eq!(
            (code.as_str(), &parameters["attempt"]),
            ("session/obligations-failed", &json!(1))
        );
    }
    let log = tree.passes(Command::Log, json!({"session": "s"}));
    assert_eq!(log["events"].as_array().unwrap().len(), 2);
}

#[test]
fn a_read_tells_facts_of_the_current_snapshot() {
    let tree = Tree::new();
    write(&tree.root, "m.py", "def f():\n    pass\n");
    tree.begin("s");
    let read = |read: &str| {
        let input =
            json!({"session": "s", "paths": ["m.py", "link", "none", "gone"], "read": read});
        tree.passes(Command::Status, input)["entries"].clone()
    };
    let facts = read("facts");
    assert_eq!(
        facts[0]["text"],
        json!({"encoding": "utf-8", "bom": false, "line_end": "lf", "final_newline": true, "indent": "space:4", "lines": 2})
    );
    let definition = facts[0]["definitions"][0].clone();
    assert_eq!(
        (&definition["path"], &definition["start_line"]),
        (&json!(["f"]), &json!(1))
    );
    assert!(facts[0].get("content").is_none());
    assert_eq!(facts[1]["kind"], "link");
    assert_eq!(
        read("content")[0]["content"],
        json!({"text": "def f():\n    pass\n"})
    );
    assert_eq!(read("content")[1]["content"], json!({"text": "a.txt"}));
    // What was read is what the next op is held to.
    let ops = json!([{"op": "replace-definition", "path": "m.py", "text": "def f():\n    return 1",
        "target": {"path": ["f"], "blob": definition["blob"]}}]);
    tree.passes(
        Command::Stage,
        json!({"session": "s", "patch": patch(&ops)}),
    );
    assert_eq!(
        read("content")[0]["content"]["text"],
        "def f():\n    return 1\n"
    );
}
