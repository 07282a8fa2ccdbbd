//! What people see of a block.

use super::fixtures::block_text;
use lonis_schema::SeedBlock;

#[test]
fn every_kind_has_its_text_for_people() {
    let cases = [
        ("message", r#"{"content":"a\nb"}"#, "message: a\nb"),
        ("question", r#"{"text":"a?"}"#, "question: a?"),
        ("answer", r#"{"text":"a"}"#, "answer: a"),
        ("decision", r#"{"statement":"a"}"#, "decision: a"),
        (
            "action",
            r#"{"verb":"sort","status":"pending"}"#,
            "action: sort Pending",
        ),
        (
            "assumption",
            r#"{"statement":"a","status":"open"}"#,
            "assumption: a (Open)",
        ),
        ("summary", r#"{"text":"a"}"#, "summary: a"),
        (
            "evidence",
            r#"{"kind":"k","summary":"s"}"#,
            "evidence[k]: s",
        ),
        (
            "definition",
            r#"{"id":"i","name":"n","kind":"k"}"#,
            "definition: n (k)",
        ),
        (
            "capability",
            r#"{"name":"a:b","description":"d","input_schema":"i","output_schema":"o","determinism":"deterministic","side_effects":"none","cost":"low"}"#,
            "capability: a:b — d",
        ),
        ("intent", r#"{"statement":"a"}"#, "intent: a"),
        (
            "plan",
            r#"{"steps":[{"kind":"k","detail":1}]}"#,
            "plan: 1 step(s)",
        ),
        (
            "result",
            r#"{ "output" : {"a" : 1.50} }"#,
            r#"result: {"a":1.50}"#,
        ),
        (
            "result",
            r#"{"output":"x","validated_assumptions":["a","b"],"refuted_assumptions":["c"]}"#,
            "result: \"x\"\nassumptions validated: a, b; refuted: c",
        ),
        (
            "outcome",
            r#"{"status":"no_match","kind":"k","message":"m"}"#,
            "outcome[NoMatch]: m",
        ),
        (
            "acme.x",
            r#"{"a": [1, 2.0]}"#,
            r#"extension[acme.x]: {"a":[1,2.0]}"#,
        ),
        (
            "acme.x",
            r#"{"a": 1, "rendered": "one\n\ntwo"}"#,
            "extension[acme.x]: one\n\ntwo",
        ),
        (
            "acme.x",
            r#"{"rendered": {"a": 1}}"#,
            r#"extension[acme.x]: {"rendered":{"a":1}}"#,
        ),
        (
            "acme.x",
            r#"{"of": {"rendered": "inner"}, "rendered": null}"#,
            r#"extension[acme.x]: {"of":{"rendered":"inner"},"rendered":null}"#,
        ),
        (
            "acme.x",
            r#"["rendered"]"#,
            r#"extension[acme.x]: ["rendered"]"#,
        ),
    ];
    for (kind, data, expected) in cases {
        let block = SeedBlock::read(&block_text(kind, data))
            .expect("a block")
            .value;
        assert_eq!(block.render_human(), expected);
        assert_eq!(block.schema_id(), format!("lonis.block/{kind}/v1"));
    }
}
