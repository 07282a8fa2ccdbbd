//! A compiled inline schema of a contract, and the first place where a value breaks it.
//!
//! Schemas come from other people's programs: patterns run on an engine without backtracking, no reference leaves the
//! document, and no message repeats a value, which may be a secret.

use std::thread;

use jsonschema::{Draft, PatternOptions, ValidationError, ValidationOptions, Validator};
use lonis_schema::{ErrorKind, Place, ToolError};
use serde_json::{Value, json};
use thiserror::Error;

mod recursive;
mod weight;

use recursive::Recursive;

/// Largest program that one pattern of a schema may compile to, in bytes.
const MAX_PATTERN_PROGRAM_BYTES: usize = 1 << 20;

/// Most steps that a check may take, one inside the other: those of one value times the levels of the input.
const MAX_NESTED_STEPS: usize = 16_384;

/// Steps that any thread's stack has room for.
const MAX_STEPS_ON_CALLING_THREAD: usize = 512;

/// Most parts of a value that may be checked by a schema that keeps no answers, each counted as often as it may be gone
/// into; some seconds of work.
const MAX_WORK: u64 = 2_000_000;

/// A large value may be gone through so often whatever it is.
const WORK_FOR_EACH_PART: u64 = 8;

/// Stack of the thread that takes more steps than that, in bytes; only what is used of it costs memory.
const DEEP_STACK_BYTES: usize = 128 << 20;

/// An inline JSON Schema of a contract, draft 2020-12, compiled once.
///
/// # Example
/// ```
/// use lonis_core::{SchemaCheck, SchemaCheckError};
/// use serde_json::json;
///
/// let schema = SchemaCheck::compile(&json!({
///     "type": "object",
///     "properties": { "names": { "type": "array", "items": { "type": "string" } } }
/// }))?;
/// assert!(schema.check(&json!({ "names": ["Ada"] })).is_ok());
/// let breach = schema.check(&json!({ "names": ["Ada", 5] })).unwrap_err();
/// assert_eq!(breach.pointer, "/names/1");
/// # Ok::<(), SchemaCheckError>(())
/// ```
#[derive(Debug)]
pub struct SchemaCheck {
    checker: Checker,
    /// Steps that a check can take at one level of the input.
    steps_at_one_value: usize,
    /// How often one part of a value may be gone into from the value, where each time is another check of it.
    ways: Option<u64>,
}

#[derive(Debug)]
enum Checker {
    Plain(Validator),
    Recursive(Recursive),
}

impl SchemaCheck {
    /// Compiles a schema.
    ///
    /// # Errors
    /// When the document is no schema of draft 2020-12, refers to another document, holds a pattern that needs
    /// backtracking, or could make a check go on for ever.
    pub fn compile(schema: &Value) -> Result<Self, SchemaCheckError> {
        let whole = |problem: &str| SchemaCheckError {
            pointer: String::new(),
            problem: problem.to_owned(),
        };
        let weighed = weight::weigh(schema).map_err(whole)?;
        let steps_at_one_value = weighed.steps;
        if steps_at_one_value > MAX_STEPS_ON_CALLING_THREAD {
            return Err(whole("takes too many steps to check one value"));
        }
        let plain = options()
            .build(schema)
            .map_err(|error| SchemaCheckError::of(&error))?;
        let is_recursive = weight::is_recursive(schema);
        let recursive = if is_recursive {
            Recursive::compile(schema)?
        } else {
            None
        };
        Ok(Self {
            ways: (is_recursive && recursive.is_none()).then_some(weighed.ways),
            checker: recursive.map_or(Checker::Plain(plain), Checker::Recursive),
            steps_at_one_value,
        })
    }

