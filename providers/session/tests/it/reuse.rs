//! Results that are taken over: where nothing that they depend on differs, and never from a workspace.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::program::{Root, create, replace};

/// A root whose obligation writes down that it ran, outside of the tree.
fn root(keys: &str, holds: &str) -> Root {
    let root = Root::new(&[("a.txt", "one\n"), ("other.txt", "other\n")]);
    let log = log(&root);
    let script = format!("echo ran >> '{}'; {holds}", log.display());
    let policy = format!(
        "version = 1\n\n[[obligation]]\nname = \"counted\"\nargv = [\"sh\", \"-c\", {script:?}]\n{keys}\n{}\n",
        temporary(&root)
    );
    root.write("lonis-session.toml", &policy);
    root
}

/// A file outside of the tree that obligations may write to.
fn log(root: &Root) -> PathBuf {
    fs::create_dir_all(root.beside("told")).unwrap();
    let log = root.beside("told/runs");
    fs::write(&log, "").unwrap();
    log
}

/// The key of the policy that lets an obligation write there.
fn temporary(root: &Root) -> String {
    format!("env = {{ TMPDIR = \"{}\" }}", root.beside("told").display())
}

fn runs(root: &Root) -> usize {
    fs::read_to_string(root.beside("told/runs"))
        .unwrap()
        .lines()
        .count()
}

#[test]
fn a_passed_result_is_taken_over_where_its_key_is_equal() {
    let root = root("reuse = true", "grep -q two a.txt");
    root.passes(&["begin", "s"]);
    let staged = root.stages("s", &[replace("a.txt", "one", "two")]);
    assert_eq!((runs(&root), &staged["reused"]), (1, &json!(0)));
    assert_eq!(staged["transaction"]["verification"]["hermetic"], true);

    let tested = root.passes(&["test", "s"]);
    assert_eq!((runs(&root), &tested["reused"]), (1, &json!(1)));
    let result = &tested["results"][0];
    assert_eq!(result["reused_from"], staged["evidence"]);
    assert_eq!(result["stdout"], staged["results"][0]["stdout"]);
    assert_eq!(tested["transaction"]["verification"]["hermetic"], false);
    // It is the run itself that is named, however often it is taken over.
    let again = root.passes(&["test", "s"]);
    assert_eq!(again["results"][0]["reused_from"], staged["evidence"]);

    // Another session on the same content finds it through the logs of the store.
    root.passes(&["begin", "other"]);
    let other = root.stages("other", &[replace("a.txt", "one", "two")]);
    assert_eq!((runs(&root), &other["reused"]), (1, &json!(1)));

    let fresh = root.passes(&["test", "s", "--fresh"]);
    assert_eq!((runs(&root), &fresh["reused"]), (2, &json!(0)));
    root.passes(&["test", "s"]);
    root.passes(&["apply", "s"]);
}

#[test]
fn another_snapshot_is_another_key_unless_the_inputs_are_the_same() {
    for (keys, runs_after) in [("reuse = true", 2), ("reuse = true\ninputs = [\"a.*\"]", 1)] {
        let root = root(keys, "true");
        root.passes(&["begin", "s"]);
        root.passes(&["test", "s"]);
        let staged = root.stages("s", &[create("new.txt", "n\n")]);
        assert_eq!(runs(&root), runs_after, "{keys}: {staged}");
        root.stages("s", &[replace("a.txt", "one", "two")]);
        assert_eq!(runs(&root), runs_after + 1, "{keys}");
        root.passes(&["apply", "s"]);
    }
}

