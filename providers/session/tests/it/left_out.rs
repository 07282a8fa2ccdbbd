//! Paths that a policy leaves out: no op may touch them, and whoever asks is told why.

use serde_json::{Value, json};

use crate::git::Git;
use crate::program::{Root, code_of, create, patch, replace};

const POLICY: &str =
    "version = 1\n\n[files]\nsource = \"walk\"\nexclude = [\"x/**\"]\nmax_file_bytes = 200\n";

fn root() -> Root {
    let long = "long ".repeat(100);
    let root = Root::new(&[
        ("lonis-session.toml", POLICY),
        ("a.txt", "one\n"),
        ("long.txt", &long),
        ("x/y.txt", "two\n"),
    ]);
    let made = std::process::Command::new("mkfifo")
        .arg(root.tree().join("pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    root.passes(&["begin", "s"]);
    root
}

#[test]
fn an_op_on_a_path_that_is_left_out_meets_something_that_is_not_captured() {
    let root = root();
    for op in [
        replace("long.txt", "long", "short"),
        create("long.txt", "short\n"),
        create("x/y.txt", "mine\n"),
        create("pipe", "no pipe\n"),
        json!({"op": "move-file", "path": "a.txt", "to": "x/y.txt", "pre": pre("one\n")}),
    ] {
        let words = ["stage", "s", "--gate", "none", "--patch", "-"];
        let (_, refused) = root.run(&words, &patch(std::slice::from_ref(&op)));
        assert_eq!(code_of(&refused), "patch/path-state-conflict", "{op}");
        let report = &refused["data"]["reports"][0];
        assert_eq!(report["actual"], "not-captured", "{refused}");
    }
    // The rest of the tree is worked on as ever, beside them and where nothing stood.
    root.stages(
        "s",
        &[replace("a.txt", "one", "two"), create("new/b.txt", "new\n")],
    );
    root.passes(&["apply", "s"]);
    assert_eq!(root.read("a.txt").as_deref(), Some("two\n"));
    assert_eq!(root.read("x/y.txt").as_deref(), Some("two\n"));
    assert_eq!(root.read("long.txt").map(|text| text.len()), Some(500));
}

#[test]
fn a_status_says_why_a_path_is_left_out() {
    let root = root();
    root.write("later.txt", "after the beginning\n");
    let paths = ["long.txt", "x/y.txt", "pipe", "later.txt", "none", "a.txt"];
    let status = root.passes(&[&["status", "s"][..], &paths].concat());
    let told: Vec<(&Value, &Value)> = status["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (&entry["kind"], &entry["reason"]))
        .collect();
    let expected = [
        ("not-captured", json!("too-large")),
        ("not-captured", json!("excluded")),
        ("not-captured", json!("special")),
        ("absent", Value::Null),
        ("absent", Value::Null),
        ("file", Value::Null),
    ];
    let expected = expected.map(|(kind, reason)| (json!(kind), reason));
    let expected: Vec<_> = expected
        .iter()
        .map(|(kind, reason)| (kind, reason))
        .collect();
    assert_eq!(told, expected);
}

#[test]
fn a_difference_says_of_which_paths_it_knows_nothing() {
    let root = root();
    root.stages("s", &[replace("a.txt", "one", "two")]);
    root.write("long.txt", &"other ".repeat(100));
    for sides in [&["--to", "live"][..], &[]] {
        let paths = ["a.txt", "long.txt", "x/y.txt", "none"];
        let told = root.passes(&[&["diff", "s"][..], &paths, sides].concat());
        let expected = json!([
            {"path": "long.txt", "reason": "too-large"},
            {"path": "x/y.txt", "reason": "excluded"},
        ]);
        assert_eq!(told["left_out"], expected, "{told}");
    }
    let told = root.passes(&["diff", "s", "a.txt"]);
    assert_eq!(told.get("left_out"), None);
    assert_eq!(told["changes"][0]["path"], "a.txt");
}

#[test]
fn what_a_sparse_working_tree_leaves_out_is_not_made_by_an_op() {
    for sparse_index in ["false", "true"] {
        let git = Git::new();
        let root = Root::new(&[("a/f", "one\n"), ("b/c/f", "two\n"), ("top", "three\n")]);
        let tree = root.tree();
        git.run(&tree, &["init", "-q"]);
        git.run(&tree, &["add", "."]);
        git.run(&tree, &["commit", "-qm", "x"]);
        git.run(&tree, &["config", "index.sparse", sparse_index]);
        git.run(&tree, &["sparse-checkout", "set", "--cone", "a"]);
        assert_eq!(root.read("b/c/f"), None);
        root.passes(&["begin", "s"]);
        let words = ["stage", "s", "--gate", "none", "--patch", "-"];
        let (_, refused) = root.run(&words, &patch(&[create("b/c/f", "mine\n")]));
        assert_eq!(code_of(&refused), "patch/path-state-conflict", "{refused}");
        let report = &refused["data"]["reports"][0];
        assert_eq!(report["actual"], "not-captured", "{refused}");
        let told = root.passes(&["diff", "s", "b/c/f", "new"]);
        assert_eq!(
            told["left_out"],
            json!([{"path": "b/c/f", "reason": "sparse"}])
        );
        let told = root.passes(&["status", "s", "b/c/f"]);
        assert_eq!(told["entries"][0]["reason"], "sparse");
        // Beside it files are made as ever.
        root.stages("s", &[create("a/new", "new\n"), create("d/e", "new\n")]);
        root.passes(&["apply", "s"]);
        assert_eq!(root.read("b/c/f"), None);
        assert_eq!(root.read("a/new").as_deref(), Some("new\n"));
    }
}

fn pre(text: &str) -> String {
    use lonis_session::identity::{Domain, Identity};
    format!("blob:{}", Identity::of(Domain::Blob, text.as_bytes()))
}
