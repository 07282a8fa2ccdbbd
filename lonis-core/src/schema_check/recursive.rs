//! Checks by schemas that come back to themselves.
//!
//! Where such a schema offers several ways into the same part of a value, trying them all takes time that doubles with
//! each level. Here each reference is tried once for each part of the value, and its answer is kept for the check.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Keyword, ValidationError, Validator};
use serde_json::Value;

use super::{SchemaBreach, SchemaCheckError, options};

/// Keywords that have to know what a reference looked at, which an answer that was kept does not tell.
const NOT_KEPT: &[&str] = &[
    "$dynamicRef",
    "$anchor",
    "$dynamicAnchor",
    "unevaluatedProperties",
    "unevaluatedItems",
];
/// Stands before the number of a breach, in an error that is passed up to where its place is known.
const MARK: &str = "\u{0}breach ";

thread_local! {
    /// The answers of the check that runs on this thread.
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// A part of the schema and a part of the value; neither moves during a check.
type Pair = (usize, usize);

#[derive(Default)]
struct Kept {
    valid: HashMap<Pair, bool>,
    breached: HashMap<Pair, usize>,
    breaches: Vec<SchemaBreach>,
}

/// A compiled schema whose references keep their answers.
#[derive(Debug)]
pub(super) struct Recursive {
    root: Validator,
    /// Held for the references, which know it weakly: they are inside of it.
    _targets: Arc<Targets>,
}

/// What the references of a schema refer to, by their numbers.
#[derive(Debug, Default)]
struct Targets {
    validators: OnceLock<Vec<Validator>>,
}

/// The keyword `$ref`.
struct Reference {
    number: usize,
    targets: Weak<Targets>,
}

impl Recursive {
    /// Compiles a schema; `None` where it needs more of its references than an answer.
    pub(super) fn compile(schema: &Value) -> Result<Option<Self>, SchemaCheckError> {
        let mut pointers = Vec::new();
        if !collect(schema, &mut pointers) {
            return Ok(None);
        }
        let found: Option<Vec<&Value>> = pointers
            .iter()
            .map(|pointer| schema.pointer(pointer))
            .collect();
        let Some(found) = found else {
            return Ok(None);
        };
        let targets = Arc::new(Targets::default());
        let build = |schema: &Value| {
            let (pointers, targets) = (pointers.clone(), Arc::downgrade(&targets));
            options()
                .with_keyword("$ref", move |_, target, _| {
                    let pointer = target.as_str().and_then(pointer_of);
                    let number = pointers
                        .iter()
                        .position(|known| Some(known.as_str()) == pointer)
                        .ok_or_else(|| ValidationError::custom("reference leads nowhere"))?;
                    Ok(Box::new(Reference {
                        number,
                        targets: Weak::clone(&targets),
                    }))
                })
                .build(schema)
                .map_err(|error| SchemaCheckError::of(&error))
        };
        let validators = found.into_iter().map(build).collect::<Result<_, _>>()?;
        targets
            .validators
            .set(validators)
            .expect("it was made above, and is set here alone");
        Ok(Some(Self {
            root: build(schema)?,
            _targets: Arc::clone(&targets),
        }))
    }

    pub(super) fn check(&self, value: &Value) -> Result<(), SchemaBreach> {
        KEPT.take();
        let result = self.root.validate(value).map_err(|error| breach(&error));
        KEPT.take();
        result
    }
}

impl Reference {
    fn pair(&self, value: &Value) -> Pair {
        (self.number, std::ptr::from_ref(value).addr())
    }

    /// Asks what the reference refers to.
    fn ask<T>(&self, question: impl FnOnce(&Validator) -> T) -> Option<T> {
        let targets = self.targets.upgrade()?;
        Some(question(targets.validators.get()?.get(self.number)?))
    }
}

impl<'i> Keyword<'i> for Reference {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        if Keyword::is_valid(self, value) {
            return Ok(());
        }
        let pair = self.pair(value);
        let kept = KEPT.with_borrow(|kept| kept.breached.get(&pair).copied());
        let number = kept.unwrap_or_else(|| {
            let found = self
                .ask(|target| target.validate(value).map_err(|error| breach(&error)))
                .and_then(Result::err)
                .unwrap_or_else(|| SchemaBreach::of_whole("value does not fit"));
            KEPT.with_borrow_mut(|kept| {
                kept.breaches.push(found);
                let number = kept.breaches.len() - 1;
                kept.breached.insert(pair, number);
                number
            })
        });
        Err(ValidationError::custom(format!("{MARK}{number}")))
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        let pair = self.pair(value);
        if let Some(known) = KEPT.with_borrow(|kept| kept.valid.get(&pair).copied()) {
            return known;
        }
        let is_valid = self.ask(|target| target.is_valid(value)).unwrap_or(false);
        KEPT.with_borrow_mut(|kept| kept.valid.insert(pair, is_valid));
        is_valid
    }
}

