//! Scripted playbooks: calls of one job, and what becomes of it.

use serde_json::{Value, json};

use crate::job_root::{GOOD, Root, WITH_HOLE, WRONG, draft};

fn outcome(tag: &str) -> Value {
    json!({"outcome": {"tag": tag}, "wrote": []})
}

/// Gives name and result of each test.
fn results(document: &Value) -> Vec<(String, String)> {
    let cases = document["cases"].as_array().expect("a list");
    let word = |value: &Value| value.as_str().expect("a word").to_owned();
    let rows = cases
        .iter()
        .map(|case| (word(&case["name"]), word(&case["result"])));
    rows.collect()
}

#[test]
fn a_first_draft_that_is_right_is_green() {
    let root = Root::clamp();
    let job = root.open(&["shop/clamp"]);
    let written = job.document("write_soil", &draft("clamp : (low : I64) -> (high : I64) -> (x : I64) -> I64\nclamp low high x = if x < low then low else if x > high then high else x"));
    assert_eq!(written["canonical"], GOOD);
    let checked = job.document("check_types", &json!({}));
    assert_eq!(checked["defs"].as_array().map(Vec::len), Some(1));
    assert_eq!(checked["defs"][0]["checks"]["termination"], "verified");
    let tested = job.document("run_tests", &json!({}));
    let expected = [
        "inside#1",
        "inside#2",
        "inside#3",
        "second_time",
        "derived:ensures:at_least",
        "derived:ensures:at_most",
    ];
    let passed = expected.map(|name| (name.to_owned(), "pass".to_owned()));
    assert_eq!(results(&tested), passed);
    assert_eq!(
        job.document("check_refinements", &json!({})),
        json!({"tag": "None"})
    );
    let ended =
        json!({"outcome": {"tag": "Green"}, "wrote": ["shop/clamp.soil", "shop/clamp.lock"]});
    assert_eq!(job.close(), ended);
    assert_eq!(root.read("shop/clamp.soil"), GOOD);
    let run = root.run(&["check", "--json"]);
    let report: Value = serde_json::from_str(run.answer()).expect("a document");
    assert_eq!(report["ok"], true, "{report}");
    let lock: Value = serde_json::from_str(&root.read("shop/clamp.lock")).expect("JSON");
    assert_eq!(lock["checks"]["holes"], 0);
    assert_eq!(lock["tests"].as_array().map(Vec::len), Some(6));
    assert_eq!(lock["lowering"]["provenance"], "agent");
}

#[test]
fn a_hole_comes_first_and_is_filled() {
    let root = Root::clamp();
    let job = root.open(&["shop/clamp"]);
    job.write(WITH_HOLE);
    let checked = job.document("check_types", &json!({}));
    let hole = &checked["defs"][0]["checks"]["holes"][0];
    assert_eq!(hole["name"], "rest");
    assert!(
        hole["fit"]["terms"]
            .as_array()
            .is_some_and(|terms| !terms.is_empty())
    );
    assert_eq!(
        job.refusal("run_tests", &json!({})),
        (vec!["unfilled-hole".to_owned()], 1)
    );
    job.write(GOOD);
    let tested = job.document("run_tests", &json!({}));
    assert!(results(&tested).iter().all(|(_, result)| result == "pass"));
    assert_eq!(job.close()["outcome"]["tag"], "Green");
}

#[test]
fn a_draft_with_holes_is_kept_as_partial() {
    let root = Root::clamp();
    let job = root.open(&["shop/clamp"]);
    job.write(WITH_HOLE);
    let ended = json!({
        "outcome": {"tag": "Partial", "value": {"holes": 1}},
        "wrote": ["shop/clamp.soil", "shop/clamp.lock"]
    });
    assert_eq!(job.close(), ended);
    assert_eq!(root.read("shop/clamp.soil"), WITH_HOLE);
    let lock: Value = serde_json::from_str(&root.read("shop/clamp.lock")).expect("JSON");
    assert_eq!(
        (&lock["checks"]["holes"], &lock["tests"]),
        (&json!(1), &json!([]))
    );
}

#[test]
fn a_wrong_draft_shows_what_came_and_writes_nothing() {
    let root = Root::clamp();
    let job = root.open(&["shop/clamp"]);
    job.write(WRONG);
    let tested = job.document("run_tests", &json!({}));
    let third = &tested["cases"][2];
    assert_eq!(third["result"], "fail");
    // The draft breaks its own ensures, which is what the test sees.
    let actual = third["details"]["value"]["actual"]
        .as_str()
        .expect("a text");
    assert!(actual.starts_with("panic: ensures-violation"), "{actual}");
    let found = &tested["cases"][5]["counterexample"];
    assert!(found["args"].is_array(), "{tested}");
    // What was found is tried first from now on, and fails again.
    let again = job.document("run_tests", &json!({}));
    let kept = &again["cases"][5]["counterexample"];
    assert_eq!((&kept["args"], &kept["steps"]), (&found["args"], &json!(0)));
    assert_eq!(job.close(), outcome("Failed"));
    assert!(!root.has("shop/clamp.soil") && !root.has("shop/clamp.lock"));
}

#[test]
fn a_job_without_a_draft_fails() {
    let root = Root::clamp();
    let job = root.open(&["shop/clamp"]);
    for tool in ["check_types", "run_tests"] {
        assert_eq!(
            job.refusal(tool, &json!({})),
            (vec!["no-draft".to_owned()], 3)
        );
    }
    assert_eq!(job.close(), outcome("Failed"));
}
