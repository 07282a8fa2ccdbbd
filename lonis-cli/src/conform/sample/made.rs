//! One value made to fit a schema, as far as a schema can be read backwards; the check decides in the end.

use std::cell::Cell;
use std::path::Path;

use serde_json::{Map, Value, json};

/// How deep schemas are followed, references included; what lies deeper is left out.
const MAX_DEPTH: usize = 32;

/// Schemas looked at for one value. A few references that each lead to two others would else take for ever.
const MAX_STEPS: u32 = 2_000;

/// Members of an object that are filled beyond the required ones, and items of an array.
const MAX_OPTIONAL: usize = 64;

/// Longest text that is made.
const MAX_TEXT: usize = 1 << 16;

/// What members are often called that hold a path, where the schema does not say so with `x-lonis-path`.
const PATH_WORDS: [&str; 10] = [
    "path",
    "paths",
    "file",
    "files",
    "folder",
    "folders",
    "directory",
    "dir",
    "root",
    "workspace",
];

/// Makes a value; members that are paths get this one, and optional members are filled on request.
pub(super) fn value(schema: &Value, path: &Path, fills_optional: bool) -> Option<Value> {
    Maker {
        root: schema,
        path,
        fills_optional,
        steps: Cell::new(0),
    }
    .value("", schema, 0)
}

/// What is the same for every part of one value.
struct Maker<'a> {
    root: &'a Value,
    path: &'a Path,
    fills_optional: bool,
    steps: Cell<u32>,
}

impl Maker<'_> {
    /// Makes the value of the member of this name, or of an item of it.
    fn value(&self, name: &str, schema: &Value, depth: usize) -> Option<Value> {
        let schema = self.resolved(schema, depth)?;
        if is_path(name, &schema) {
            return Some(json!(self.path.to_string_lossy()));
        }
        // The examples of the whole input are candidates of their own.
        let stated: &[&str] = if depth == 0 {
            &["const"]
        } else {
            &["const", "default"]
        };
        let listed: &[&str] = if depth == 0 {
            &["enum"]
        } else {
            &["examples", "enum"]
        };
        let stated = stated.iter().find_map(|key| schema.get(*key));
        let listed = listed.iter().find_map(|key| schema.get(*key)?.get(0));
        if let Some(value) = stated.or(listed) {
            return Some(value.clone());
        }
        match Self::type_of(&schema) {
            "object" => Some(self.object(&schema, depth)),
            "array" => self.array(name, &schema, depth),
            "string" => Some(string(&schema)),
            "integer" => Some(number(&schema, true)),
            "number" => Some(number(&schema, false)),
            "boolean" => Some(json!(true)),
            "null" => Some(Value::Null),
            _ => Some(json!({})),
        }
    }

    /// The schema with its reference followed and its `allOf`, and the first of its `oneOf` or `anyOf`, taken in.
    fn resolved(&self, schema: &Value, depth: usize) -> Option<Value> {
        self.steps.set(self.steps.get() + 1);
        if depth > MAX_DEPTH || self.steps.get() > MAX_STEPS {
            return None;
        }
        let Value::Object(_) = schema else {
            return Some(json!({}));
        };
        let mut merged = schema.clone();
        if let Some(place) = schema["$ref"]
            .as_str()
            .and_then(|reference| reference.strip_prefix('#'))
        {
            merge(
                &mut merged,
                &self.resolved(self.root.pointer(place)?, depth + 1)?,
            );
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            merge(&mut merged, &self.resolved(part, depth + 1)?);
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(first) = schema[key].get(0) {
                merge(&mut merged, &self.resolved(first, depth + 1)?);
            }
        }
        Some(merged)
    }

    fn type_of(schema: &Value) -> &str {
        let stated = schema["type"]
            .as_str()
            .or_else(|| schema["type"].get(0)?.as_str());
        let implied = [
            ("properties", "object"),
            ("required", "object"),
            ("items", "array"),
            ("minLength", "string"),
        ];
        stated
            .or_else(|| {
                implied
                    .iter()
                    .find(|(key, _)| schema.get(*key).is_some())
                    .map(|(_, name)| *name)
            })
            .unwrap_or("any")
    }

    fn object(&self, schema: &Value, depth: usize) -> Value {
        let empty = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&empty);
        let required: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut members = Map::new();
        for name in &required {
            let inner = properties.get(*name).unwrap_or(&Value::Null);
            members.extend(
                self.value(name, inner, depth + 1)
                    .map(|value| ((*name).to_owned(), value)),
            );
        }
        // Where one of several members is asked for, filling in the others would break the schema.
        if self.fills_optional && schema.get("oneOf").is_none() {
            let optional = properties
                .iter()
                .filter(|(name, _)| !required.contains(&name.as_str()));
            for (name, inner) in optional.take(MAX_OPTIONAL) {
                members.extend(
                    self.value(name, inner, depth + 1)
                        .map(|value| (name.clone(), value)),
                );
            }
        }
        Value::Object(members)
    }

    fn array(&self, name: &str, schema: &Value, depth: usize) -> Option<Value> {
        let least = schema["minItems"]
            .as_u64()
            .unwrap_or(u64::from(self.fills_optional));
        let least = usize::try_from(least)
            .ok()
            .filter(|least| *least <= MAX_OPTIONAL)?;
        let first: Vec<&Value> = schema["prefixItems"]
            .as_array()
            .into_iter()
            .flatten()
            .collect();
        let items = schema.get("items").unwrap_or(&Value::Null);
        let schemas = first
            .iter()
            .copied()
            .chain(std::iter::repeat(items))
            .take(least.max(first.len()));
        schemas
            .map(|inner| self.value(name, inner, depth + 1))
            .collect::<Option<Vec<_>>>()
            .map(Value::Array)
    }
}

