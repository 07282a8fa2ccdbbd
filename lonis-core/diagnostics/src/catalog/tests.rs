use serde_json::{Value, json};

use super::*;
use crate::{Diagnostic, Failure, entries, nearest};

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
fn catalog_lint() {
    let page = include_str!("../../../../docs/src/reference/diagnostics.md");
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
        let anchor = format!("{{#{}}}", code.replace('/', "-"));
        assert!(page.contains(&anchor), "{code}: no `{anchor}`");
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
fn lookup_every_wire_token() {
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

#[test]
fn catalog_identity_ignores_source() {
    let members = [
        "candidate_fix",
        "code",
        "context",
        "documentation",
        "error_class",
        "exit_code",
        "id",
        "likely_causes",
        "next_safe_action",
        "parameters",
        "phase",
        "retryable",
        "safe_repair_actions",
        "severity",
        "version",
        "wire",
    ];
    let file = published_file();
    for entry in file["entries"].as_array().expect("a list") {
        let names: Vec<&String> = entry.as_object().expect("an object").keys().collect();
        assert_eq!(names, members, "{}", entry["code"]);
        for path in entry["documentation"].as_array().expect("a list") {
            assert_eq!(path["path"], REFERENCE_PAGE, "{}", entry["code"]);
        }
    }
    // Nothing that is hashed says where in the source a code is made, so that moving a call site changes no identity.
    let text = file.to_string();
    for source in [
        ".rs",
        "src/lib",
        "Cargo.toml",
        "source_sha256",
        "line_number",
    ] {
        assert!(!text.contains(source), "`{source}`");
    }
}

#[test]
fn context_typed_for_every_code() {
    for entry in entries() {
        let context = whole(entry).cause().context().to_value();
        let kept = crate::normalize_context(entry.text, &context, &crate::Redactor::new());
        assert_eq!(kept, context, "{}", entry.text);
        for member in entry.parameters.iter().chain(entry.facts) {
            assert!(member.kind.accepts(&sample(member.kind)), "{}", entry.text);
        }
        let facts = context["facts"].as_object().expect("an object");
        for name in facts.keys() {
            let is_told_twice = entry.parameters.iter().any(|member| member.name == name);
            assert!(!is_told_twice, "{}: `{name}`", entry.text);
        }
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

const ENTRY_KEYS: &[&str] = &[
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
];
const PLAN_KEYS: &[&str] = &[
    "action",
    "authorization",
    "catalog_identity_sha256",
    "diagnostic_id",
    "guardrails",
    "policy_diff",
    "schema",
];

fn keys(value: &Value) -> Vec<&str> {
    let members = value.as_object();
    members
        .into_iter()
        .flat_map(|object| object.keys().map(String::as_str))
        .collect()
}

proptest::proptest! {
    #[test]
    fn entry_schema_closed(at in 0..entries().len(), message in ".{0,2000}", kept in proptest::collection::vec(proptest::bool::ANY, 16), long in 0usize..60) {
        let entry = &entries()[at];
        let mut diagnostic = Diagnostic::new(entry.code, "tool/call", message);
        let members = entry.parameters.iter().zip(kept.iter().cycle());
        for (member, _) in members.filter(|(_, kept)| **kept) {
            let value = match member.kind {
                MemberKind::List => json!(vec![json!({"path": "a"}); long]),
                kind => sample(kind),
            };
            diagnostic = diagnostic.with(member.name, value);
        }
        let value = diagnostic.to_value();
        assert_eq!(keys(&value), ENTRY_KEYS);
        assert_eq!(keys(&value["repair_plan"]), PLAN_KEYS);
        let declared = |name: &&str| entry.parameters.iter().any(|member| member.name == *name);
        for name in keys(&value["parameters"]).iter().filter(|name| **name != "omitted") {
            assert!(declared(name), "{}: `{name}`", entry.text);
            let list = value["parameters"][*name].as_array().map_or(0, Vec::len);
            assert!(list <= 20, "{}: `{name}`", entry.text);
        }
        assert!(value["message"].as_str().is_some_and(|message| message.len() <= 1024));
    }
}
