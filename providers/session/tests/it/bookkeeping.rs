//! What is kept beside the logs, and what is told where a log is damaged.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::program::{PROGRAM, Root, code_of, patch, replace};

const POLICY: &str = "version = 1\n\n[[obligation]]\nname = \"holds\"\nargv = [\"grep\", \"-q\", \"two\", \"a.txt\"]\n";

fn root() -> Root {
    Root::new(&[("a.txt", "one\n"), ("lonis-session.toml", POLICY)])
}

fn store(root: &Root, path: &str) -> std::path::PathBuf {
    root.tree().join(".lonis/session").join(path)
}

fn words<'a>(rows: &'a Value, list: &str, members: [&str; 2]) -> Vec<(&'a str, &'a str)> {
    let rows = rows[list].as_array().unwrap().iter();
    let word = |row: &'a Value, member: &str| row[member].as_str().unwrap_or_default();
    rows.map(|row| (word(row, members[0]), word(row, members[1])))
        .collect()
}

#[test]
fn a_damaged_log_is_told_and_the_other_sessions_are_listed() {
    let root = root();
    root.passes(&["begin", "broken"]);
    root.passes(&["begin", "whole"]);
    let log = store(&root, "transactions/broken/log.ndjson");
    let mut bytes = fs::read(&log).unwrap();
    bytes[20] ^= 1;
    fs::write(&log, bytes).unwrap();

    let listed = root.passes(&["list"]);
    let told = words(&listed, "sessions", ["session", "status"]);
    assert_eq!(told, [("broken", "damaged"), ("whole", "open")]);
    let only = root.passes(&["list", "--status", "damaged"]);
    assert_eq!(only["sessions"].as_array().unwrap().len(), 1);
    let (code, refused) = root.run(&["log", "broken"], &Value::Null);
    assert_eq!((code, code_of(&refused)), (50, "session/state-invalid"));
    let (code, refused) = root.run(&["recover", "--verify"], &Value::Null);
    assert_eq!((code, code_of(&refused)), (50, "session/snapshot-mismatch"));
    assert_eq!(refused["data"]["damaged"][0]["session"], "broken");
}

#[test]
fn the_kept_record_is_the_fold_and_is_believed_by_nobody() {
    let root = root();
    root.passes(&["begin", "s"]);
    let path = store(&root, "transactions/s/record.json");
    let kept: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(kept, root.passes(&["status", "s"])["transaction"]);

    let mut forged = kept.clone();
    forged["verification"] = json!({
        "snapshot": kept["current_snapshot"], "evidence": kept["log_head"],
        "obligations_ok": true, "vacuous": false, "hermetic": true,
    });
    fs::write(&path, forged.to_string()).unwrap();
    let (code, refused) = root.run(&["apply", "s"], &Value::Null);
    assert_eq!((code, code_of(&refused)), (30, "session/unverified"));
    let recovered = root.passes(&["recover"]);
    assert_eq!(
        words(&recovered, "rebuilt", ["session", "what"]),
        [("s", "record")]
    );
    assert_eq!(root.passes(&["recover"])["rebuilt"], json!([]));
    fs::remove_file(&path).unwrap();
    assert_eq!(root.passes(&["recover"])["rebuilt"][0]["what"], "record");
    assert_eq!(
        serde_json::from_slice::<Value>(&fs::read(&path).unwrap()).unwrap(),
        kept
    );
}

#[test]
fn a_workspace_that_somebody_changed_is_refused_until_it_is_recovered() {
    let root = root();
    root.passes(&["begin", "s"]);
    root.stages("s", &[replace("a.txt", "one", "two")]);
    let held = store(&root, "transactions/s/workspace/a.txt");
    assert_eq!(fs::read_to_string(&held).unwrap(), "two\n");
    fs::write(&held, "two and more\n").unwrap();
    let (code, refused) = root.run(&["test", "s"], &Value::Null);
    assert_eq!(
        (code, code_of(&refused)),
        (50, "session/workspace-tampered")
    );
    assert_eq!(
        refused["diagnostics"][0]["parameters"]["paths"],
        json!(["a.txt"])
    );
    let recovered = root.passes(&["recover"]);
    assert_eq!(
        words(&recovered, "rebuilt", ["session", "what"]),
        [("s", "workspace")]
    );
    root.passes(&["test", "s"]);
    assert_eq!(fs::read_to_string(&held).unwrap(), "two\n");
}

