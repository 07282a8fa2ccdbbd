//! The tables of the wire contract, written down once more: members, limits and words.
//!
//! That types and schemas agree is tested elsewhere; here both are held to what the contract says.

use super::fixtures::golden_block;
use lonis_schema::{Breach, SeedBlock};
use serde_json::{Value, json};

/// Longest texts, in Unicode scalar values: the kind of the block, where the text stands, how long it may be.
#[rustfmt::skip]
const TEXTS: &[(&str, &str, usize)] = &[
    ("message", "/attribution/identity", 1024),
    ("message", "/attribution/viewpoint", 1024),
    ("message", "/attribution/provenance/when", 64),
    ("message", "/attribution/provenance/where", 4096),
    ("message", "/attribution/provenance/producer", 1024),
    ("message", "/warnings/0", 4096),
    ("message", "/provenance/tool_version", 256),
    ("message", "/provenance/project_hash", 128),
    ("message", "/provenance/input_hash", 128),
    ("message", "/provenance/plan_hash", 128),
    ("message", "/provenance/result_hash", 128),
    ("message", "/provenance/compatibility/status", 256),
    ("message", "/provenance/compatibility/reasons/0", 4096),
    ("message", "/provenance/replay/required_hashes/0", 256),
    ("message", "/provenance/replay/reasons/0", 4096),
    ("message", "/payload/data/content", 16_384),
    ("message", "/payload/data/role", 256),
    ("message", "/payload/data/reply_to", 4096),
    ("question", "/payload/data/text", 4096),
    ("question", "/payload/data/options/0", 1024),
    ("answer", "/payload/data/text", 16_384),
    ("answer", "/payload/data/question", 4096),
    ("decision", "/payload/data/statement", 4096),
    ("decision", "/payload/data/rationale", 16_384),
    ("decision", "/payload/data/alternatives/0", 1024),
    ("action", "/payload/data/verb", 256),
    ("action", "/payload/data/target", 4096),
    ("assumption", "/payload/data/statement", 4096),
    ("summary", "/payload/data/text", 16_384),
    ("summary", "/payload/data/of/0", 4096),
    ("evidence", "/payload/data/kind", 256),
    ("evidence", "/payload/data/summary", 4096),
    ("evidence", "/payload/data/source", 4096),
    ("evidence", "/payload/data/hash", 128),
    ("definition", "/payload/data/id", 1024),
    ("definition", "/payload/data/name", 512),
    ("definition", "/payload/data/kind", 128),
    ("definition", "/payload/data/path", 4096),
    ("definition", "/payload/data/signature", 4096),
    ("definition", "/payload/data/summary", 4096),
    ("definition", "/payload/data/docs", 65_536),
    ("capability", "/payload/data/name", 1024),
    ("capability", "/payload/data/description", 4096),
    ("capability", "/payload/data/input_schema", 1024),
    ("capability", "/payload/data/output_schema", 1024),
    ("capability", "/payload/data/capabilities/0", 256),
    ("intent", "/payload/data/statement", 4096),
    ("intent", "/payload/data/constraints/0", 1024),
    ("plan", "/payload/data/goal", 4096),
    ("plan", "/payload/data/prerequisite_order/0", 1024),
    ("plan", "/payload/data/plan_hash", 128),
    ("plan", "/payload/data/steps/0/kind", 256),
    ("plan", "/payload/data/normalization/trace/0/before/0/kind", 256),
    ("plan", "/payload/data/normalization/trace/0/after/0/kind", 256),
    ("result", "/payload/data/evidence/0/kind", 256),
    ("result", "/payload/data/evidence/0/hash", 128),
    ("result", "/payload/data/validated_assumptions/0", 1024),
    ("result", "/payload/data/refuted_assumptions/0", 1024),
    ("outcome", "/payload/data/kind", 256),
    ("outcome", "/payload/data/message", 4096),
];

/// Longest lists, in the same way.
#[rustfmt::skip]
const LISTS: &[(&str, &str, usize)] = &[
    ("message", "/warnings", 256),
    ("message", "/provenance/compatibility/reasons", 256),
    ("message", "/provenance/replay/required_hashes", 64),
    ("message", "/provenance/replay/reasons", 256),
    ("question", "/payload/data/options", 64),
    ("decision", "/payload/data/alternatives", 64),
    ("summary", "/payload/data/of", 1024),
    ("capability", "/payload/data/capabilities", 64),
    ("intent", "/payload/data/constraints", 64),
    ("plan", "/payload/data/steps", 4096),
    ("plan", "/payload/data/prerequisite_order", 1024),
    ("plan", "/payload/data/normalization/trace", 4096),
    ("result", "/payload/data/evidence", 1024),
    ("result", "/payload/data/validated_assumptions", 1024),
    ("result", "/payload/data/refuted_assumptions", 1024),
];