    /// Checks a value and returns the first breach.
    ///
    /// # Errors
    /// When the value breaks the schema, or is nested too deeply to be checked against it.
    pub fn check(&self, value: &Value) -> Result<(), SchemaBreach> {
        if let Some(ways) = self.ways {
            let (work, parts) = work(value, ways);
            if work > MAX_WORK.max(parts.saturating_mul(WORK_FOR_EACH_PART)) {
                return Err(SchemaBreach::of_whole(
                    "value may take too many steps to be checked against this schema",
                ));
            }
        }
        let steps = self.steps_at_one_value.saturating_mul(levels(value) + 1);
        if steps <= MAX_STEPS_ON_CALLING_THREAD {
            return self.check_here(value);
        }
        if steps > MAX_NESTED_STEPS {
            return Err(SchemaBreach::of_whole(
                "value is nested too deeply to be checked against this schema",
            ));
        }
        std::thread::scope(|scope| {
            // Joined right here: the check needs its stack, not its concurrency.
            let deep = thread::Builder::new()
                .stack_size(DEEP_STACK_BYTES)
                .spawn_scoped(scope, || self.check_here(value));
            let checked = deep.map(thread::ScopedJoinHandle::join);
            match checked {
                Ok(Ok(checked)) => checked,
                Ok(Err(_)) | Err(_) => Err(SchemaBreach::of_whole(
                    "value could not be checked against this schema",
                )),
            }
        })
    }

    fn check_here(&self, value: &Value) -> Result<(), SchemaBreach> {
        match &self.checker {
            Checker::Plain(validator) => validator
                .validate(value)
                .map_err(|error| SchemaBreach::of(&error)),
            Checker::Recursive(recursive) => recursive.check(value),
        }
    }
}

/// How every schema is compiled: of one draft, without looking elsewhere, with patterns that do not backtrack.
fn options() -> ValidationOptions<'static> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .offline()
        .with_pattern_options(PatternOptions::regex().size_limit(MAX_PATTERN_PROGRAM_BYTES))
}

/// How many parts of a value may be checked, each as often as it may be gone into, and how many there are.
fn work(value: &Value, ways: u64) -> (u64, u64) {
    let below = |values: &mut dyn Iterator<Item = &Value>| {
        let (times, parts) = values.fold((0_u64, 0_u64), |(times, parts), value| {
            let (more, of) = work(value, ways);
            (times.saturating_add(more), parts + of)
        });
        (
            times.saturating_mul(ways.max(1)).saturating_add(1),
            parts + 1,
        )
    };
    match value {
        Value::Array(items) => below(&mut items.iter()),
        Value::Object(members) => below(&mut members.values()),
        _ => (1, 1),
    }
}

/// Counts the levels of arrays and objects of a value, which are few in any that was read as JSON.
fn levels(value: &Value) -> usize {
    let below =
        |values: &mut dyn Iterator<Item = &Value>| values.map(levels).max().unwrap_or(0) + 1;
    match value {
        Value::Array(items) => below(&mut items.iter()),
        Value::Object(members) => below(&mut members.values()),
        _ => 0,
    }
}

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("schema is not usable at {}: {problem}", Place(pointer))]
#[non_exhaustive]
pub struct SchemaCheckError {
    /// JSON Pointer into the schema.
    pub pointer: String,
    /// What is wrong there.
    pub problem: String,
}

/// Where a value breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("input breaks the schema at {}: {problem}", Place(pointer))]
#[non_exhaustive]
pub struct SchemaBreach {
    /// JSON Pointer into the value.
    pub pointer: String,
    /// JSON Pointer of the keyword that refuses it.
    pub schema_pointer: String,
    /// What is wrong there, without the value itself.
    pub problem: String,
}

impl SchemaCheckError {
    fn of(error: &ValidationError<'_>) -> Self {
        Self {
            pointer: error.instance_path().to_string(),
            problem: error.masked().to_string(),
        }
    }
}

impl SchemaBreach {
    fn of(error: &ValidationError<'_>) -> Self {
        Self {
            pointer: error.instance_path().to_string(),
            schema_pointer: error.schema_path().to_string(),
            problem: error.masked().to_string(),
        }
    }

    fn of_whole(problem: &str) -> Self {
        Self {
            pointer: String::new(),
            schema_pointer: String::new(),
            problem: problem.to_owned(),
        }
    }
}

