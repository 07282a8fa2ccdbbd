//! Locks that were written elsewhere, pinned byte for byte in `golden/soil/v1/locks`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::job_root::{GOOD, Job, Root, checker};
use crate::program::Run;

/// The definitions, callees first, with the decisions that their drafts cite.
fn definitions() -> [(&'static str, Value); 2] {
    let cited = |scope: &str, label: &str| json!({"scope": {"tag": scope}, "label": label});
    [
        (
            "clamp",
            json!([cited("Module", "bounds"), cited("Project", "times")]),
        ),
        ("price", json!([])),
    ]
}

fn pinned(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/soil/v1/locks");
    // Which version writes it stands in a lock, and is all that may differ.
    let text = fs::read_to_string(root.join(path)).expect(path);
    let versions = |version: &str| format!(r#"{{ "trellis": "{version}", "soil": "{version}" }}"#);
    text.replace(&versions("0.3.0"), &versions(env!("CARGO_PKG_VERSION")))
}

/// The project on another machine: in another folder, written file by file.
struct Elsewhere(tempfile::TempDir);

impl Elsewhere {
    fn new(with_lowered: bool) -> Self {
        let elsewhere = Self(tempfile::tempdir().expect("a folder"));
        fs::create_dir_all(elsewhere.0.path().join("locks/shop")).expect("it is made");
        let mut files = vec!["soil.toml", "_project.tr"];
        files.extend([
            "shop/_module.tr",
            "shop/_private.soil",
            "shop/level.tr",
            "shop/clamp.tr",
            "shop/price.tr",
        ]);
        if with_lowered {
            files.extend([
                "shop/clamp.soil",
                "shop/clamp.lock",
                "shop/price.soil",
                "shop/price.lock",
            ]);
        }
        for file in files {
            fs::write(elsewhere.0.path().join("locks").join(file), pinned(file))
                .expect("it is written");
        }
        elsewhere
    }

    fn run(&self, words: &[&str]) -> Run {
        Run::of(
            checker(&self.0.path().join("locks"), words)
                .output()
                .expect("it starts"),
        )
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.path().join("locks").join(path)).expect(path)
    }
}

#[test]
fn a_lock_from_another_machine_is_true_here() {
    let elsewhere = Elsewhere::new(true);
    let report = elsewhere.run(&["check", "--json"]);
    assert!(report.answer().contains("\"ok\":true"), "{report:?}");
    let status: Value =
        serde_json::from_str(elsewhere.run(&["status", "--json"]).answer()).expect("a document");
    let standings = status["definitions"].as_array().expect("a list");
    assert_eq!(standings.len(), 2);
    for one in standings {
        assert_eq!(
            (&one["stage"], &one["flags"]),
            (&json!("tested"), &json!([])),
            "{one}"
        );
    }
    // All of it is computed again, and comes to the same bytes.
    let refreshed: Value =
        serde_json::from_str(elsewhere.run(&["refresh", "--json"]).answer()).expect("a document");
    for one in refreshed["definitions"].as_array().expect("a list") {
        assert_eq!(
            (&one["good"], &one["written"]),
            (&json!(true), &json!(false)),
            "{one}"
        );
    }
    for (name, _) in definitions() {
        let path = format!("shop/{name}.lock");
        assert_eq!(elsewhere.read(&path), pinned(&path));
    }
}

#[test]
fn the_same_jobs_write_the_same_locks() {
    let elsewhere = Elsewhere::new(false);
    for (name, cited) in definitions() {
        let words = ["job", "open", name, "--provider", "maker", "--model", "m-1"];
        let opened: Value =
            serde_json::from_str(elsewhere.run(&words).answer()).expect("a document");
        let job = Job(opened["job"].as_str().expect("a path").to_owned());
        let body = pinned(&format!("shop/{name}.soil"));
        job.document(
            "write_soil",
            &json!({"soil": body, "decisions_applied": cited}),
        );
        assert_eq!(job.close()["outcome"]["tag"], "Green");
        for ending in ["soil", "lock"] {
            let path = format!("shop/{name}.{ending}");
            assert_eq!(elsewhere.read(&path), pinned(&path), "{path}");
        }
    }
}

/// The digest of parts, from the rule alone: each part behind its length in eight bytes.
fn digest<'p>(parts: impl IntoIterator<Item = &'p str>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let text = "sha256:".to_owned();
    hasher
        .finalize()
        .iter()
        .fold(text, |text, byte| text + &format!("{byte:02x}"))
}

