//! The value of a structured file without its spelling, and the edit of it.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::patch::document::{Pointer, ValueChange};
use crate::patch::failure::Failure;
use crate::patch::report::clipped;

/// Members that a report lists.
const MAX_MEMBERS: usize = 20;

/// A value of any of the formats.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Model {
    Null,
    Bool(bool),
    /// As the shortest text of its value.
    Number(String),
    Text(String),
    List(Vec<Self>),
    Map(BTreeMap<String, Self>),
    /// What JSON has no value for, as it is written.
    Opaque(String),
}

impl Model {
    /// The value that an op holds.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => Self::number(&number.to_string()),
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(list) => Self::List(list.iter().map(Self::of).collect()),
            Value::Object(map) => Self::Map(
                map.iter()
                    .map(|(key, value)| (key.clone(), Self::of(value)))
                    .collect(),
            ),
        }
    }

    /// A number as it is written.
    pub(super) fn number(text: &str) -> Self {
        Self::Number(match (text.parse::<i128>(), text.parse::<f64>()) {
            (Ok(whole), _) => whole.to_string(),
            (_, Ok(real)) if real.is_finite() => format!("{real:?}"),
            _ => text.to_owned(),
        })
    }

    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
            Self::List(_) => "list",
            Self::Map(_) => "object",
            Self::Opaque(_) => "reference",
        }
    }

    fn child(&self, token: &str) -> Option<&Self> {
        match self {
            Self::Map(map) => map.get(token),
            Self::List(list) => list.get(index(token)?),
            _ => None,
        }
    }

    /// What stands at a path.
    pub(super) fn at(&self, tokens: &[String]) -> Option<&Self> {
        tokens
            .iter()
            .try_fold(self, |model, token| model.child(token))
    }

    fn child_mut(&mut self, token: &str) -> Option<&mut Self> {
        match self {
            Self::Map(map) => map.get_mut(token),
            Self::List(list) => list.get_mut(index(token)?),
            _ => None,
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Bool(flag) => write!(formatter, "{flag}"),
            Self::Number(text) | Self::Opaque(text) => formatter.write_str(text),
            Self::Text(text) => write!(formatter, "{}", Value::from(text.as_str())),
            Self::List(list) => write!(formatter, "a list of {}", list.len()),
            Self::Map(map) => write!(formatter, "an object of {}", map.len()),
        }
    }
}

/// An index of a list as a pointer writes it.
pub(super) fn index(token: &str) -> Option<usize> {
    let is_plain = token == "0"
        || (!token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit()));
    token.parse().ok().filter(|_| is_plain)
}

/// `patch/pointer-missing` with the longest part of the pointer that is there.
pub(super) fn deepest(model: &Model, pointer: &Pointer) -> Failure {
    let tokens = pointer.tokens();
    let depth = (0..=tokens.len())
        .rev()
        .find(|depth| model.at(&tokens[..*depth]).is_some())
        .unwrap_or(0);
    let members = match model.at(&tokens[..depth]) {
        Some(Model::Map(map)) => map
            .keys()
            .take(MAX_MEMBERS)
            .map(|key| clipped(key, 100))
            .collect(),
        Some(Model::List(list)) => (0..list.len().min(MAX_MEMBERS))
            .map(|index| index.to_string())
            .collect(),
        _ => Vec::new(),
    };
    Failure::PointerMissing {
        pointer: pointer.as_str().to_owned(),
        deepest: pointer.prefix(depth),
        members,
    }
}

/// The model after a change.
pub(super) fn edited(
    before: &Model,
    pointer: &Pointer,
    change: &ValueChange,
) -> Result<Model, Failure> {
    let mut after = before.clone();
    let tokens = pointer.tokens();
    let wrong_kind = |depth: usize, expected, found: &Model| Failure::PointerType {
        pointer: pointer.prefix(depth),
        expected,
        found: found.kind(),
    };
    match change {
        ValueChange::Append { value } => {
            let found = at_mut(&mut after, tokens).ok_or_else(|| deepest(before, pointer))?;
            match found {
                Model::List(list) => list.push(Model::of(value)),
                other => return Err(wrong_kind(tokens.len(), "list", other)),
            }
        }
        ValueChange::Remove => {
            let (name, parents) = tokens
                .split_last()
                .expect("the document refuses an empty pointer here");
            let missing = || deepest(before, pointer);
            match at_mut(&mut after, parents).ok_or_else(missing)? {
                Model::Map(map) => drop(map.remove(name).ok_or_else(missing)?),
                Model::List(list) => {
                    let index = index(name)
                        .filter(|index| *index < list.len())
                        .ok_or_else(missing)?;
                    list.remove(index);
                }
                other => return Err(wrong_kind(parents.len(), "object or list", other)),
            }
        }
        ValueChange::Set {
            value,
            create_parents,
        } => {
            let mut place = &mut after;
            for (depth, token) in tokens.iter().enumerate() {
                let is_last = depth + 1 == tokens.len();
                if place.child(token).is_none() {
                    let Model::Map(map) = place else {
                        let failure = match place {
                            Model::List(_) => deepest(before, pointer),
                            other => wrong_kind(depth, "object", other),
                        };
                        return Err(failure);
                    };
                    if !is_last && !create_parents {
                        return Err(deepest(before, pointer));
                    }
                    map.insert(token.clone(), Model::Map(BTreeMap::new()));
                }
                place = place
                    .child_mut(token)
                    .expect("the member is there or was just made");
            }
            *place = Model::of(value);
        }
    }
    Ok(after)
}

fn at_mut<'m>(model: &'m mut Model, tokens: &[String]) -> Option<&'m mut Model> {
    tokens
        .iter()
        .try_fold(model, |model, token| model.child_mut(token))
}

/// How deep the pointer is there: the number of its tokens that lead to a value.
pub(super) fn depth_of(model: &Model, tokens: &[String]) -> usize {
    (0..=tokens.len())
        .rev()
        .find(|depth| model.at(&tokens[..*depth]).is_some())
        .unwrap_or(0)
}

/// The value to insert below the deepest parent: the op's, wrapped in the objects that are missing.
pub(super) fn wrapped(value: &Value, missing: &[String]) -> Value {
    missing.iter().rev().fold(value.clone(), |value, token| {
        Value::Object(std::iter::once((token.clone(), value)).collect())
    })
}
