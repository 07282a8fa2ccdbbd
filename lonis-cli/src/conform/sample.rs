//! Inputs made from a contract's inline schema: sensible ones that do real work, and ones that break it.

mod made;

use std::path::Path;

use lonis::SchemaCheck;
use serde_json::{Map, Value, json};

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
                candidates.extend(made::value(self.schema, path, fills_optional));
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

#[cfg(test)]
mod tests;