/// A spec cut by the rules of hashing: its name, the words and contents of its blocks, and what is left.
struct Cut<'t> {
    name: &'t str,
    formal: Vec<&'t str>,
    test: Vec<&'t str>,
    prose: String,
}

fn cut_up(spec: &str) -> Cut<'_> {
    let (mut name, mut formal, mut test, mut prose) = ("", Vec::new(), Vec::new(), String::new());
    let mut rest = spec;
    while let Some(line) = rest.split_inclusive('\n').next() {
        rest = &rest[line.len()..];
        if let Some(info) = line.strip_prefix("```") {
            let end = rest.find("```\n").expect("a block is closed");
            let parts = [info.trim_end(), &rest[..end]];
            match info.split_whitespace().next() {
                Some("test" | "property" | "cram" | "reference") => test.extend(parts),
                _ => formal.extend(parts),
            }
            rest = &rest[end + 4..];
        } else if let Some(value) = line.strip_prefix("name: ") {
            name = value.trim_end();
        } else {
            prose.push_str(line);
        }
    }
    Cut {
        name,
        formal,
        test,
        prose,
    }
}

#[test]
fn the_hashes_of_a_lock_follow_from_the_rules_alone() {
    for (name, _) in definitions() {
        let lock: Value =
            serde_json::from_str(&pinned(&format!("shop/{name}.lock"))).expect("JSON");
        let text = pinned(&format!("shop/{name}.tr"));
        let cut = cut_up(&text);
        let hashes = json!({
            "formal": digest(std::iter::once(cut.name).chain(cut.formal)),
            "test": digest(cut.test),
            "prose": digest([cut.prose.as_str()]),
        });
        assert_eq!(lock["spec"]["hashes"], hashes, "{name}");
        let decisions = &lock["lowering"]["decisions"];
        assert_eq!(
            decisions["scope_hash"],
            digest(["bounds\0rounding\0times"]),
            "{name}"
        );
        for applied in decisions["applied"].as_array().expect("a list") {
            let entry = match applied["label"].as_str() {
                Some("bounds") => "bounds: both belong to the range",
                _ => "times: seconds of UTC\n  rejected: local time",
            };
            assert_eq!(applied["hash"], digest([entry]), "{applied}");
        }
    }
}

/// What another version wrote, or a person broke, is not lost to a lock that is made anew.
#[test]
fn a_lock_that_does_not_read_is_not_overwritten() {
    let root = Root::clamp();
    root.write("shop/clamp.soil", GOOD);
    for (text, code) in [
        ("{", "lock-malformed"),
        (r#"{"lock_format":2}"#, "lock-format"),
    ] {
        root.write("shop/clamp.lock", text);
        for command in ["refresh", "accept"] {
            let run = root.run(&[command, "clamp", "--json"]);
            assert_eq!(run.code, 1, "{run:?}");
            let document: Value = serde_json::from_str(&run.stdout).expect("a document");
            let errors = document["definitions"][0]["errors"].as_array();
            let [error] = &errors.expect("a list")[..] else {
                panic!("{document}");
            };
            assert_eq!(error["code"], code, "{document}");
            assert_eq!(error["file"]["value"], "shop/clamp.lock", "{document}");
            assert_eq!(root.read("shop/clamp.lock"), text, "{command}");
        }
    }
    fs::remove_file(root.path().join("shop/clamp.lock")).expect("it is there");
    root.run(&["refresh", "clamp"]).answer();
    root.run(&["accept", "clamp"]).answer();
    assert!(root.read("shop/clamp.lock").contains("\"accepted\": true"));
}
