//! The life of a session, from `begin` to `apply`, through the program and through a host.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::git::{Git, write};
use crate::program::PROGRAM;
use crate::running::{fed, isolated};
use crate::siblings;

const POLICY: &str = "version = 1\n\n[[obligation]]\nname = \"says-two\"\nargv = [\"grep\", \"-q\", \"two\", \"a.txt\"]\n";

/// A repository with a policy, a file to change and a bystander that git does not know.
struct Story {
    git: Git,
    root: PathBuf,
}

impl Story {
    fn new() -> Self {
        let git = Git::new();
        let root = git.repository("tree", &[]);
        write(&root, "lonis-session.toml", POLICY);
        write(&root, "a.txt", "one\n");
        write(&root, "kept/by.txt", "by\n");
        write(&root, ".gitignore", "*.log\n");
        git.run(&root, &["add", "."]);
        git.run(&root, &["commit", "-q", "-m", "a tree"]);
        write(&root, "own.log", "left alone\n");
        Self { git, root }
    }

    /// A program that knows of no user and no machine.
    fn command(&self, program: &Path) -> Command {
        isolated(program, &self.git.path("home"), &self.root)
    }

    /// Runs a command, and gives its exit code and envelope.
    fn session(&self, words: &[&str], stdin: &Value) -> (i32, Value) {
        let mut command = self.command(Path::new(PROGRAM));
        command.arg("--json").args(words);
        let output = fed(&mut command, stdin);
        let envelope: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(envelope["ok"], output.status.success(), "{envelope}");
        (output.status.code().unwrap(), envelope)
    }

    fn passes(&self, words: &[&str]) -> Value {
        let (code, envelope) = self.session(words, &Value::Null);
        assert_eq!(code, 0, "{words:?}: {envelope}");
        envelope["data"].clone()
    }

    fn refuses(&self, words: &[&str], exit: i32, code: &str) -> Value {
        let (seen, envelope) = self.session(words, &patch("two"));
        let first = envelope["diagnostics"][0].clone();
        assert_eq!((seen, &first["code"]), (exit, &json!(code)), "{words:?}");
        first
    }

    fn stage(&self, session: &str, word: &str) -> (i32, Value) {
        self.session(&["stage", session, "--patch", "-"], &patch(word))
    }

    /// What stands in the live tree, and nothing beside it.
    fn holds(&self, changed: &[(&str, &str)]) {
        let mut expected = vec![
            (".gitignore", "*.log\n"),
            ("kept/by.txt", "by\n"),
            ("lonis-session.toml", POLICY),
        ];
        expected.extend(changed);
        expected.sort_unstable();
        let text = |path: &str| fs::read_to_string(self.root.join(path)).unwrap();
        let listed = self.git.listed(&self.root);
        let seen: Vec<(&str, String)> = listed.iter().map(|path| (&**path, text(path))).collect();
        let seen: Vec<(&str, &str)> = seen.iter().map(|(path, text)| (*path, &**text)).collect();
        assert_eq!(seen, expected);
        assert_eq!(text("own.log"), "left alone\n");
    }
}

/// A patch that makes `a.txt` say a word, and makes a file.
fn patch(word: &str) -> Value {
    json!({ "schema": "genesis/semantic-patch-v0.2", "intent": "another number", "ops": [
        { "op": "replace-text", "path": "a.txt", "find": "one", "replace": word },
        { "op": "create-file", "path": "new/n.txt", "content": { "text": "n\n" } },
    ] })
}