impl From<SchemaBreach> for ToolError {
    fn from(breach: SchemaBreach) -> Self {
        Self::new(ErrorKind::InvalidInput, breach.to_string()).with_details(
            json!({"pointer": breach.pointer, "schema_pointer": breach.schema_pointer}),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breach_names_the_place_and_not_the_value() {
        let schema = json!({"type": "object", "properties": {"key": {"type": "integer"}}});
        let breach = SchemaCheck::compile(&schema)
            .unwrap()
            .check(&json!({"key": "hunter2"}))
            .unwrap_err();
        assert_eq!(breach.pointer, "/key");
        assert_eq!(breach.schema_pointer, "/properties/key/type");
        assert!(!breach.to_string().contains("hunter2"), "{breach}");
    }

    #[test]
    fn schemas_that_reach_out_or_backtrack_are_refused() {
        for schema in [
            json!({"$ref": "https://example.com/schema"}),
            json!({"$ref": "file:///etc/hostname"}),
            json!({"pattern": "(?=a)b"}),
            json!({"pattern": "((a{1,1000}){1,1000}){1,1000}"}),
            json!({"type": "nope"}),
        ] {
            assert!(SchemaCheck::compile(&schema).is_err(), "{schema}");
        }
    }

    #[test]
    fn references_inside_the_document_may_come_back_at_another_value() {
        let list = json!({"type": ["array", "integer"], "items": {"$ref": "#"}});
        let check = SchemaCheck::compile(&list).unwrap();
        assert_eq!(check.check(&json!([[1], [[2]]])), Ok(()));
        assert_eq!(
            check.check(&json!([[1], [["x"]]])).unwrap_err().pointer,
            "/1/0/0"
        );
    }

    #[test]
    fn schemas_whose_answers_cannot_be_kept_take_bounded_time() {
        let ways = |reference: &Value, extra: &Value| {
            let mut node = json!({"anyOf": [
                {"properties": {"next": reference}, "required": ["never"]},
                {"properties": {"next": reference}, "required": ["neither"]},
                {"properties": {"next": reference}},
            ]});
            let members = extra.as_object().unwrap().clone();
            node.as_object_mut().unwrap().extend(members);
            node
        };
        let to_node = json!({"$ref": "#/$defs/node"});
        let dynamic = json!({"$dynamicRef": "#node"});
        let none = json!({});
        let schemas = [
            json!({"$ref": "#/$defs/node", "$defs": {"node": ways(&to_node, &json!({"unevaluatedProperties": true}))}}),
            json!({"$ref": "#/$defs/node", "$defs": {"node": ways(&dynamic, &json!({"$dynamicAnchor": "node"}))}}),
            json!({"$ref": "#/%24defs/node", "$defs": {"node": ways(&json!({"$ref": "#/%24defs/node"}), &none)}}),
        ];
        for schema in schemas {
            let check = SchemaCheck::compile(&schema).unwrap();
            let nested =
                |depth: usize| (0..depth).fold(json!({}), |below, _| json!({"next": below}));
            assert_eq!(check.check(&nested(3)), Ok(()), "{schema}");
            let refused = check.check(&nested(100)).unwrap_err();
            assert!(refused.problem.contains("too many steps"), "{schema}");
        }
        // One way into each part takes time that goes with the value alone.
        let list = json!({"$dynamicAnchor": "node", "properties": {"next": dynamic}});
        let check = SchemaCheck::compile(&list).unwrap();
        let nested = (0..100).fold(json!({}), |below, _| json!({"next": below}));
        assert_eq!(check.check(&nested), Ok(()));
        let wide = Value::Array(vec![json!({}); 3_000_000]);
        let each = json!({"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}});
        assert_eq!(SchemaCheck::compile(&each).unwrap().check(&wide), Ok(()));
    }

    #[test]
    fn deep_input_and_a_long_way_at_each_level_never_exhaust_the_stack() {
        let long_way = |length: usize| {
            let mut definitions = serde_json::Map::new();
            for number in 0..length {
                let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
                definitions.insert(
                    format!("d{number}"),
                    json!({"anyOf": [next, {"type": "null"}]}),
                );
            }
            definitions.insert(
                format!("d{length}"),
                json!({"items": {"$ref": "#/$defs/d0"}}),
            );
            SchemaCheck::compile(&json!({"$ref": "#/$defs/d0", "$defs": definitions}))
        };
        let nested = (0..120).fold(json!([]), |value, _| json!([value]));
        assert_eq!(long_way(2).unwrap().check(&nested), Ok(()));
        assert_eq!(long_way(40).unwrap().check(&nested), Ok(()));
        assert!(
            long_way(100)
                .unwrap()
                .check(&nested)
                .unwrap_err()
                .problem
                .contains("too deeply")
        );
        assert_eq!(long_way(100).unwrap().check(&json!([[]])), Ok(()));
        assert!(long_way(2000).is_err());
    }
}
