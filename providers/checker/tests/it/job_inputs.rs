//! What tools read, and what they refuse.

use serde_json::{Value, json};

use crate::job_root::{CLAMP, GOOD, Root, checker, start};
use crate::program::Run;

const DECIDED: &str = "---\nname: shop\n---\n\nA shop.\n\n```exports\nclamp\n```\n\n```decisions\nrounding: down\n  rejected: to even\n```\n";
const PROJECT: &str =
    "---\nname: project\n---\n\nAll of it.\n\n```decisions\ntimes: seconds of UTC\n```\n";

fn decided() -> Root {
    Root::new(&[
        ("shop/clamp.tr", CLAMP),
        ("shop/_module.tr", DECIDED),
        ("_project.tr", PROJECT),
    ])
}

fn citation(scope: &str, label: &str) -> Value {
    json!({"scope": {"tag": scope}, "label": label})
}

fn one(code: &str, number: i32) -> (Vec<String>, i32) {
    (vec![code.to_owned()], number)
}

#[test]
fn citations_name_what_is_decided() {
    let root = decided();
    let job = root.open(&["clamp"]);
    let decisions = job.document("read_context", &json!({"path": "decisions.md"}));
    let expected = "# Decisions\n\n## project\n\n- **times** — seconds of UTC\n\n## module shop\n\n- **rounding** — down\n  rejected: to even\n\n";
    assert_eq!(
        decisions,
        json!({"tag": "File", "value": {"content": expected}})
    );
    for (scope, label) in [
        ("Module", "times"),
        ("Project", "rounding"),
        ("Module", "x"),
    ] {
        let input = json!({"soil": GOOD, "decisions_applied": [citation(scope, label)]});
        assert_eq!(
            job.refusal("write_soil", &input),
            one("unknown-decision", 3)
        );
    }
    let input = json!({"soil": GOOD, "decisions_applied": [citation("Module", "rounding")]});
    job.document("write_soil", &input);
    let checked = job.document("check_types", &json!({}));
    assert_eq!(checked["uncited"], json!([citation("Project", "times")]));
    assert_eq!(job.close()["outcome"]["tag"], "Green");
    let lock: Value = serde_json::from_str(&root.read("shop/clamp.lock")).expect("JSON");
    let applied = &lock["lowering"]["decisions"]["applied"];
    assert_eq!(
        (&applied[0]["scope"], &applied[0]["label"]),
        (&json!("shop"), &json!("rounding"))
    );
    assert_eq!(applied.as_array().map(Vec::len), Some(1));
}

#[test]
fn a_text_that_does_not_read_leaves_the_former_draft() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    job.write(GOOD);
    let signature = "clamp : (low : I64) -> (high : I64) -> (x : I64) -> I64\n";
    let cases = [
        (
            format!("{signature}clamp low high x = (low"),
            "parse-expected",
        ),
        (
            format!("{signature}clamp low high x = \"a"),
            "unterminated-string",
        ),
        (
            format!("{signature}clamp low high x = low < high < x"),
            "nonassoc-comparison",
        ),
        (GOOD.replace("clamp", "clip"), "name-mismatch"),
        (format!("{GOOD}\nother : I64\nother = 1\n"), "multiple-defs"),
        (String::new(), "parse-expected"),
    ];
    for (soil, code) in cases {
        let input = json!({"soil": soil, "decisions_applied": []});
        let (codes, number) = job.refusal("write_soil", &input);
        assert!(codes.contains(&code.to_owned()), "{soil}: {codes:?}");
        assert_eq!(number, 1);
    }
    let error = job.error(
        "write_soil",
        &json!({"soil": "clamp : ", "decisions_applied": []}),
    );
    assert_eq!(
        error["details"]["errors"][0]["file"]["value"],
        "shop/clamp.soil"
    );
    assert_eq!(job.close()["outcome"]["tag"], "Green");
}

