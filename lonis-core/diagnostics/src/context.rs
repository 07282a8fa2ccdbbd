//! Where a failure happened, and what its facts are.

use serde_json::{Map, Value, json};

use crate::redact::Redactor;
use crate::span::Span;

/// The schema id of a context.
pub(crate) const CONTEXT_SCHEMA: &str = "genesis/failure-context-v0.2";
/// What a context may be about.
const DOMAINS: &[&str] = &[
    "parser",
    "typechecker",
    "evaluator",
    "package",
    "policy",
    "replay",
    "patch",
    "build",
    "deployment",
    "session",
    "obligation",
    "tool",
    "provider",
    "transport",
];

/// Where a failure happened, and what its facts are.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureContext {
    /// The part of the product.
    pub domain: String,
    /// What happened, the name part of the code.
    pub kind: String,
    /// What was being done, such as `session/apply`.
    pub operation: String,
    /// Facts beyond the parameters of the diagnostic.
    pub facts: Map<String, Value>,
    /// The range that is to blame, where one is known.
    pub primary_span: Option<Span>,
    /// Further ranges.
    pub related_spans: Vec<Span>,
}

impl FailureContext {
    /// Returns the context as it stands on the wire.
    pub fn to_value(&self) -> Value {
        json!({
            "schema": CONTEXT_SCHEMA,
            "domain": self.domain,
            "kind": self.kind,
            "operation": self.operation,
            "facts": self.facts,
            "primary_span": self.primary_span,
            "related_spans": self.related_spans,
        })
    }
}

/// Passes a valid context on, and puts anything else into one of kind `legacy-error`, scrubbed.
pub fn normalize_context(requested_code: &str, details: &Value, redactor: &Redactor) -> Value {
    if is_context(details) {
        return details.clone();
    }
    let mut legacy = details.clone();
    redactor.value(&mut legacy);
    let facts = json!({"requested_code": redactor.text(requested_code), "legacy_context": legacy});
    json!({
        "schema": CONTEXT_SCHEMA,
        "domain": "tool",
        "kind": "legacy-error",
        "operation": "diagnostics/normalize",
        "facts": facts,
        "primary_span": null,
        "related_spans": [],
    })
}

fn is_context(value: &Value) -> bool {
    let Some(object) = value.as_object() else {
        return false;
    };
    let text = |key: &str| object.get(key).and_then(Value::as_str);
    let has_facts = object
        .get("facts")
        .and_then(Value::as_object)
        .is_some_and(|facts| facts.keys().all(|key| is_word(key, b'_')));
    object.len() == 7
        && text("schema") == Some(CONTEXT_SCHEMA)
        && text("domain").is_some_and(|domain| DOMAINS.contains(&domain))
        && text("kind").is_some_and(|kind| is_word(kind, b'-'))
        && text("operation")
            .is_some_and(|operation| operation.split('/').all(|word| is_word(word, b'-')))
        && has_facts
        && object
            .get("primary_span")
            .is_some_and(|span| span.is_null() || is_span(span))
        && object
            .get("related_spans")
            .and_then(Value::as_array)
            .is_some_and(|spans| spans.iter().all(is_span))
}

fn is_word(text: &str, joint: u8) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == joint)
}

fn is_span(value: &Value) -> bool {
    let places = ["startLine", "startColumn", "endLine", "endColumn"];
    value.as_object().is_some_and(|span| {
        span.len() == 5
            && span.get("source").is_some_and(Value::is_string)
            && places.iter().all(|place| {
                span.get(*place)
                    .is_some_and(|number| number.as_u64().is_some_and(|n| n > 0))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_valid_context_passes_and_anything_else_becomes_a_legacy_error() {
        let valid = json!({
            "schema": CONTEXT_SCHEMA, "domain": "session", "kind": "stale-base", "operation": "session/apply",
            "facts": {"session": "s"}, "primary_span": null, "related_spans": [],
        });
        let redactor = Redactor::new();
        assert_eq!(
            normalize_context("session/stale-base", &valid, &redactor),
            valid
        );
        for (member, wrong) in [
            ("domain", json!("moon")),
            ("kind", json!("Stale")),
            ("operation", json!("session//apply")),
            ("facts", json!({"Session": 1})),
            ("primary_span", json!({"source": "f"})),
            ("related_spans", json!([1])),
            ("extra", json!(1)),
        ] {
            let mut broken = valid.clone();
            broken[member] = wrong;
            let seen = normalize_context("x", &broken, &redactor);
            assert_eq!(seen["kind"], "legacy-error", "{member}");
        }
        let seen = normalize_context("x", &json!({"at": "open /srv/app/key failed"}), &redactor);
        assert_eq!(seen["facts"]["legacy_context"]["at"], "open key failed");
    }
}
