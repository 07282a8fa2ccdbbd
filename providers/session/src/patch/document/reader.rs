//! Reading the members of an object one by one, so that an error points at the member.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{MAX_TEXT_BYTES, Occurrence};
use crate::patch::failure::Failure;

/// A member that is wrong.
#[derive(Debug)]
pub(super) struct Refused(pub(super) Failure);

/// The members of one object, and which of them were read.
#[derive(Debug)]
pub(super) struct Members<'a> {
    pointer: String,
    map: &'a Map<String, Value>,
    read: HashSet<&'static str>,
}

impl<'a> Members<'a> {
    /// The members of the object at a pointer.
    pub(super) fn at(pointer: String, value: &'a Value) -> Result<Self, Refused> {
        match value {
            Value::Object(map) => Ok(Self {
                pointer,
                map,
                read: HashSet::new(),
            }),
            _ => Err(refused(pointer, "expected an object")),
        }
    }

    /// The pointer of a member.
    pub(super) fn pointer(&self, name: &str) -> String {
        let name = name.replace('~', "~0").replace('/', "~1");
        format!("{}/{name}", self.pointer)
    }

    /// An error at a member.
    pub(super) fn refuse(&self, name: &str, rule: impl Into<String>) -> Refused {
        refused(self.pointer(name), rule)
    }

    /// An error at the object itself.
    pub(super) fn refuse_all(&self, rule: impl Into<String>) -> Refused {
        refused(self.pointer.clone(), rule)
    }

    /// Holds a bound.
    pub(super) fn limit(&self, name: &str, limit: usize, observed: usize) -> Result<(), Refused> {
        if observed <= limit {
            return Ok(());
        }
        Err(Refused(Failure::Limit {
            what: format!("`{}`", self.pointer(name)),
            limit: limit as u64,
            observed: observed as u64,
        }))
    }

    /// A member that may be left out; `null` is a value.
    pub(super) fn optional(&mut self, name: &'static str) -> Option<&'a Value> {
        self.read.insert(name);
        self.map.get(name)
    }

    /// A member that must be there.
    pub(super) fn required(&mut self, name: &'static str) -> Result<&'a Value, Refused> {
        self.optional(name)
            .ok_or_else(|| self.refuse(name, "is missing"))
    }

    /// Refuses a member that others of its kind have.
    pub(super) fn forbid(&mut self, name: &'static str, rule: &str) -> Result<(), Refused> {
        self.read.remove(name);
        match self.map.get(name) {
            None => Ok(()),
            Some(_) => Err(self.refuse(name, rule)),
        }
    }

    /// A string that must be there.
    pub(super) fn string(&mut self, name: &'static str) -> Result<&'a str, Refused> {
        let value = self.required(name)?;
        value
            .as_str()
            .ok_or_else(|| self.refuse(name, "expected a string"))
    }

    /// A string that may be left out.
    pub(super) fn optional_string(
        &mut self,
        name: &'static str,
    ) -> Result<Option<&'a str>, Refused> {
        match self.optional(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.refuse(name, "expected a string")),
        }
    }

    /// A text of bounded length.
    pub(super) fn text(&mut self, name: &'static str) -> Result<String, Refused> {
        let text = self.string(name)?;
        self.limit(name, MAX_TEXT_BYTES, text.len())?;
        Ok(text.to_owned())
    }

    /// A bool with a default.
    pub(super) fn flag(&mut self, name: &'static str, default: bool) -> Result<bool, Refused> {
        match self.optional(name) {
            None => Ok(default),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.refuse(name, "expected a bool")),
        }
    }

    /// A whole number of at least `least`.
    pub(super) fn number(&mut self, name: &'static str, least: usize) -> Result<usize, Refused> {
        let value = self.required(name)?;
        value
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
            .filter(|number| *number >= least && i32::try_from(*number).is_ok())
            .ok_or_else(|| {
                self.refuse(name, format!("expected a whole number of at least {least}"))
            })
    }

    /// A list that must be there.
    pub(super) fn array(&mut self, name: &'static str) -> Result<&'a [Value], Refused> {
        let value = self.required(name)?;
        match value {
            Value::Array(list) => Ok(list),
            _ => Err(self.refuse(name, "expected a list")),
        }
    }

    /// One of some words, if there.
    pub(super) fn word<T: Copy>(
        &mut self,
        name: &'static str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, Refused> {
        let Some(text) = self.optional_string(name)? else {
            return Ok(None);
        };
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|(_, value)| Some(*value)).ok_or_else(|| {
            let known: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            self.refuse(name, format!("expected one of {}", known.join(", ")))
        })
    }

    /// `{index, of}`, if there.
    pub(super) fn occurrence(&mut self) -> Result<Option<Occurrence>, Refused> {
        let Some(value) = self.optional("occurrence") else {
            return Ok(None);
        };
        let mut members = Members::at(self.pointer("occurrence"), value)?;
        let index = members.number("index", 1)?;
        let of = members.number("of", 1)?;
        members.close()?;
        if index > of {
            return Err(members.refuse("index", "is at most `of`"));
        }
        Ok(Some(Occurrence { index, of }))
    }

    /// Ends the object: a member that was not read is unknown.
    pub(super) fn close(&self) -> Result<(), Refused> {
        match self
            .map
            .keys()
            .find(|name| !self.read.contains(name.as_str()))
        {
            None => Ok(()),
            Some(name) => {
                let mut known: Vec<String> =
                    self.read.iter().map(|name| format!("`{name}`")).collect();
                known.sort_unstable();
                let rule = format!("is no member here, there are {}", known.join(", "));
                Err(self.refuse(name, rule))
            }
        }
    }
}

fn refused(pointer: String, rule: impl Into<String>) -> Refused {
    Refused(Failure::Schema {
        pointer,
        rule: rule.into(),
    })
}