#[test]
fn another_signature_is_a_mismatch() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    for (from, to) in [
        ("(low : I64)", "(least : I64)"),
        ("-> I64\n", "-> panic I64\n"),
    ] {
        job.write(&GOOD.replacen(from, to, 1));
        for tool in ["check_types", "run_tests"] {
            let (codes, _) = job.refusal(tool, &json!({}));
            assert!(
                codes.contains(&"draft-signature-mismatch".to_owned()),
                "{to}: {codes:?}"
            );
        }
    }
    assert_eq!(job.close()["outcome"]["tag"], "Failed");
    assert_eq!(root.read("shop/clamp.tr"), CLAMP);
}

#[test]
fn a_spec_without_a_signature_gets_that_of_the_draft() {
    let spec = "---\nname: twice\n---\n\nTwice a number.\n\n```test t\n(2) => 4\n```\n";
    let root = Root::new(&[("shop/twice.tr", spec)]);
    let job = root.open(&["twice"]);
    job.write("twice : (x : I64) -> panic I64\ntwice x = x + x");
    let ended = job.close();
    let wrote = json!(["shop/twice.tr", "shop/twice.soil", "shop/twice.lock"]);
    assert_eq!(ended, json!({"outcome": {"tag": "Green"}, "wrote": wrote}));
    let signed = "```soil-sig @agent\ntwice : (x : I64) -> panic I64\n```\n\n```test t";
    assert_eq!(
        root.read("shop/twice.tr"),
        spec.replace("```test t", signed)
    );
    let report = root.run(&["check", "--json"]);
    let report: Value = serde_json::from_str(report.answer()).expect("a document");
    assert_eq!(
        (&report["ok"], &report["warnings"]),
        (&json!(true), &json!([])),
        "{report}"
    );
}

#[test]
fn the_reference_of_every_refusal_is_served() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let error = job.error("check_types", &json!({}));
    let reference = &error["details"]["errors"][0]["spec_ref"];
    let section = job.document("read_spec", &json!({"ref": reference}));
    assert_eq!(section["title"], "check_types");
    let unknown = job.error("read_spec", &json!({"ref": "tr-grammar#33"}));
    let found = &unknown["details"]["errors"][0];
    assert_eq!(
        (&found["code"], &unknown["exit_code"]),
        (&json!("unknown-spec-ref"), &json!(3))
    );
    assert_eq!(found["notes"].as_array().map(Vec::len), Some(3));
    let shown = root.run(&["spec", "soil-syntax-spec#5.9"]);
    assert!(shown.answer().starts_with("Constructors\n\n"), "{shown:?}");
    assert!(root.run(&["skill"]).answer().contains("`widen-match`"));
}

#[test]
fn inputs_are_read_generously() {
    let root = decided();
    let job = root.open(&["clamp"]);
    let input =
        json!({"soil": GOOD, "decisions_applied": [{"scope": "Project", "label": "times"}]});
    job.document("write_soil", &input);
    for hole in [
        json!(null),
        json!("rest"),
        json!({"tag": "Some", "value": "rest"}),
    ] {
        let root = Root::clamp();
        let job = root.open(&["clamp"]);
        let input = json!({"kind": "Rule", "question": "Why?", "hole": hole, "options": []});
        job.document("ask_human", &input);
        let stored: Value =
            serde_json::from_str(&root.read("shop/clamp.question.json")).expect("JSON");
        let is_none = hole.is_null();
        let strict = if is_none {
            json!({"tag": "None"})
        } else {
            json!({"tag": "Some", "value": "rest"})
        };
        assert_eq!(stored["hole"], strict);
    }
}

#[test]
fn what_an_input_may_not_be() {
    let root = Root::clamp();
    let job = root.open(&["clamp"]);
    let cases = [
        ("read_context", json!({}), 1),
        ("read_context", json!({"path": 1}), 1),
        ("read_context", json!({"path": "", "more": 1, "yet": 2}), 2),
        ("check_types", json!({"cases": []}), 1),
        ("write_soil", json!({"soil": GOOD}), 1),
        ("write_soil", json!({"soil": 1, "decisions_applied": 1}), 2),
        (
            "write_soil",
            json!({"soil": GOOD, "decisions_applied": [{"scope": "All", "label": "x"}]}),
            1,
        ),
        (
            "write_soil",
            json!({"soil": GOOD, "decisions_applied": [{"scope": "Project", "label": "x", "y": 1}]}),
            1,
        ),
        ("read_spec", json!({"ref": null}), 1),
        (
            "ask_human",
            json!({"kind": "Chat", "question": "", "hole": 1, "options": [1]}),
            4,
        ),
    ];
    for (tool, input, count) in cases {
        let usage = vec!["usage".to_owned(); count];
        assert_eq!(job.refusal(tool, &input), (usage, 2), "{tool} {input}");
    }
    assert!(!root.has("shop/clamp.question.json"));
    for input in [json!([]), json!({}), json!({"job": 1}), json!({"job": ""})] {
        let run = Run::of(
            start("check_types", &input)
                .wait_with_output()
                .expect("it ends"),
        );
        assert_eq!(run.code, 2, "{input}: {run:?}");
    }
}

