//! Collecting what no session needs: planned first, then removed, and never what somebody needs.

use std::fs::File;

use serde_json::{Value, json};

use crate::program::{Root, code_of, create, replace};

const POLICY: &str = "version = 1\n\n[session]\nkeep_closed = 0\nlock_wait_millis = 1\n\n[[obligation]]\nname = \"is-there\"\nargv = [\"test\", \"-e\", \"a\"]\n";

/// A session that was given up, whose patch nobody needs, and one that is open.
fn used() -> Root {
    let root = Root::new(&[("lonis-session.toml", POLICY), ("a", "one\n")]);
    root.passes(&["begin", "old"]);
    root.stages("old", &[create("large", &"never applied\n".repeat(1000))]);
    root.passes(&["abort", "old"]);
    root.passes(&["begin", "open"]);
    root.stages("open", &[replace("a", "one", "two")]);
    root
}

fn sessions(root: &Root) -> Vec<Value> {
    let listed = root.passes(&["list"]);
    let rows = listed["sessions"].as_array().unwrap().iter();
    rows.map(|row| row["session"].clone()).collect()
}

fn store_bytes(root: &Root) -> u64 {
    let objects = root.tree().join(".lonis/session/objects");
    let segments = std::fs::read_dir(objects).unwrap();
    segments
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum()
}

#[test]
fn a_plan_changes_nothing_and_a_run_does_what_it_says() {
    let root = used();
    let before = store_bytes(&root);
    let plan = root.passes(&["gc", "--keep-days", "0"]);
    assert_eq!(
        (&plan["roots"], &plan["removed"]),
        (&json!(["open"]), &json!(0))
    );
    let reclaimed = plan["reclaim_bytes"].as_u64().unwrap();
    assert!(
        plan["dead"].as_u64() > Some(0) && reclaimed >= 14_000,
        "{plan}"
    );
    assert_eq!((store_bytes(&root), sessions(&root).len()), (before, 2));

    let run = root.passes(&["gc", "--run", "--keep-days", "0"]);
    assert_eq!(run["removed"], plan["dead"]);
    assert!(store_bytes(&root) + reclaimed <= before, "{run}");
    assert_eq!(sessions(&root), ["open"]);
    let (code, gone) = root.run(&["status", "old"], &Value::Null);
    assert_eq!((code, code_of(&gone)), (3, "session/not-found"));
    assert!(
        !root
            .tree()
            .join(".lonis/session/transactions/old/workspace")
            .exists()
    );
    assert_eq!(root.passes(&["gc", "--keep-days", "0"])["dead"], 0);

    root.passes(&["test", "open"]);
    root.passes(&["apply", "open"]);
    assert_eq!(root.read("a").as_deref(), Some("two\n"));
    root.passes(&["begin", "old"]);
    root.passes(&["test", "old"]);
}

#[test]
fn closed_sessions_stay_as_long_as_the_policy_or_the_caller_says() {
    let root = used();
    let workspace = root
        .tree()
        .join(".lonis/session/transactions/old/workspace");
    assert!(workspace.exists());
    let run = root.passes(&["gc", "--run"]);
    assert_eq!(run["roots"], json!(["old", "open"]));
    assert!(!workspace.exists(), "a closed session runs nothing");
    let diff = root.passes(&["diff", "old"]);
    assert_eq!(diff["changes"][0]["path"], "large");

    root.write(
        "lonis-session.toml",
        &POLICY.replace("keep_closed = 0", "keep_closed = 1\nkeep_days = 0"),
    );
    root.passes(&["gc", "--run"]);
    assert_eq!(sessions(&root), ["old", "open"]);
    root.passes(&["gc", "--run", "--keep-days", "1"]);
    assert_eq!(sessions(&root), ["old", "open"]);
    root.write("lonis-session.toml", "version = 2\n");
    let (_, refused) = root.run(&["gc", "--run", "--keep-days", "0"], &Value::Null);
    assert_eq!(code_of(&refused), "session/config-invalid");
    assert_eq!(sessions(&root), ["old", "open"]);
}

#[test]
fn a_session_in_use_and_a_log_that_does_not_read_stop_it() {
    let root = used();
    let transactions = root.tree().join(".lonis/session/transactions");
    let lock = File::open(transactions.join("open/lock")).unwrap();
    lock.lock().unwrap();
    let run = ["gc", "--run", "--keep-days", "0"];
    let (_, busy) = root.run(&run, &Value::Null);
    assert_eq!(code_of(&busy), "session/lock-busy");
    drop(lock);

    let log = transactions.join("open/log.ndjson");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.replacen("begun", "began", 1)).unwrap();
    let before = store_bytes(&root);
    let (_, damaged) = root.run(&run, &Value::Null);
    assert_eq!(code_of(&damaged), "session/state-invalid");
    assert_eq!(store_bytes(&root), before);
    std::fs::write(&log, text).unwrap();
    assert_eq!(sessions(&root), ["old", "open"]);
}

#[test]
fn a_root_without_a_store_has_nothing_to_collect() {
    let root = Root::new(&[("a", "one\n")]);
    let plan = root.passes(&["gc"]);
    assert_eq!((&plan["live"], &plan["dead"]), (&json!(0), &json!(0)));
    assert!(!root.tree().join(".lonis").exists());
}