/// Says what an error means: its own words, or those of the breach that a reference passed up.
fn breach(error: &ValidationError<'_>) -> SchemaBreach {
    let passed_up = match error.kind() {
        ValidationErrorKind::Custom { message, .. } => message.strip_prefix(MARK),
        _ => None,
    };
    let number = passed_up.and_then(|number| number.parse::<usize>().ok());
    let below =
        number.and_then(|number| KEPT.with_borrow(|kept| kept.breaches.get(number).cloned()));
    match below {
        Some(below) => SchemaBreach {
            pointer: format!("{}{}", error.instance_path(), below.pointer),
            schema_pointer: format!("{}{}", error.schema_path(), below.schema_pointer),
            problem: below.problem,
        },
        None => SchemaBreach::of(error),
    }
}

/// Collects where the references of a schema lead; `false` where one leads elsewhere or answers cannot be kept.
fn collect(schema: &Value, pointers: &mut Vec<String>) -> bool {
    match schema {
        Value::Object(members) => members.iter().all(|(key, member)| {
            if NOT_KEPT.contains(&key.as_str()) {
                return false;
            }
            match (key.as_str(), member) {
                ("$ref", Value::String(target)) => {
                    let Some(pointer) = pointer_of(target) else {
                        return false;
                    };
                    if !pointers.iter().any(|known| known == pointer) {
                        pointers.push(pointer.to_owned());
                    }
                    true
                }
                _ => collect(member, pointers),
            }
        }),
        Value::Array(items) => items.iter().all(|item| collect(item, pointers)),
        _ => true,
    }
}

/// The JSON Pointer of a reference into its own document, where it is spelled without escapes of a URI.
fn pointer_of(target: &str) -> Option<&str> {
    let pointer = target.strip_prefix('#')?;
    let is_plain = !pointer.contains('%') && (pointer.is_empty() || pointer.starts_with('/'));
    is_plain.then_some(pointer)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::SchemaCheck;
    use super::*;

    /// A list that may be gone into in two ways at each level, the first of which always fails at its end.
    fn doubling() -> Value {
        let into = |end: &str| json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": [end]});
        json!({
            "$ref": "#/$defs/node",
            "$defs": {"node": {"anyOf": [
                {"properties": {"next": {"$ref": "#/$defs/node"}}, "dependentRequired": {"next": ["never"]}},
                {"properties": {"next": {"$ref": "#/$defs/node"}}},
                into("end"),
            ]}}
        })
    }

    fn nested(depth: usize, end: Value) -> Value {
        (0..depth).fold(end, |below, _| json!({"next": below}))
    }

    #[test]
    fn ways_that_double_at_each_level_are_each_tried_once() {
        let check = SchemaCheck::compile(&doubling()).unwrap();
        check.check(&nested(100, json!({"end": 1}))).unwrap();
        let refusing = json!({"$ref": "#/$defs/node", "$defs": {"node": {"anyOf": [
            {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["a"]},
            {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/node"}},
        ]}}});
        let check = SchemaCheck::compile(&refusing).unwrap();
        check.check(&nested(100, json!({"end": {}}))).unwrap();
        assert!(check.check(&nested(100, json!(7))).is_err());
    }

    #[test]
    fn a_breach_below_references_has_its_whole_place() {
        let schema = json!({"type": "object", "properties": {
            "value": {"type": "integer"}, "next": {"$ref": "#"}}});
        let check = SchemaCheck::compile(&schema).unwrap();
        let breach = check
            .check(&json!({"next": {"next": {"value": "hunter2"}}}))
            .unwrap_err();
        assert_eq!(breach.pointer, "/next/next/value");
        assert!(!breach.to_string().contains("hunter2"), "{breach}");
        assert_eq!(check.check(&json!({"next": {"value": 1}})), Ok(()));
    }
}