#[test]
fn what_is_proved_is_applied_and_nothing_else_is_touched() {
    let story = Story::new();
    let begun = story.passes(&["begin", "s"]);
    assert_eq!(
        (&begun["files"], &begun["transaction"]["status"]),
        (&json!(4), &json!("open"))
    );

    let (code, failed) = story.stage("s", "three");
    assert_eq!(code, 30, "{failed}");
    assert_eq!(
        failed["diagnostics"][0]["code"],
        "session/obligations-failed"
    );
    assert_eq!(failed["data"]["results"][0]["name"], "says-two");
    story.refuses(&["apply", "s"], 30, "session/unverified");

    let (code, staged) = story.stage("s", "two");
    assert_eq!(code, 0, "{staged}");
    assert_eq!(story.passes(&["test", "s"])["obligations_ok"], true);
    story.holds(&[("a.txt", "one\n")]);

    let diff = story.passes(&["diff", "s", "--format", "unified"]);
    let paths: Vec<&Value> = diff["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| &change["path"])
        .collect();
    assert_eq!(paths, ["a.txt", "new/n.txt"]);
    assert!(
        diff["text"]
            .as_str()
            .unwrap()
            .contains("\n-one\n+two\ndiff ")
    );

    let applied = story.passes(&["apply", "s"]);
    assert_eq!(
        (&applied["written"], &applied["removed"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(applied["transaction"]["status"], "applied");
    story.holds(&[("a.txt", "two\n"), ("new/n.txt", "n\n")]);

    let log = story.passes(&["log", "s"]);
    let events = log["events"].as_array().unwrap().iter();
    let kinds: Vec<&Value> = events.map(|event| &event["kind"]).collect();
    assert_eq!(kinds, ["begun", "attempted", "staged", "tested", "applied"]);
    assert_eq!(log["chain_ok"], true);
    assert_eq!(story.passes(&["recover"])["recovered"], json!([]));
}

#[test]
fn a_closed_session_takes_no_more() {
    let story = Story::new();
    for (session, last, status) in [("s", "apply", "applied"), ("other", "abort", "aborted")] {
        story.passes(&["begin", session]);
        if last == "apply" {
            assert_eq!(story.stage(session, "two").0, 0);
        }
        story.passes(&[last, session]);
        for words in [
            &["apply", session][..],
            &["test", session],
            &["stage", session, "--patch", "-"],
            &["abort", session],
        ] {
            let refusal = story.refuses(words, 2, "session/not-open");
            assert_eq!(refusal["parameters"]["status"], status, "{words:?}");
        }
        story.refuses(&["begin", session], 2, "session/already-exists");
    }
    story.holds(&[("a.txt", "two\n"), ("new/n.txt", "n\n")]);
}

#[test]
fn a_base_that_has_moved_on_is_refused() {
    let story = Story::new();
    story.passes(&["begin", "s"]);
    assert_eq!(story.stage("s", "two").0, 0);
    write(&story.root, "a.txt", "one of another\n");
    story.refuses(&["apply", "s"], 31, "session/stale-base");
    story.holds(&[("a.txt", "one of another\n")]);
    assert_eq!(
        story.passes(&["abort", "s"])["transaction"]["status"],
        "aborted"
    );
}

#[test]
fn a_host_tells_the_same_story() {
    let story = Story::new();
    let lonis = siblings::program("lonis");
    let providers = story.git.path("providers");
    fs::create_dir(&providers).unwrap();
    symlink(PROGRAM, providers.join("lonis-session")).unwrap();
    let call = |word: &str, more: Value| {
        let mut input = json!({ "root": story.root, "session": "s" });
        for (name, value) in more.as_object().unwrap() {
            input[name] = value.clone();
        }
        let mut command = story.command(&lonis);
        command.env("LONIS_PROVIDER_PATH", &providers).args([
            "--mode",
            "json",
            "call",
            &format!("session:{word}"),
            "-",
        ]);
        let output = fed(&mut command, &input);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap(), text, error)
    };
    for (word, more, expected) in [
        ("begin", json!({}), "\"files\":4"),
        (
            "stage",
            json!({ "patch": patch("two") }),
            "\"obligations_ok\":true",
        ),
        ("test", json!({}), "\"obligations_ok\":true"),
        ("apply", json!({}), "\"written\":2"),
        ("log", json!({}), "\"chain_ok\":true"),
    ] {
        let (code, text, error) = call(word, more);
        assert_eq!((code, &*error), (0, ""), "{word}");
        assert!(text.contains(expected), "{word}: {text}");
    }
    story.holds(&[("a.txt", "two\n"), ("new/n.txt", "n\n")]);
    let (code, text, error) = call("apply", json!({}));
    assert_ne!(code, 0);
    assert!(
        text.is_empty() && error.contains("session/not-open"),
        "{text}{error}"
    );
}