#[test]
fn what_a_result_depends_on_is_never_another_when_it_is_taken_over() {
    let root = root("reuse = true", "true");
    let policy = root.read("lonis-session.toml").unwrap();
    root.passes(&["begin", "first"]);
    root.passes(&["test", "first"]);
    assert_eq!(runs(&root), 1);
    let mut expected = 1;
    for (number, change) in [
        policy.replace("reuse = true", "reuse = true\ntimeout_millis = 9000"),
        policy.replace("env = {", "env = { MORE = \"x\","),
        policy.replace("; true", "; :"),
        policy.replace("reuse = true", ""),
    ]
    .into_iter()
    .enumerate()
    {
        // The inputs of the snapshot differ with the policy file; the globs leave it out.
        let change = change.replace("reuse = true", "reuse = true\ninputs = [\"*.txt\"]");
        root.write("lonis-session.toml", &change);
        let session = format!("s{number}");
        root.passes(&["begin", &session]);
        root.passes(&["test", &session]);
        expected += 1;
        assert_eq!(runs(&root), expected, "{change}");
    }
}

#[test]
fn a_failed_result_and_a_forged_one_are_believed_by_nobody() {
    let root = root(
        "reuse = true\nscratch = [\"cache\"]",
        "mkdir -p cache/.lonis/session/objects; cp cache/forged cache/.lonis/session/objects/1.seg 2>/dev/null; \
         echo '{\\\"ok\\\":true}' > cache/forged; exit 1",
    );
    root.passes(&["begin", "s"]);
    for expected in 1..4 {
        let (code, refused) = root.run(&["test", "s"], &Value::Null);
        assert_eq!(code, 30);
        assert_eq!(refused["data"]["reused"], 0);
        assert_eq!(runs(&root), expected);
    }
}

#[test]
fn another_program_or_tool_is_another_key() {
    let root = Root::new(&[("a.txt", "one\n")]);
    let program = format!("#!/bin/sh\necho ran >> '{}'\n", log(&root).display());
    root.write("run.sh", &program);
    fs::set_permissions(
        root.tree().join("run.sh"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    root.write(
        "lonis-session.toml",
        &format!(
            "version = 1\n\n[[obligation]]\nname = \"runs\"\nargv = [\"./run.sh\"]\nreuse = true\ninputs = [\"a.*\"]\n{}\n",
            temporary(&root)
        ),
    );
    root.passes(&["begin", "s"]);
    root.passes(&["test", "s"]);
    assert_eq!(root.passes(&["test", "s"])["reused"], 1);
    root.stages("s", &[replace("run.sh", "echo ran", "echo again")]);
    assert_eq!(runs(&root), 2);

    let root = Root::new(&[
        ("a.txt", "one\n"),
        (
            "lonis-session.toml",
            "version = 1\n\n[[obligation]]\nname = \"calls\"\ntool = \"demo:runs\"\nreuse = true\n",
        ),
    ]);
    let log = log(&root);
    let registry = root.beside("lonis.toml");
    let words = ["--providers", registry.to_str().unwrap(), "test", "s"];
    root.passes(&["begin", "s"]);
    for (version, expected) in [("1", 1), ("1", 1), ("2", 2), ("1", 2)] {
        let tool = format!(
            "[tools.\"demo:runs\"]\ndescription = \"Runs.\"\nversion = \"{version}\"\ncommand = \"sh\"\nargs = [\"-c\", \"echo ran >> '{}'\"]\n",
            log.display()
        );
        fs::write(&registry, tool).unwrap();
        root.passes(&words);
        assert_eq!(runs(&root), expected, "version {version}");
    }
}

#[test]
fn collecting_leaves_what_a_taken_over_result_comes_from() {
    let root = root("reuse = true\ninputs = [\"a.*\"]", "true");
    root.passes(&["begin", "first"]);
    let origin = root.passes(&["test", "first"])["evidence"].clone();
    root.passes(&["begin", "second"]);
    let staged = root.stages("second", &[create("new.txt", "n\n")]);
    assert_eq!(staged["results"][0]["reused_from"], origin);
    root.passes(&["abort", "first"]);
    // Far more sessions than are kept, so that the first one goes.
    for number in 0..21 {
        let name = format!("filler{number}");
        root.passes(&["begin", &name]);
        root.passes(&["abort", &name]);
    }
    root.passes(&["gc", "--run", "--keep-days", "0"]);
    let (code, gone) = root.run(&["status", "first"], &Value::Null);
    assert_eq!(code, 3, "{gone}");
    root.passes(&["apply", "second"]);
    assert_eq!(runs(&root), 1);
}
