//! Jobs whose spec names a reference: what the model sees of it, and what it decides at the end.

use serde_json::{Value, json};

use crate::job_hosted::{Caller, document};
use crate::job_root::{CLAMP, GOOD, Root, WITH_HOLE, draft, nothing};
use crate::outside::run;

const AGREES: &str = "def clamp(low, high, x):\n    return min(max(x, low), high)\n";
const DIFFERS: &str = "def clamp(low, high, x):\n    return min(x, high)\n";
/// A body that fails a case of its own.
const WRONG: &str =
    "clamp : (low : I64) -> (high : I64) -> (x : I64) -> I64\nclamp low high x = low\n";
const BROKEN: &str = "def clamp(low, high, x):\n    raise KeyError(x)\n";

/// Makes the project of most jobs, with a reference beside it.
fn root(line: &str, python: &str) -> Root {
    let spec = format!("{CLAMP}\n```reference\n{line}\n```\n");
    Root::new(&[("shop/clamp.tr", &spec), ("ref/clamp.py", python)])
}

/// Opens a job; none where the machine cannot close the network off.
fn open(root: &Root) -> Option<String> {
    // What no job needs tells first whether references can run here at all.
    root.write("shop/probe.tr", &CLAMP.replace("clamp", "probe"));
    root.write(
        "shop/probe.tr",
        &(root.read("shop/probe.tr") + "\n```reference\ncli echo 5\n```\n"),
    );
    root.write("shop/probe.soil", &GOOD.replace("clamp", "probe"));
    run(root, &["test", "probe", "--json"])?;
    for file in ["shop/probe.tr", "shop/probe.soil"] {
        std::fs::remove_file(root.path().join(file)).expect("it is there");
    }
    let opened = run(root, &["job", "open", "clamp"])?;
    let opened: Value = serde_json::from_str(opened.answer()).expect("a document");
    Some(opened["job"].as_str().expect("a path").to_owned())
}

fn close(root: &Root, job: &str) -> Value {
    let closed = run(root, &["job", "close", job]).expect("namespaces are there");
    serde_json::from_str(closed.answer()).expect("a document")
}

/// Gives the last event of the definition's log.
fn outcome(root: &Root) -> Value {
    let log = root.read("shop/clamp.log");
    let last = log.lines().last().expect("a line");
    serde_json::from_str(last).expect("it is JSON")
}

const LINE: &str = "ref/clamp.py::clamp";

#[test]
fn a_model_reads_the_reference_and_the_gate_asks_it() {
    for caller in [Caller::Provider, Caller::host(), Caller::mcp()] {
        let root = root(LINE, AGREES);
        let Some(job) = open(&root) else {
            return;
        };
        let manifest = std::fs::read_to_string(format!("{job}/bundle/bundle.json"));
        let manifest: Value =
            serde_json::from_str(&manifest.expect("it is there")).expect("it is JSON");
        let named =
            json!({"tag": "Reference", "value": {"path": "ref/clamp.py", "symbol": "clamp"}});
        assert_eq!(manifest["oracle"], json!({"tag": "Some", "value": named}));
        assert_eq!(manifest["packed"][2], "reference.py");
        let text = json!({"tag": "File", "value": {"content": AGREES}});
        caller.play(
            &job,
            &[
                (
                    "read_context",
                    json!({"path": "reference.py"}),
                    document(&[
                        ("/tag", text["tag"].clone()),
                        ("/value", text["value"].clone()),
                    ]),
                ),
                (
                    "write_soil",
                    draft(GOOD),
                    document(&[("/canonical", json!(GOOD))]),
                ),
                (
                    "check_types",
                    nothing(),
                    document(&[("/defs/0/checks/termination", json!("verified"))]),
                ),
                // Three cases, one property, two clauses; references are for the gate.
                (
                    "run_tests",
                    nothing(),
                    document(&[
                        ("/cases/0/result", json!("pass")),
                        ("/cases/5/result", json!("pass")),
                    ]),
                ),
            ],
        );
        let closed = close(&root, &job);
        assert_eq!(closed["outcome"]["tag"], "Green", "{}", outcome(&root));
        let lock: Value = serde_json::from_str(&root.read("shop/clamp.lock")).expect("a lock");
        let rows = lock["tests"].as_array().expect("a list");
        let row = json!({
            "name": format!("derived:differential:{LINE}"), "tier": "differential",
            "mode": "sandboxed", "origin": "derived", "result": "pass"
        });
        assert_eq!(rows.last(), Some(&row));
        assert_eq!(rows.len(), 7);
        assert_eq!(lock["oracles"][0]["path"], "ref/clamp.py");
        assert_eq!(lock["accepted"], false);
        let status = run(&root, &["status"]).expect("nothing runs");
        assert_eq!(status.answer(), "shop/clamp  tested\n");
    }
}

#[test]
fn a_reference_that_differs_or_breaks_keeps_a_draft_out() {
    for (python, key, expected) in [
        (
            DIFFERS,
            "cases",
            json!(format!("derived:differential:{LINE}")),
        ),
        (BROKEN, "errors", json!("oracle-error")),
    ] {
        let root = root(LINE, python);
        let Some(job) = open(&root) else {
            return;
        };
        Caller::Provider.play(
            &job,
            &[(
                "write_soil",
                draft(GOOD),
                document(&[("/canonical", json!(GOOD))]),
            )],
        );
        let closed = close(&root, &job);
        assert_eq!(closed, json!({"outcome": {"tag": "Failed"}, "wrote": []}));
        assert!(!root.has("shop/clamp.soil") && !root.has("shop/clamp.lock"));
        let event = outcome(&root);
        assert_eq!(event["outcome"], "failed");
        let told = &event[key][0];
        assert!(told == &expected || told["name"] == expected, "{event}");
    }
}

