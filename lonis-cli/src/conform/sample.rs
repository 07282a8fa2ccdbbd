//! Inputs made from a contract's inline schema: sensible ones that do real work, and ones that break it.

use std::path::Path;

use lonis::SchemaCheck;
use serde_json::{Map, Value, json};

/// How deep schemas are followed, references included; what lies deeper is left out.
const MAX_DEPTH: usize = 32;

/// Members of an object that are filled beyond the required ones.
const MAX_OPTIONAL: usize = 64;

/// What is known of a tool's input.
#[derive(Debug)]
pub(crate) struct Sampler<'a> {
    schema: &'a Value,
    check: &'a SchemaCheck,
    /// Existing paths for members that are paths (`x-lonis-path`), the best first.
    paths: &'a [&'a Path],
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(schema: &'a Value, check: &'a SchemaCheck, paths: &'a [&'a Path]) -> Self {
        Self {
            schema,
            check,
            paths,
        }
    }

    /// Valid inputs, the most telling first: the schema's own examples, then what is required, then everything.
    pub(crate) fn candidates(&self) -> Vec<Value> {
        let mut candidates: Vec<Value> = self.examples().cloned().collect();
        candidates.extend(self.schema.get("default").cloned());
        let everywhere: &[&Path] = if self.paths.is_empty() {
            &[Path::new("/")]
        } else {
            self.paths
        };
        for &path in everywhere {
            for fills_optional in [false, true] {
                candidates.extend(
                    Maker {
                        root: self.schema,
                        path,
                        fills_optional,
                    }
                    .value(self.schema, 0),
                );
            }
        }
        candidates.retain(|candidate| self.check.check(candidate).is_ok());
        let mut seen: Vec<Value> = Vec::new();
        candidates
            .into_iter()
            .filter(|candidate| keep_first(&mut seen, candidate))
            .collect()
    }

    /// The examples that the schema itself refuses, with the reason.
    pub(crate) fn bad_examples(&self) -> Vec<String> {
        let given = self.examples().chain(self.schema.get("default"));
        given
            .filter_map(|example| self.check.check(example).err())
            .map(|breach| breach.to_string())
            .collect()
    }

    /// An input that the schema refuses, as near to a good one as possible.
    pub(crate) fn bad(&self, good: Option<&Value>) -> Option<Value> {
        let mut candidates = Vec::new();
        if let Some(members) = good.and_then(Value::as_object) {
            candidates.extend(
                members
                    .keys()
                    .map(|name| replaced(members, name, &json!({ "unexpected": [null] }))),
            );
            candidates.extend(members.keys().map(|name| without(members, name)));
            candidates.push(replaced(members, "no-such-member", &json!(true)));
        }
        candidates.extend([
            json!([]),
            json!(true),
            json!("text"),
            json!(-1.5),
            json!({}),
            Value::Null,
        ]);
        candidates
            .into_iter()
            .find(|candidate| self.check.check(candidate).is_err())
    }

    fn examples(&self) -> impl Iterator<Item = &'a Value> {
        self.schema
            .get("examples")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    }
}

/// Inputs to try where a contract has no schema.
pub(crate) fn without_schema() -> Vec<Value> {
    vec![json!({}), Value::Null]
}

/// The input grown to about this many bytes, in the first text of it, else in a member of its own.
pub(crate) fn grown(good: &Value, bytes: usize) -> Value {
    let padding = "lorem ipsum ".repeat(bytes / 12 + 1);
    match good {
        Value::String(text) => json!(format!("{text}{padding}")),
        Value::Object(members) => {
            let text = members
                .iter()
                .find_map(|(name, value)| Some((name, value.as_str()?)));
            // A path that is grown is only a path that does not exist.
            match text.filter(|(_, text)| !text.starts_with('/')) {
                Some((name, text)) => replaced(members, name, &json!(format!("{text}{padding}"))),
                None => replaced(members, "padding", &json!(padding)),
            }
        }
        other => json!({ "value": other, "padding": padding }),
    }
}

fn keep_first(seen: &mut Vec<Value>, candidate: &Value) -> bool {
    let is_new = !seen.contains(candidate);
    if is_new {
        seen.push(candidate.clone());
    }
    is_new
}

fn replaced(members: &Map<String, Value>, name: &str, value: &Value) -> Value {
    let mut members = members.clone();
    members.insert(name.to_owned(), value.clone());
    Value::Object(members)
}

fn without(members: &Map<String, Value>, name: &str) -> Value {
    Value::Object(
        members
            .iter()
            .filter(|(key, _)| *key != name)
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    )
}

/// Makes one value that fits a schema, as far as a schema can be read backwards; the check decides in the end.
struct Maker<'a> {
    root: &'a Value,
    path: &'a Path,
    fills_optional: bool,
}

impl Maker<'_> {
    fn value(&self, schema: &Value, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        let schema = self.resolved(schema, depth)?;
        if schema["x-lonis-path"] == true && schema["type"] != "array" {
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
            "array" => self.array(&schema, depth),
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
        let Value::Object(_) = schema else {
            return Some(json!({}));
        };
        if depth > MAX_DEPTH {
            return None;
        }
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
                self.value(inner, depth + 1)
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
                    self.value(inner, depth + 1)
                        .map(|value| (name.clone(), value)),
                );
            }
        }
        Value::Object(members)
    }

    fn array(&self, schema: &Value, depth: usize) -> Option<Value> {
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
            .map(|inner| self.value(inner, depth + 1))
            .collect::<Option<Vec<_>>>()
            .map(Value::Array)
    }
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
    let least = schema["minLength"]
        .as_u64()
        .and_then(|least| usize::try_from(least).ok())
        .unwrap_or(0)
        .min(1 << 16);
    let most = schema["maxLength"]
        .as_u64()
        .and_then(|most| usize::try_from(most).ok())
        .unwrap_or(usize::MAX);
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

#[cfg(test)]
mod tests;
