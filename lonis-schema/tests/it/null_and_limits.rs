//! The documents of the hard cases: what is rejected, accepted, and accepted with a finding.

use super::fixtures::{block_text, message_with};
use lonis_schema::SeedBlock;
use serde_json::{Value, json};

/// What reading a document comes to.
#[derive(Debug, PartialEq)]
enum Verdict {
    Rejected,
    Clean,
    /// Where the findings are, and whether the schema refuses each.
    Findings(&'static [(&'static str, bool)]),
}
use Verdict::{Clean, Findings, Rejected};

fn check(text: &str, expected: &Verdict) {
    match (SeedBlock::read(text), expected) {
        (Err(_), Rejected) => {}
        (Ok(read), Clean) => assert_eq!(read.findings, [], "{text}"),
        (Ok(read), Findings(expected)) => {
            let found: Vec<(&str, bool)> = read
                .findings
                .iter()
                .map(|finding| (finding.pointer(), finding.is_limit()))
                .collect();
            assert_eq!(found, *expected, "{text}");
        }
        (read, _) => panic!("{text}: {read:?}, expected {expected:?}"),
    }
}

#[test]
fn the_envelope_keeps_its_rules() {
    let long = |length: usize| json!("x".repeat(length));
    let cases = [
        (message_with("/attribution/viewpoint", json!(null)), Clean),
        (
            message_with("/attribution/provenance/where", json!(null)),
            Clean,
        ),
        (message_with("/provenance", json!(null)), Rejected),
        (
            message_with("/provenance", json!({"replay": null})),
            Rejected,
        ),
        (
            message_with(
                "/provenance",
                json!({"compatibility": null, "seed": null, "input_hash": null}),
            ),
            Clean,
        ),
        (
            message_with(
                "/provenance",
                json!({"replay": {"replayable": false, "reasons": null}}),
            ),
            Rejected,
        ),
        (message_with("/warnings", json!(null)), Rejected),
        (message_with("/bounds", json!(null)), Rejected),
        (message_with("/bounds", json!({"max_items": null})), Clean),
        (message_with("/bounds", json!({"max_items": 64.0})), Clean),
        (
            message_with("/bounds", json!({"max_items": 64.5})),
            Rejected,
        ),
        (message_with("/bounds", json!({"max_items": -1})), Rejected),
        (message_with("/bounds", json!([64])), Rejected),
        (
            message_with("/provenance", json!({"seed": u64::MAX})),
            Clean,
        ),
        (
            message_with("/provenance", json!({"seed": 18_446_744_073_709_551_616.0})),
            Rejected,
        ),
        (message_with("/provenance", json!({"later": 1})), Rejected),
        (message_with("/later", json!(1)), Rejected),
        (message_with("/warnings", json!(vec!["w"; 256])), Clean),
        (
            message_with("/warnings", json!(vec!["w"; 257])),
            Findings(&[("/warnings", true)]),
        ),
        (
            message_with("/warnings", json!(["w", long(4097)])),
            Findings(&[("/warnings/1", true)]),
        ),
    ];
    for (text, expected) in &cases {
        check(text, expected);
    }
}