/// Members of an object: where it stands, which are required, which are optional, and which of those refuse `null`.
type Object = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

#[rustfmt::skip]
const OBJECTS: &[Object] = &[
    ("message", "", &["schema_version", "attribution", "payload"], &["provenance", "warnings", "bounds"],
        &["provenance", "warnings", "bounds"]),
    ("message", "/attribution", &["identity", "provenance"], &["viewpoint"], &[]),
    ("message", "/attribution/provenance", &["when", "producer"], &["where"], &[]),
    ("message", "/bounds", &[], &["max_items", "max_bytes", "max_length", "timeout_millis"], &[]),
    ("message", "/provenance", &[], &["tool_version", "compatibility", "replay", "project_hash", "input_hash", "plan_hash",
        "result_hash", "seed"], &["replay"]),
    ("message", "/provenance/compatibility", &["status"], &["reasons"], &["reasons"]),
    ("message", "/provenance/replay", &["replayable"], &["required_hashes", "reasons"], &["required_hashes", "reasons"]),
    ("message", "/payload", &["kind", "data"], &[], &[]),
    ("message", "/payload/data", &["content"], &["role", "reply_to"], &[]),
    ("question", "/payload/data", &["text"], &["context", "options"], &["options"]),
    ("answer", "/payload/data", &["text"], &["question", "confidence"], &[]),
    ("decision", "/payload/data", &["statement"], &["rationale", "alternatives"], &["alternatives"]),
    ("action", "/payload/data", &["verb", "status"], &["target", "parameters"], &[]),
    ("assumption", "/payload/data", &["statement", "status"], &[], &[]),
    ("summary", "/payload/data", &["text"], &["of"], &["of"]),
    ("evidence", "/payload/data", &["kind", "summary"], &["source", "hash", "weight"], &[]),
    ("definition", "/payload/data", &["id", "name", "kind"], &["path", "signature", "summary", "docs", "overlay"], &[]),
    ("intent", "/payload/data", &["statement"], &["constraints"], &["constraints"]),
    ("plan", "/payload/data", &["steps"], &["goal", "prerequisite_order", "normalization", "plan_hash"],
        &["prerequisite_order"]),
    ("plan", "/payload/data/steps/0", &["kind", "detail"], &[], &[]),
    ("plan", "/payload/data/normalization", &["normalized", "max_rewrites"], &["trace"], &["trace"]),
    ("plan", "/payload/data/normalization/trace/0", &["before", "after"], &[], &[]),
    ("result", "/payload/data", &["output"], &["score", "evidence", "validated_assumptions", "refuted_assumptions",
        "resources", "duration_micros"], &["evidence", "validated_assumptions", "refuted_assumptions"]),
    ("result", "/payload/data/resources", &["operations", "nodes", "iterations", "bytes"], &[], &[]),
    ("outcome", "/payload/data", &["status", "kind", "message"], &["details", "exit_code"], &[]),
];

/// Words that a member may be, and no other.
#[rustfmt::skip]
const WORDS: &[(&str, &str, &[&str])] = &[
    ("action", "/payload/data/status", &["pending", "running", "completed", "failed"]),
    ("assumption", "/payload/data/status", &["open", "validated", "refuted"]),
    ("outcome", "/payload/data/status",
        &["success", "partial", "no_match", "insufficient_evidence", "blocked", "error"]),
    ("capability", "/payload/data/determinism", &["deterministic", "bounded-nondeterministic", "nondeterministic"]),
    ("capability", "/payload/data/side_effects",
        &["none", "read-only", "writes-filesystem", "mutates-external", "network", "destructive"]),
    ("capability", "/payload/data/cost", &["low", "medium", "high"]),
];

/// A block of a kind with every member of the envelope and of its data, and no bound that a change could break.
fn whole_block(kind: &str) -> Value {
    let mut block = golden_block("result");
    block["payload"] = golden_block(kind)["payload"].clone();
    block["bounds"] = json!({"max_items": u64::MAX, "max_bytes": u64::MAX, "max_length": u64::MAX, "timeout_millis": 1});
    block
}

