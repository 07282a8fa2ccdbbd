use serde_json::{Value, json};

use super::*;
use crate::{Diagnostic, Failure};

fn published_file() -> Value {
    let text = include_str!("../../../../docs/reference/diagnostic-catalog-v0.2.json");
    serde_json::from_str(text).expect("the published catalog is JSON")
}

#[test]
fn the_published_file_says_what_the_table_says_and_its_identity_is_its_hash() {
    let mut file = published_file();
    let published: Vec<Value> = entries().iter().map(Entry::published).collect();
    assert_eq!(file["entries"], json!(published));
    assert_eq!(file["version"], CATALOG_VERSION);
    assert_eq!(file["schema"], CATALOG_SCHEMA);
    let identity = file
        .as_object_mut()
        .and_then(|object| object.remove("identity_sha256"));
    assert_eq!(identity, Some(CATALOG_IDENTITY.into()));
    let hash = lonis_schema::json_content_hash(&file).to_string();
    assert!(hash.ends_with(CATALOG_IDENTITY), "{hash}");
}

#[test]
fn codes_ascend_once_each_and_every_entry_is_whole() {
    assert!(
        entries()
            .windows(2)
            .all(|pair| pair[0].text.as_bytes() < pair[1].text.as_bytes())
    );
    for (at, entry) in entries().iter().enumerate() {
        let code = entry.text;
        assert_eq!(entry.code as usize, at, "{code}");
        assert!(!entry.causes.is_empty() && !entry.fix.is_empty(), "{code}");
        assert!(!entry.actions.is_empty(), "{code}");
        assert!(entry.exit_code != 0, "{code}");
        for action in entry.actions {
            let kind = action.kind;
            assert!(
                !action.id.is_empty() && !action.description.is_empty(),
                "{code}"
            );
            assert!(
                kind.preconditions().len() >= 2 && kind.postconditions().len() >= 2,
                "{code}"
            );
            assert!(
                ["preserve", "rerun-required"].contains(&kind.obligation_effect()),
                "{code}"
            );
            assert_eq!(
                kind.policy_effect() == "none",
                kind != ActionKind::PolicyReview,
                "{code}"
            );
            for name in
                braced(action.description).chain(action.command.iter().copied().flat_map(braced))
            {
                let is_known = entry
                    .parameters
                    .iter()
                    .chain(entry.facts)
                    .any(|member| member.name == name);
                assert!(is_known, "{code} names `{name}`");
            }
        }
        for member in entry.parameters.iter().chain(entry.facts) {
            assert!(
                member
                    .name
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_'),
                "{code}: {}",
                member.name
            );
        }
    }
}

fn braced(text: &str) -> impl Iterator<Item = &str> {
    text.split('{')
        .skip(1)
        .filter_map(|rest| rest.split('}').next())
}

#[test]
fn every_code_is_found_and_nothing_else() {
    for entry in entries() {
        assert_eq!(entry.text.parse::<Code>(), Ok(entry.code));
    }
    for text in [
        "",
        "session",
        "session/",
        "Session/stale-base",
        "session/stale-base ",
        "zzz/zzz",
    ] {
        assert!(text.parse::<Code>().is_err(), "{text:?}");
    }
    assert_eq!(nearest("session/stale_base", 1), ["session/stale-base"]);
}

#[test]
fn every_kind_of_the_wire_contract_has_a_code() {
    for kind in [
        "invalid_input",
        "bad_input",
        "invalid_config",
        "not_found",
        "already_registered",
        "confirmation_required",
        "denied",
        "rate_limited",
        "cancelled",
        "unavailable",
        "tool_failed",
        "timeout",
        "output_limit_exceeded",
        "limit_exceeded",
        "io",
        "invalid_output",
        "serialization",
        "unsupported_protocol",
        "not_implemented",
        "internal",
    ] {
        assert!(Code::of_wire_kind(kind).is_some(), "{kind}");
    }
}

/// A value that a declared fact may hold.
fn sample(kind: MemberKind) -> Value {
    match kind {
        MemberKind::Text | MemberKind::Any => json!("word"),
        MemberKind::Path => json!("src/lib.rs"),
        MemberKind::Hash => json!("0".repeat(64)),
        MemberKind::Count => json!(7),
        MemberKind::List => json!([{"path": "src/lib.rs"}]),
        MemberKind::Object => json!({"pid": 1}),
    }
}

fn whole(entry: &Entry) -> Failure {
    let mut diagnostic = Diagnostic::new(
        entry.code,
        "session/apply",
        "`src/lib.rs` is not what it was",
    );
    for member in entry.parameters {
        diagnostic = diagnostic.with(member.name, sample(member.kind));
    }
    for member in entry.facts {
        diagnostic = diagnostic.with_fact(member.name, sample(member.kind));
    }
    diagnostic.into()
}

#[test]
fn every_code_makes_a_bounded_envelope_with_a_guarded_plan() {
    let mut lengths = Vec::new();
    for entry in entries() {
        let failure = whole(entry);
        let envelope = failure.envelope(None);
        let text = lonis_schema::canonical::text(&envelope).expect("it is JSON");
        assert!(text.len() <= 4096, "{}: {} bytes", entry.text, text.len());
        lengths.push(text.len());
        let diagnostic = &envelope["diagnostics"][0];
        assert_eq!(diagnostic["code"], entry.text);
        assert_eq!(
            diagnostic["parameters"]
                .as_object()
                .map(serde_json::Map::len),
            Some(entry.parameters.len())
        );
        assert_eq!(
            envelope["error"]["context"]["kind"],
            entry.text[entry.code.family().len() + 1..]
        );
        let plan = &diagnostic["repair_plan"];
        let first = entry.first_action();
        assert_eq!(
            plan["authorization"]["automatic_allowed"],
            !first.kind.requires_review()
        );
        assert_eq!(plan["authorization"]["policy_change_allowed"], false);
        assert_eq!(plan["guardrails"]["obligationSuppression"], "forbidden");
        let error = failure.tool_error();
        assert_eq!(
            (error.kind().as_str(), error.exit_code()),
            (entry.text, entry.exit_code)
        );
        assert!(
            !text.contains('{')
                || !diagnostic["next_safe_action"]
                    .as_str()
                    .unwrap_or("{")
                    .contains('{'),
            "{}",
            entry.text
        );
    }
    lengths.sort_unstable();
    assert!(
        lengths[lengths.len() / 2] <= 3200,
        "median {}",
        lengths[lengths.len() / 2]
    );
}

#[test]
fn an_entry_and_its_plan_are_closed() {
    let keys = |value: &Value| {
        value
            .as_object()
            .into_iter()
            .flat_map(|object| object.keys().cloned())
            .collect::<Vec<_>>()
    };
    let entry = whole(&entries()[0]).envelope(None);
    let entry = &entry["diagnostics"][0];
    assert_eq!(
        keys(entry),
        [
            "blocking_capability",
            "candidate_fix",
            "catalog_identity_sha256",
            "catalog_version",
            "code",
            "documentation",
            "error_class",
            "exit_code",
            "id",
            "likely_causes",
            "message",
            "next_safe_action",
            "parameters",
            "phase",
            "primary_span",
            "related_spans",
            "repair_plan",
            "safe_repair_actions",
            "severity",
            "version",
        ]
    );
    assert_eq!(
        keys(&entry["repair_plan"]),
        [
            "action",
            "authorization",
            "catalog_identity_sha256",
            "diagnostic_id",
            "guardrails",
            "policy_diff",
            "schema"
        ]
    );
}