#[test]
fn attribution_and_payload_keep_their_rules() {
    let long = |length: usize| json!("x".repeat(length));
    let cases = [
        (
            message_with("/attribution/identity", json!("karpal-discovery")),
            Clean,
        ),
        (message_with("/attribution/identity", json!("a::b")), Clean),
        (
            message_with("/attribution/identity", json!("")),
            Findings(&[("/attribution/identity", false)]),
        ),
        (
            message_with("/attribution/identity", long(1025)),
            Findings(&[("/attribution/identity", true)]),
        ),
        (
            message_with("/attribution/provenance/when", json!("yesterday")),
            Findings(&[("/attribution/provenance/when", false)]),
        ),
        (
            message_with("/attribution/provenance/when", long(65)),
            Findings(&[
                ("/attribution/provenance/when", false),
                ("/attribution/provenance/when", true),
            ]),
        ),
        (
            message_with("/attribution", json!(["a", {"when": "w", "producer": "p"}])),
            Rejected,
        ),
        (
            message_with("/attribution/provenance/when", json!(null)),
            Rejected,
        ),
        (
            message_with("/payload", json!(["message", {"content": "a"}])),
            Rejected,
        ),
        (
            message_with("/payload/data", json!(["user", "a", null])),
            Rejected,
        ),
        (message_with("/payload/more", json!(1)), Rejected),
        (message_with("/payload/data", json!(null)), Rejected),
        (message_with("/payload/kind", json!(1)), Rejected),
        (
            message_with("/payload/kind", json!("")),
            Findings(&[("/payload/kind", false)]),
        ),
        (message_with("/payload/kind", json!("Message")), Clean),
        (message_with("/payload/kind", long(256)), Clean),
        (
            message_with("/payload/kind", long(257)),
            Findings(&[("/payload/kind", true)]),
        ),
    ];
    for (text, expected) in &cases {
        check(text, expected);
    }
    let bare = block_text("acme.x", "null");
    check(&bare, &Clean);
    check(&bare.replace(r#","data":null"#, ""), &Rejected);
    check(&format!("[{bare}]"), &Rejected);
    check(r#"["lonis.block/v1"]"#, &Rejected);
}

#[test]
fn the_data_keeps_its_rules() {
    let long = |length: usize| "é".repeat(length);
    let cases = [
        (
            "message",
            json!({"content": "a", "role": null}).to_string(),
            Clean,
        ),
        (
            "message",
            json!({"content": long(16_384)}).to_string(),
            Clean,
        ),
        (
            "message",
            json!({"content": long(16_385)}).to_string(),
            Findings(&[("/payload/data/content", true)]),
        ),
        ("message", json!({"content": null}).to_string(), Rejected),
        (
            "question",
            json!({"text": "a", "options": null}).to_string(),
            Rejected,
        ),
        (
            "question",
            json!({"text": "a", "context": null}).to_string(),
            Clean,
        ),
        (
            "answer",
            json!({"text": "a", "confidence": 7}).to_string(),
            Findings(&[("/payload/data/confidence", true)]),
        ),
        (
            "answer",
            json!({"text": "a", "confidence": "1"}).to_string(),
            Rejected,
        ),
        (
            "action",
            json!({"verb": "a", "status": "done"}).to_string(),
            Rejected,
        ),
        (
            "action",
            json!({"verb": "a", "status": {"pending": null}}).to_string(),
            Rejected,
        ),
        (
            "result",
            json!({"output": null, "duration_micros": 1.0}).to_string(),
            Clean,
        ),
        ("result", json!({"score": 1}).to_string(), Rejected),
        (
            "result",
            json!({"output": 1, "resources": {"operations": 1, "nodes": 1, "iterations": 1}})
                .to_string(),
            Rejected,
        ),
        (
            "outcome",
            json!({"status": "error", "kind": "k", "message": "m", "exit_code": 5.0}).to_string(),
            Clean,
        ),
        (
            "outcome",
            json!({"status": "error", "kind": "k", "message": "m", "exit_code": 256}).to_string(),
            Rejected,
        ),
        (
            "plan",
            json!({"steps": [], "normalization": {"normalized": true, "max_rewrites": 0}})
                .to_string(),
            Findings(&[("/payload/data/normalization/max_rewrites", true)]),
        ),
        (
            "plan",
            json!({"steps": [], "normalization": {"normalized": true, "max_rewrites": 5000}})
                .to_string(),
            Findings(&[("/payload/data/normalization/max_rewrites", true)]),
        ),
        (
            "plan",
            json!({"steps": [{"kind": "k"}]}).to_string(),
            Rejected,
        ),
        ("plan", json!({"steps": [["k", 1]]}).to_string(), Rejected),
    ];
    for (kind, data, expected) in &cases {
        check(&block_text(kind, data), expected);
    }
}

#[test]
fn a_contract_keeps_its_rules() {
    let contract = |change: Value| {
        let mut contract = json!({
            "name": "a:b", "description": "d", "input_schema": "i", "output_schema": "o",
            "determinism": "deterministic", "side_effects": "none", "cost": "low",
        });
        let members = contract.as_object_mut().expect("an object");
        members.extend(change.as_object().expect("an object").clone());
        contract.to_string()
    };
    let cases = [
        (
            "capability",
            contract(json!({"verification": {"tier": "curated"}, "later": [1]})),
            Clean,
        ),
        (
            "capability",
            contract(json!({"verification": {"tier": "guessed"}})),
            Rejected,
        ),
        (
            "capability",
            contract(json!({"input_schema": {}})),
            Rejected,
        ),
        (
            "capability",
            contract(json!({"capabilities": null})),
            Rejected,
        ),
        (
            "capability",
            contract(json!({"name": "bad"})),
            Findings(&[("/payload/data/name", false)]),
        ),
        (
            "capability",
            contract(json!({"name": "acme.kv.get"})),
            Clean,
        ),
        (
            "capability",
            contract(json!({"input_json_schema": 7})),
            Findings(&[("/payload/data/input_json_schema", true)]),
        ),
        (
            "capability",
            contract(json!({"output_json_schema": {"$ref": "https://example.org/a"}})),
            Findings(&[("/payload/data/output_json_schema", false)]),
        ),
        (
            "capability",
            contract(json!({"input_json_schema": {"title": "x".repeat(65_536)}})),
            Findings(&[("/payload/data/input_json_schema", false)]),
        ),
        (
            "capability",
            contract(
                json!({"input_json_schema": {"items": {"$ref": "#/$defs/a"}, "const": {"$ref": "x"}}}),
            ),
            Clean,
        ),
    ];
    for (kind, data, expected) in &cases {
        check(&block_text(kind, data), expected);
    }
}