fn with(kind: &str, place: &str, value: Value) -> String {
    let mut block = whole_block(kind);
    *block
        .pointer_mut(place)
        .unwrap_or_else(|| panic!("{kind} has {place}")) = value;
    block.to_string()
}

/// Where the limits are that a document breaks, and which they are.
fn broken_limits(text: &str) -> Vec<(String, usize)> {
    let read = SeedBlock::read(text).unwrap_or_else(|error| panic!("{error}"));
    let broken = read.findings.iter().filter(|finding| finding.is_limit());
    let limit = |breach: &Breach| match breach {
        Breach::Length { limit, .. } | Breach::Items { limit, .. } => *limit,
        other => panic!("{other}"),
    };
    broken
        .map(|finding| (finding.pointer().to_owned(), limit(finding.breach())))
        .collect()
}

#[test]
fn every_text_may_be_as_long_as_the_contract_says() {
    for (kind, place, limit) in TEXTS {
        let text = |length: usize| with(kind, place, "é".repeat(length).into());
        assert_eq!(broken_limits(&text(*limit)), [], "{kind} {place}");
        assert_eq!(
            broken_limits(&text(limit + 1)),
            [((*place).to_owned(), *limit)],
            "{kind} {place}"
        );
    }
}

#[test]
fn every_list_may_be_as_long_as_the_contract_says() {
    for (kind, place, limit) in LISTS {
        let item = whole_block(kind)
            .pointer(&format!("{place}/0"))
            .expect("a golden list has an item")
            .clone();
        let list = |length: usize| with(kind, place, vec![item.clone(); length].into());
        assert_eq!(broken_limits(&list(*limit)), [], "{kind} {place}");
        assert_eq!(
            broken_limits(&list(limit + 1)),
            [((*place).to_owned(), *limit)],
            "{kind} {place}"
        );
    }
}

#[test]
fn every_object_has_the_members_of_the_contract_and_no_other() {
    for (kind, place, required, optional, not_null) in OBJECTS {
        let object = whole_block(kind)
            .pointer(place)
            .expect("a golden object")
            .as_object()
            .expect("an object")
            .clone();
        let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
        let mut known = [*required, *optional].concat();
        keys.sort_unstable();
        known.sort_unstable();
        assert_eq!(keys, known, "{kind} {place}");
        let accepts = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
            let mut changed = object.clone();
            change(&mut changed);
            SeedBlock::read(&with(kind, place, changed.into())).is_ok()
        };
        for key in known {
            let is_optional = optional.contains(&key);
            let without = accepts(&|members| drop(members.remove(key)));
            assert_eq!(without, is_optional, "{kind} {place} without `{key}`");
            let is_any = [
                ("/payload/data/steps/0", "detail"),
                ("/payload/data", "output"),
            ]
            .contains(&(place, key));
            let takes_null = is_any || is_optional && !not_null.contains(&key);
            let with_null = accepts(&|members| drop(members.insert(key.to_owned(), Value::Null)));
            assert_eq!(with_null, takes_null, "{kind} {place} with `{key}` null");
        }
        let with_more = accepts(&|members| drop(members.insert("later".to_owned(), json!(1))));
        assert!(!with_more, "{kind} {place} is closed");
    }
}

#[test]
fn every_word_is_one_of_the_contract() {
    for (kind, place, words) in WORDS {
        for word in *words {
            let text = with(kind, place, json!(word));
            SeedBlock::read(&text).unwrap_or_else(|error| panic!("{word}: {error}"));
            for other in [word.to_uppercase(), format!("{word} "), String::new()] {
                SeedBlock::read(&with(kind, place, json!(other))).expect_err("no such word");
            }
        }
    }
}

#[test]
fn every_number_has_the_range_of_the_contract() {
    let rewrites = |count: u64| {
        with(
            "plan",
            "/payload/data/normalization/max_rewrites",
            json!(count),
        )
    };
    for (count, is_right) in [(0, false), (1, true), (4096, true), (4097, false)] {
        let read = SeedBlock::read(&rewrites(count)).expect("the shape is right");
        assert_eq!(read.findings.is_empty(), is_right, "{count}");
    }
    let confidence = |value: f64| with("answer", "/payload/data/confidence", json!(value));
    for (value, is_right) in [(-0.1, false), (0.0, true), (1.0, true), (1.1, false)] {
        let read = SeedBlock::read(&confidence(value)).expect("the shape is right");
        assert_eq!(read.findings.is_empty(), is_right, "{value}");
    }
}