#[test]
fn what_an_apply_left_behind_without_a_journal_is_named_as_it_goes() {
    let root = root();
    root.passes(&["begin", "s"]);
    let left = store(&root, "tmp/s.0");
    fs::write(&left, "half").unwrap();
    fs::write(store(&root, "stat-cache"), "no cache").unwrap();
    let recovered = root.passes(&["recover"]);
    assert_eq!(recovered["orphans"], json!(["s.0"]));
    fs::write(&left, "half again").unwrap();
    fs::remove_file(store(&root, "transactions/s/record.json")).unwrap();
    let told = Command::new(PROGRAM)
        .arg("recover")
        .current_dir(root.tree())
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(told.stdout).unwrap(),
        "made anew: record of s\nremoved: tmp/s.0\n"
    );
    assert_eq!(
        words(&recovered, "rebuilt", ["session", "what"]),
        [("", "stat-cache")]
    );
    assert!(!left.exists());
    let again = root.passes(&["recover"]);
    assert_eq!(
        (&again["orphans"], &again["rebuilt"]),
        (&json!([]), &json!([]))
    );
}

#[test]
fn a_repeated_call_is_answered_from_the_log_and_does_nothing_again() {
    let root = root();
    root.passes(&["begin", "s", "--call", "c0"]);
    let head = |root: &Root| root.passes(&["log", "s"])["head"].clone();
    let staged = [replace("a.txt", "one", "two")];
    let before = head(&root);
    let expect = before.as_str().unwrap().to_owned();
    let stage = [
        "stage",
        "s",
        "--patch",
        "-",
        "--call",
        "c1",
        "--expect-head",
        &expect,
    ];
    let (code, _) = root.run(&stage, &patch(&staged));
    assert_eq!(code, 0);
    let after = head(&root);
    assert_ne!(after, before);
    let (code, again) = root.run(&stage, &patch(&staged));
    assert_eq!(
        (code, &again["data"]["already_applied"]),
        (0, &json!(true)),
        "{again}"
    );
    assert_eq!(head(&root), after);
    assert_eq!(again["data"]["results"][0]["ok"], true);

    // A refused candidate is told again as it was, with the obligations that failed.
    let fails = ["stage", "s", "--patch", "-", "--call", "c1-failed"];
    let attempts = [
        root.run(&fails, &patch(&[replace("a.txt", "two", "three")])),
        root.run(&fails, &patch(&[replace("a.txt", "two", "three")])),
    ];
    for (code, refused) in &attempts {
        assert_eq!(
            (*code, code_of(refused)),
            (30, "session/obligations-failed")
        );
        let failed = &refused["diagnostics"][0]["parameters"]["failed"][0];
        assert_eq!(
            (&failed["name"], &failed["exit"]),
            (&json!("holds"), &json!(1))
        );
        assert_eq!(refused["data"]["attempt"], 1);
    }
    assert_eq!(
        attempts[0].1["data"]["results"],
        attempts[1].1["data"]["results"]
    );
    let events = root.passes(&["log", "s"])["events"].clone();
    assert_eq!(events.as_array().unwrap().len(), 3, "{events}");

    let tested = root.passes(&["test", "s", "--call", "c2"]);
    let after = head(&root);
    let again = root.passes(&["test", "s", "--call", "c2"]);
    assert_eq!(again["evidence"], tested["evidence"]);
    assert_eq!(again["results"], tested["results"]);
    assert_eq!(head(&root), after);

    let (code, refused) = root.run(&["apply", "s", "--call", "c2"], &Value::Null);
    assert_eq!((code, code_of(&refused)), (2, "tool/invalid-input"));
    assert_eq!(refused["diagnostics"][0]["parameters"]["pointer"], "/call");

    let applied = root.passes(&["apply", "s", "--call", "c3"]);
    let again = root.passes(&["apply", "s", "--call", "c3"]);
    for member in ["written", "removed", "transaction", "rebased"] {
        assert_eq!(again[member], applied[member], "{member}");
    }
    let paths = words(&again, "paths", ["path", "op"]);
    assert_eq!(paths, [("a.txt", "replace")]);
    let (code, refused) = root.run(&["apply", "s", "--call", "c4"], &Value::Null);
    assert_eq!((code, code_of(&refused)), (2, "session/not-open"));
}