#[test]
fn what_a_draft_fails_itself_is_told_beside_a_reference_that_breaks() {
    let root = root(LINE, BROKEN);
    let Some(job) = open(&root) else {
        return;
    };
    let stored = document(&[("/canonical", json!(WRONG))]);
    Caller::Provider.play(&job, &[("write_soil", draft(WRONG), stored)]);
    let closed = close(&root, &job);
    assert_eq!(closed, json!({"outcome": {"tag": "Failed"}, "wrote": []}));
    let event = outcome(&root);
    assert_eq!(event["errors"], json!(["oracle-error"]), "{event}");
    assert_eq!(event["cases"][0]["name"], "inside#1", "{event}");
    assert_eq!(event["cases"][0]["actual"], "0", "{event}");
    // People see both too, the cases first.
    root.write("shop/clamp.soil", WRONG);
    let tested = run(&root, &["test", "clamp"]).expect("namespaces are there");
    let (failed, error) = (
        tested.stdout.find("fail inside#1"),
        tested.stdout.find("error[oracle-error]"),
    );
    assert!(failed.is_some() && failed < error, "{tested:?}");
    assert_eq!(tested.code, 1);
}

#[test]
fn a_draft_with_holes_is_kept_without_asking() {
    let root = root(LINE, BROKEN);
    let Some(job) = open(&root) else {
        return;
    };
    Caller::Provider.play(
        &job,
        &[(
            "write_soil",
            draft(WITH_HOLE),
            document(&[("/canonical", json!(WITH_HOLE))]),
        )],
    );
    let closed = close(&root, &job);
    assert_eq!(closed["outcome"]["tag"], "Partial");
    let lock: Value = serde_json::from_str(&root.read("shop/clamp.lock")).expect("a lock");
    assert_eq!(lock["tests"], json!([]));
    assert_eq!(lock["oracles"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_command_is_named_and_adds_no_file() {
    let root = root("cli echo 5", AGREES);
    let Some(job) = open(&root) else {
        return;
    };
    let manifest = std::fs::read_to_string(format!("{job}/bundle/bundle.json"));
    let manifest: Value =
        serde_json::from_str(&manifest.expect("it is there")).expect("it is JSON");
    let named = json!({"tag": "Cli", "value": {"command": "echo 5"}});
    assert_eq!(manifest["oracle"], json!({"tag": "Some", "value": named}));
    assert_ne!(manifest["packed"][2], "reference.py");
}

#[test]
fn a_reference_that_is_not_there_opens_no_job() {
    for line in [
        "ref/gone.py::clamp",
        "cli ./gone",
        "cli no-such-program-anywhere",
    ] {
        let root = root(line, AGREES);
        let refused = run(&root, &["job", "open", "clamp"]).expect("nothing runs");
        let errors = refused.errors();
        assert_eq!(
            (refused.code, &errors[0]["code"]),
            (1, &json!("oracle-error"))
        );
        assert_eq!(errors[0]["file"]["value"], "shop/clamp.tr");
        assert_eq!(root.jobs(), [""; 0]);
    }
}

#[test]
fn a_lock_follows_its_reference() {
    let root = root(LINE, AGREES);
    root.write("shop/clamp.soil", GOOD);
    let Some(refreshed) = run(&root, &["refresh"]) else {
        return;
    };
    assert_eq!(refreshed.answer(), "shop/clamp: written\n");
    let status = || {
        run(&root, &["status"])
            .expect("nothing runs")
            .answer()
            .to_owned()
    };
    assert_eq!(status(), "shop/clamp  tested\n");
    let again = run(&root, &["refresh"]).expect("namespaces are there");
    assert_eq!(again.answer(), "shop/clamp: true already\n");
    let accepted = run(&root, &["accept", "clamp"]).expect("namespaces are there");
    assert_eq!(accepted.code, 0, "{accepted:?}");
    assert_eq!(status(), "shop/clamp  accepted\n");
    root.write("ref/clamp.py", DIFFERS);
    assert_eq!(status(), "shop/clamp  accepted  test-stale\n");
    let red = run(&root, &["refresh"]).expect("namespaces are there");
    assert_eq!(
        (red.code, red.stdout.as_str()),
        (1, "shop/clamp: written, and not green\n")
    );
    // What is not green any more is not accepted any more.
    assert_eq!(status(), "shop/clamp  typed\n");
    let refused = run(&root, &["accept", "clamp", "--json"]).expect("namespaces are there");
    let document: Value = serde_json::from_str(&refused.stdout).expect("a document");
    let code = &document["definitions"][0]["errors"][0]["code"];
    assert_eq!((refused.code, code), (1, &json!("lock-accepted-untested")));
    let before = root.read("shop/clamp.lock");
    root.write("ref/clamp.py", BROKEN);
    let broken = run(&root, &["refresh", "--json"]).expect("namespaces are there");
    let document: Value = serde_json::from_str(&broken.stdout).expect("a document");
    let code = &document["definitions"][0]["errors"][0]["code"];
    assert_eq!((broken.code, code), (1, &json!("oracle-error")));
    assert_eq!(root.read("shop/clamp.lock"), before);
    std::fs::remove_file(root.path().join("ref/clamp.py")).expect("it is there");
    assert_eq!(status(), "shop/clamp  typed  test-stale\n");
}
