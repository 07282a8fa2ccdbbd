//! What a host gets of a tool: one block, or one error, with all that says where it comes from.

use std::path::Path;

use serde_json::{Value, json};

use crate::job_root::{CLAMP, GOOD, Job, Root, WITH_HOLE, WRONG, checker, draft, question};
use crate::program::Run;

/// Gives the text of a call for people.
fn shown(job: &Job, tool: &str, input: &Value) -> Run {
    let mut input = input.clone();
    input["job"] = json!(job.0);
    let words = ["--mode", "human", "call", &format!("trellis.{tool}")];
    Run::on(
        &mut checker(Path::new("/"), &words),
        input.to_string().as_bytes(),
    )
}

#[test]
fn a_block_says_what_it_depends_on() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let bundle = job.record()["bundle_digest"]
        .as_str()
        .expect("a digest")
        .replace("sha256:", "");
    let before = job.block("read_context", &json!({"path": "spec.md"}));
    assert_eq!(
        before["provenance"].get("plan_hash"),
        None,
        "there is no draft yet"
    );
    let required = json!(["input_hash", "project_hash"]);
    assert_eq!(before["provenance"]["replay"]["required_hashes"], required);
    let written = job.block("write_soil", &draft(GOOD));
    let digest = written["payload"]["data"]["draft"]
        .as_str()
        .expect("a digest")
        .replace("sha256:", "");
    let calls = [
        ("read_context", json!({"path": "spec.md"}), true),
        ("check_types", json!({}), true),
        ("check_refinements", json!({}), true),
        ("run_tests", json!({}), true),
        ("read_spec", json!({"ref": "tr-grammar#3.3"}), true),
        ("write_soil", draft(GOOD), false),
        ("ask_human", question("Ambiguity"), false),
    ];
    for (tool, input, is_replayable) in calls {
        let block = job.block(tool, &input);
        let id = format!("trellis:{tool}");
        assert_eq!(block["attribution"]["identity"], id);
        assert_eq!(block["attribution"]["provenance"]["producer"], id);
        let provenance = &block["provenance"];
        assert_eq!(
            provenance["tool_version"],
            env!("CARGO_PKG_VERSION"),
            "{tool}"
        );
        assert_eq!(provenance["project_hash"], bundle, "{tool}");
        assert_eq!(provenance["plan_hash"], digest, "{tool}");
        let mut input = input;
        input["job"] = json!(job.0);
        let hash = lonis::json_content_hash(&input);
        assert_eq!(provenance["input_hash"], hash.as_str(), "{tool}");
        assert_eq!(
            provenance.get("seed").is_some(),
            tool == "run_tests",
            "{tool}"
        );
        let expected = is_replayable.then(|| {
            json!({"replayable": true, "required_hashes": ["input_hash", "project_hash", "plan_hash"]})
        });
        assert_eq!(provenance.get("replay"), expected.as_ref(), "{tool}");
    }
}

#[test]
fn warnings_of_a_document_stand_in_its_block_too() {
    let root = Root::new(&[(
        "shop/clamp.tr",
        &CLAMP.replace("forall x : I64\n", "forall x : I64\nx == 0 implies "),
    )]);
    let job = root.open(&["clamp"]);
    let block = job.block("write_soil", &draft(&format!("-- a thought\n{GOOD}")));
    let first = block["warnings"][0].as_str().expect("a text");
    let message = block["payload"]["data"]["warnings"][0]["message"]
        .as_str()
        .expect("a text");
    assert_eq!(first, format!("draft-comments-dropped: {message}"));
    let block = job.block("run_tests", &json!({}));
    let codes: Vec<&str> = block["warnings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|text| text.as_str()?.split_once(": "))
        .map(|(code, _)| code)
        .collect();
    assert_eq!(codes, ["property-rarely-applies"]);
}

#[test]
fn people_see_one_line_for_each_thing() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let lines = |tool: &str, input: &Value| -> Vec<String> {
        let run = shown(&job, tool, input);
        run.answer()
            .lines()
            .map(|line| line.trim().to_owned())
            .collect()
    };
    assert_eq!(
        lines("read_context", &json!({"path": ""})),
        [
            "bundle.json",
            "callees/",
            "examples/",
            "spec.md",
            "tests.json"
        ]
    );
    let written = lines("write_soil", &draft(WITH_HOLE));
    assert_eq!(written.len(), WITH_HOLE.lines().count());
    assert_eq!(
        lines("check_types", &json!({})),
        ["clamp: types ok, termination verified, obligations 0, holes 1"]
    );
    lines("write_soil", &draft(WRONG));
    let tested = lines("run_tests", &json!({}));
    assert_eq!(tested.len(), 6, "{tested:?}");
    assert_eq!(tested[0], "inside#1: pass");
    assert!(
        tested[2].starts_with("inside#3: fail, expected 10, got panic: "),
        "{tested:?}"
    );
    assert_eq!(
        lines("check_refinements", &json!({})),
        ["nothing is proven yet; clauses are checked when the definition runs"]
    );
    let section = lines("read_spec", &json!({"ref": "tr-grammar#3.3"}));
    assert_eq!(section[0], "test");
    assert_eq!(
        lines("ask_human", &question("Ambiguity")),
        ["asked: clamp.question.json"]
    );
}

#[test]
fn an_error_names_the_first_code_its_place_and_how_many_more() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let signature = "clamp : (low : I64) -> (high : I64) -> (x : I64) -> I64\n";
    job.write(&format!("{signature}clamp low high x = one + two + three"));
    let error = job.error("check_types", &json!({}));
    let message = error["message"].as_str().expect("a text");
    assert!(message.starts_with("unknown-name: "), "{message}");
    assert!(
        message.ends_with(" at `shop/clamp.soil:2:20`, and 2 more"),
        "{message}"
    );
    assert_eq!(error["details"]["errors"].as_array().map(Vec::len), Some(3));
    assert_eq!(
        error["details"].as_object().map(serde_json::Map::len),
        Some(1),
        "{error}"
    );
}

#[test]
fn plain_documents_have_nothing_beside_the_contract() {
    let root = Root::clamp();
    let job = root.open(&["clamp", "--plain"]);
    let written = job.document("write_soil", &draft(WITH_HOLE));
    assert_eq!(
        written.as_object().map(serde_json::Map::len),
        Some(1),
        "{written}"
    );
    let checked = job.document("check_types", &json!({}));
    assert_eq!(checked["defs"][0]["checks"]["holes"][0].get("fit"), None);
    job.write(WRONG);
    let tested = job.document("run_tests", &json!({}));
    for case in tested["cases"].as_array().expect("a list") {
        assert_eq!(
            case.as_object().map(serde_json::Map::len),
            Some(3),
            "{case}"
        );
    }
    let error = job.error("write_soil", &draft(&GOOD.replace("clamp", "clip")));
    let found = &error["details"]["errors"][0];
    for key in ["params", "edits", "root"] {
        assert_eq!(found.get(key), None, "{found}");
    }
    let manifest = job.document("read_context", &json!({"path": "bundle.json"}));
    let manifest = manifest["value"]["content"].as_str().expect("a text");
    assert!(
        !manifest.contains("counter") && !manifest.contains("needed"),
        "{manifest}"
    );
}
