//! The schemas of the contract, in their strict form.

use serde_json::{Value, json};

/// Adds the one property that hosts fill in: the job.
pub(super) fn with_job(mut schema: Value) -> Value {
    schema["properties"]["job"] = json!({"type": "string", "minLength": 1});
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let required: Vec<Value> = std::iter::once(json!("job")).chain(required).collect();
    schema["required"] = required.into();
    schema
}

/// Gives the schema of an object with these members, all of them required.
pub(super) fn object(properties: &Value) -> Value {
    let keys = properties
        .as_object()
        .into_iter()
        .flat_map(|one| one.keys());
    let required: Vec<&String> = keys.collect();
    json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false
    })
}

/// Gives the schema of an input without members.
pub(super) fn nothing() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": false})
}

/// Gives the schema of a variant without value.
pub(super) fn words(words: &[&str]) -> Value {
    json!({
        "type": "object", "properties": {"tag": {"enum": words}}, "required": ["tag"], "additionalProperties": false
    })
}

/// Gives the schema of an optional value.
pub(super) fn option(of: &Value) -> Value {
    json!({"oneOf": [
        {"type": "object", "properties": {"tag": {"const": "None"}}, "required": ["tag"], "additionalProperties": false},
        {"type": "object", "properties": {"tag": {"const": "Some"}, "value": of}, "required": ["tag", "value"],
         "additionalProperties": false}
    ]})
}

/// Gives the schema of a variant with a value.
pub(super) fn variant(tag: &str, value: &Value) -> Value {
    json!({
        "type": "object", "properties": {"tag": {"const": tag}, "value": value}, "required": ["tag", "value"],
        "additionalProperties": false
    })
}

/// Gives the schema of a cited decision.
pub(super) fn citation() -> Value {
    json!({
        "type": "object", "properties": {"scope": words(&["Project", "Module"]), "label": {"type": "string"}},
        "required": ["scope", "label"], "additionalProperties": false
    })
}

/// Gives the schema of the warnings beside a result.
pub(super) fn warnings() -> Value {
    json!({"type": "array", "items": {"type": "object", "required": ["code", "message"]}})
}
