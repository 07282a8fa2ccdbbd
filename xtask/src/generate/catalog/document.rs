//! The published catalog, its identity and its schema.

use lonis_schema::json_content_hash;
use serde_json::{Map, Value, json};

use super::{Entry, Failure, KINDS, Table};

/// The published catalog as text, and the identity that stands in it.
pub(super) struct Document {
    pub(super) text: String,
    pub(super) identity: String,
}

pub(super) fn catalog(entries: &[Entry], kinds: &Table) -> Result<Document, Failure> {
    let published: Result<Vec<Value>, Failure> = entries
        .iter()
        .map(|entry| published(entry, kinds))
        .collect();
    let mut document = json!({
        "schema": "genesis/diagnostic-catalog-v0.2",
        "version": "0.2.0",
        "entries": published?,
        "plan_schema": "genesis/diagnostic-repair-plan-v0.1",
        "guardrails_schema": "genesis/diagnostic-repair-guardrails-v0.1",
        "span_schema": "genesis/diagnostic-span-v0.1",
    });
    let hash = json_content_hash(&document).to_string();
    let identity = hash.rsplit(':').next().unwrap_or_default().to_owned();
    document["identity_sha256"] = identity.clone().into();
    Ok(Document {
        text: lines(&document)?,
        identity,
    })
}

/// One entry a line, so that a change of one is a change of a line.
fn lines(document: &Value) -> Result<String, Failure> {
    let write = |value: &Value| {
        serde_json::to_string(value).map_err(|error| Failure::Found(format!("catalog: {error}")))
    };
    let mut head = document.clone();
    let entries = head["entries"].take();
    let mut rows = Vec::new();
    for entry in entries.as_array().into_iter().flatten() {
        rows.push(write(entry)?);
    }
    let head = write(&head)?;
    let list = format!("\"entries\":[\n{}\n]", rows.join(",\n"));
    Ok(format!("{}\n", head.replace("\"entries\":null", &list)))
}

fn published(entry: &Entry, kinds: &Table) -> Result<Value, Failure> {
    let (family, name) = entry.text.split_once('/').unwrap_or_default();
    let mut actions = Vec::new();
    for action in entry.actions() {
        actions.push(published_action(action, kinds)?);
    }
    let next = actions.first().map(|action| action["description"].clone());
    Ok(json!({
        "code": entry.text,
        "id": format!("genesis/diagnostic/v1/{}", entry.text),
        "error_class": family,
        "version": "v1",
        "severity": entry.severity(),
        "phase": entry.text("phase")?,
        "exit_code": entry.exit(),
        "retryable": entry.is_retryable(),
        "parameters": members(&entry.members("parameters")),
        "context": {"domain": entry.text("domain")?, "kind": name, "facts": members(&entry.members("facts"))},
        "wire": entry.texts("wire"),
        "likely_causes": entry.texts("causes"),
        "candidate_fix": entry.text("fix")?,
        "next_safe_action": next,
        "safe_repair_actions": actions,
        "documentation": [{"path": "docs/src/reference/diagnostics.md", "anchor": entry.anchor()}],
    }))
}

fn published_action(action: &Table, kinds: &Table) -> Result<Value, Failure> {
    let text = |key: &str| {
        action
            .get(key)
            .and_then(toml::Value::as_str)
            .unwrap_or_default()
    };
    let kind = kinds
        .get(text("kind"))
        .and_then(toml::Value::as_table)
        .ok_or_else(|| Failure::Found(format!("catalog: no kind `{}`", text("kind"))))?;
    let needs_review = matches!(text("kind"), "effect-command" | "policy-review");
    let list = |key: &str| {
        let list = kind.get(key).and_then(toml::Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(toml::Value::as_str)
            .collect::<Vec<&str>>()
    };
    let mut published = json!({
        "id": text("id"),
        "kind": text("kind"),
        "description": text("text"),
        "automaticEligible": !needs_review,
        "requiresReview": needs_review,
        "policyEffect": kind.get("policy_effect").and_then(toml::Value::as_str),
        "obligationEffect": kind.get("obligation_effect").and_then(toml::Value::as_str),
        "preconditions": list("preconditions"),
        "postconditions": list("postconditions"),
    });
    if let Some(command) = action.get("command").and_then(toml::Value::as_array) {
        let words: Vec<&str> = command.iter().filter_map(toml::Value::as_str).collect();
        published["command"] = json!(words);
    }
    Ok(published)
}

fn members(members: &[(&str, &str)]) -> Value {
    let pairs = members
        .iter()
        .map(|(name, kind)| ((*name).to_owned(), Value::from(*kind)));
    Value::Object(pairs.collect::<Map<String, Value>>())
}

/// The schema of the published catalog: closed, draft 2020-12.
pub(super) fn schema() -> Result<String, Failure> {
    let text = json!({"type": "string", "minLength": 1});
    let texts = json!({"type": "array", "items": text, "minItems": 1});
    let facts = json!({
        "type": "object",
        "propertyNames": {"pattern": "^[a-z][a-z0-9_]*$"},
        "additionalProperties": {"enum": ["any", "count", "hash", "list", "object", "path", "text"]},
    });
    let kinds: Vec<&str> = KINDS.iter().map(|(word, _)| *word).collect();
    let action = closed(
        &json!({
            "id": text, "kind": {"enum": kinds}, "description": text,
            "automaticEligible": {"type": "boolean"}, "requiresReview": {"type": "boolean"},
            "policyEffect": {"enum": ["none", "review-required"]},
            "obligationEffect": {"enum": ["preserve", "rerun-required"]},
            "preconditions": {"type": "array", "items": text, "minItems": 2},
            "postconditions": {"type": "array", "items": text, "minItems": 2},
            "command": texts,
        }),
        &["command"],
    );
    let entry = closed(
        &json!({
            "code": {"type": "string", "pattern": "^[a-z][a-z0-9-]*/[a-z][a-z0-9-]*$"},
            "id": text, "error_class": text, "version": {"const": "v1"},
            "severity": {"enum": ["error", "warning", "info", "hint"]},
            "phase": {"enum": ["invocation", "parse", "policy", "semantic-edit", "session", "obligation", "storage", "io",
                "serialization", "transport", "provider", "internal"]},
            "exit_code": {"type": "integer", "minimum": 1, "maximum": 255},
            "retryable": {"type": "boolean"},
            "parameters": facts,
            "context": closed(&json!({"domain": text, "kind": text, "facts": facts}), &[]),
            "wire": {"type": "array", "items": text},
            "likely_causes": texts, "candidate_fix": text, "next_safe_action": text,
            "safe_repair_actions": {"type": "array", "items": action, "minItems": 1},
            "documentation": {"type": "array", "items": closed(&json!({"path": text, "anchor": text}), &[]), "minItems": 1},
        }),
        &[],
    );
    let mut schema = closed(
        &json!({
            "schema": {"const": "genesis/diagnostic-catalog-v0.2"},
            "version": text,
            "identity_sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "entries": {"type": "array", "items": entry},
            "plan_schema": text, "guardrails_schema": text, "span_schema": text,
        }),
        &[],
    );
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    let text = serde_json::to_string_pretty(&schema)
        .map_err(|error| Failure::Found(format!("catalog: {error}")))?;
    Ok(format!("{text}\n"))
}

/// An object schema whose members are all there, but for the optional ones, and no others.
fn closed(properties: &Value, optional: &[&str]) -> Value {
    let names = properties.as_object().into_iter().flat_map(Map::keys);
    let required: Vec<&String> = names
        .filter(|name| !optional.contains(&name.as_str()))
        .collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