#[test]
fn contracts_are_those_of_the_specification() {
    let describe = |tool: &str| -> Value {
        let words = ["--mode", "json", "tools", "describe", tool];
        let run = Run::of(
            checker(std::path::Path::new("/"), &words)
                .output()
                .expect("it starts"),
        );
        serde_json::from_str(run.answer()).expect("a contract")
    };
    let scope = json!({
        "type": "object", "properties": {"tag": {"enum": ["Project", "Module"]}}, "required": ["tag"],
        "additionalProperties": false
    });
    let citation = json!({
        "type": "object", "properties": {"scope": scope, "label": {"type": "string"}},
        "required": ["scope", "label"], "additionalProperties": false
    });
    let kind = json!({
        "type": "object", "properties": {"tag": {"enum": ["Ambiguity", "Contradiction", "Rule"]}},
        "required": ["tag"], "additionalProperties": false
    });
    let hole = json!({"oneOf": [
        {"type": "object", "properties": {"tag": {"const": "None"}}, "required": ["tag"], "additionalProperties": false},
        {"type": "object", "properties": {"tag": {"const": "Some"}, "value": {"type": "string"}},
         "required": ["tag", "value"], "additionalProperties": false}
    ]});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let cases = [
        (
            "read_context",
            json!({"path": {"type": "string"}}),
            "read-only",
            "low",
        ),
        ("check_types", json!({}), "read-only", "low"),
        ("check_refinements", json!({}), "read-only", "low"),
        ("run_tests", json!({}), "read-only", "medium"),
        (
            "write_soil",
            json!({"soil": {"type": "string"}, "decisions_applied": {"type": "array", "items": citation}}),
            "writes-filesystem",
            "low",
        ),
        (
            "read_spec",
            json!({"ref": {"type": "string", "pattern": "^[a-z0-9-]+#[0-9]+(\\.[0-9]+)*$"}}),
            "read-only",
            "low",
        ),
        (
            "ask_human",
            json!({"kind": kind, "question": {"type": "string", "minLength": 1}, "hole": hole, "options": texts}),
            "writes-filesystem",
            "low",
        ),
    ];
    for (tool, mut properties, side_effects, cost) in cases {
        let contract = describe(&format!("trellis.{tool}"));
        let schema = &contract["input_json_schema"];
        properties["job"] = json!({"type": "string", "minLength": 1});
        assert_eq!(schema["properties"], properties, "{tool}");
        assert_eq!(schema["additionalProperties"], false, "{tool}");
        let required = schema["required"].as_array().expect("a list").len();
        assert_eq!(
            required,
            properties.as_object().expect("an object").len(),
            "{tool}"
        );
        assert_eq!(contract["side_effects"], side_effects, "{tool}");
        assert_eq!(contract["cost"], cost, "{tool}");
        assert_eq!(contract["determinism"], "deterministic", "{tool}");
        assert_eq!(contract["input_schema"], format!("trellis.{tool}.input/v1"));
        assert_eq!(
            contract["output_schema"],
            format!("trellis.{tool}.output/v1")
        );
    }
}

#[test]
fn comments_of_a_draft_are_dropped_and_that_is_said() {
    let root = decided();
    let job = root.open(&["shop/clamp"]);
    let text = format!("-- a thought\n{GOOD}");
    let input = json!({"soil": text, "decisions_applied": []});
    let document = job.document("write_soil", &input);
    assert_eq!(document["canonical"], GOOD);
    assert_eq!(document["warnings"][0]["code"], "draft-comments-dropped");
}