/// Whether a member is a path: by its schema, or by its name where nothing else says what its value is.
fn is_path(name: &str, schema: &Value) -> bool {
    if schema["type"] == "array" || schema["type"] == "object" {
        return false;
    }
    let is_open = ["const", "default", "enum", "examples", "format", "pattern"]
        .iter()
        .all(|key| schema.get(*key).is_none());
    let last_word = name.rsplit(['_', '-']).next().unwrap_or_default();
    schema["x-lonis-path"] == true
        || (schema["type"] == "string" && is_open && PATH_WORDS.contains(&last_word))
}

/// Adds the members of one schema that the other lacks; lists of required names and properties are joined.
fn merge(into: &mut Value, from: &Value) {
    let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) else {
        return;
    };
    for (key, value) in from {
        match (into.get_mut(key), value) {
            (Some(Value::Array(have)), Value::Array(more)) if key == "required" => {
                have.extend(more.iter().cloned());
            }
            (Some(Value::Object(have)), Value::Object(more)) if key == "properties" => {
                for (name, inner) in more {
                    have.entry(name.clone()).or_insert_with(|| inner.clone());
                }
            }
            (Some(_), _) => {}
            (None, value) => drop(into.insert(key.clone(), value.clone())),
        }
    }
}

fn string(schema: &Value) -> Value {
    let text = match schema["format"].as_str() {
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("date") => "2026-01-31",
        Some("time") => "12:00:00Z",
        Some("duration") => "PT1S",
        Some("email") => "ada@example.com",
        Some("hostname") => "example.com",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("uri" | "iri") => "https://example.com/",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        _ => "sample",
    };
    let length = |key: &str| {
        schema[key]
            .as_u64()
            .and_then(|length| usize::try_from(length).ok())
    };
    let least = length("minLength").unwrap_or(0);
    let most = length("maxLength").unwrap_or(MAX_TEXT).min(MAX_TEXT);
    let padded = text.chars().chain(std::iter::repeat('x'));
    json!(
        padded
            .take(text.len().max(least).min(most))
            .collect::<String>()
    )
}

fn number(schema: &Value, is_integer: bool) -> Value {
    let bound = |key: &str| schema[key].as_f64();
    let step = bound("multipleOf").unwrap_or(1.0);
    let above = bound("exclusiveMinimum").map(|least| least + step);
    let below = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|most| most - step));
    let wanted = bound("minimum")
        .or(above)
        .unwrap_or_else(|| below.map_or(step, |most| most.min(step)));
    let value = (wanted / step).ceil() * step;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a sample outside the range is refused by the schema's own check"
    )]
    if is_integer {
        json!(value as i64)
    } else {
        json!(value)
    }
}
