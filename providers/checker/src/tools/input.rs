//! Reading the inputs of tools: generously where the meaning is plain, and with all that is wrong said at once.

use serde_json::{Map, Value};
use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::source::Sources;

use crate::failure::Failure;
use crate::job::Hole;

/// The input of a tool, whose members are taken one after the other.
#[derive(Debug)]
pub(super) struct Input<'i> {
    members: Option<&'i Map<String, Value>>,
    taken: Vec<&'static str>,
    problems: Diagnostics,
}

/// Gives the job that an input names.
///
/// # Errors
/// `usage`, when the input is no object, or has no text `job`.
pub(super) fn job(input: &Value) -> Result<&str, Failure> {
    let job = input.as_object().map(|members| members.get("job"));
    match job {
        None => Err(Failure::usage("the input must be an object")),
        Some(Some(Value::String(job))) if !job.is_empty() => Ok(job),
        Some(_) => Err(Failure::usage(
            "the input must have `job`, the path of a job",
        )),
    }
}

impl<'i> Input<'i> {
    pub(super) fn new(input: &'i Value) -> Self {
        Self {
            members: input.as_object(),
            taken: vec!["job"],
            problems: Diagnostics::new(),
        }
    }

    /// Notes that something is wrong.
    pub(super) fn wrong(&mut self, message: impl Into<String>) {
        self.problems.push(Diagnostic::new(Code::Usage, message));
    }

    /// Takes a member that has to be there.
    pub(super) fn take(&mut self, key: &'static str) -> Option<&'i Value> {
        self.taken.push(key);
        let value = self.members.and_then(|members| members.get(key));
        if value.is_none() {
            self.wrong(format!("the input must have `{key}`"));
        }
        value
    }

    /// Takes a text.
    pub(super) fn text(&mut self, key: &'static str) -> Option<&'i str> {
        let value = self.take(key)?;
        let text = value.as_str();
        if text.is_none() {
            self.wrong(format!("`{key}` must be a text"));
        }
        text
    }

    /// Takes the hole that a question may name: `{"tag":"None"}`, `{"tag":"Some","value":S}`, `null`, or the text itself.
    pub(super) fn hole(&mut self, key: &'static str) -> Option<Hole> {
        let value = self.take(key)?;
        let read = match value {
            Value::Null => Some(Hole::None),
            Value::String(text) => Some(Hole::Some(text.clone())),
            Value::Object(members) => match (tag(value), members.get("value"), members.len()) {
                (Some("None"), None, 1) => Some(Hole::None),
                (Some("Some"), Some(Value::String(text)), 2) => Some(Hole::Some(text.clone())),
                _ => None,
            },
            _ => None,
        };
        if read.is_none() {
            self.wrong(format!("`{key}` must be `None`, or `Some` with a text"));
        }
        read
    }

    /// Takes a list.
    pub(super) fn list(&mut self, key: &'static str) -> Option<&'i [Value]> {
        let value = self.take(key)?;
        let list = value.as_array().map(Vec::as_slice);
        if list.is_none() {
            self.wrong(format!("`{key}` must be a list"));
        }
        list
    }

    /// Takes a list of texts.
    pub(super) fn texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        let list = self.list(key)?;
        let texts: Option<Vec<String>> = list
            .iter()
            .map(|value| value.as_str().map(str::to_owned))
            .collect();
        if texts.is_none() {
            self.wrong(format!("`{key}` must hold texts"));
        }
        texts
    }

    /// Gives what was made of the input.
    ///
    /// # Errors
    /// `usage`, with all that is wrong, keys that the tool does not know among it.
    pub(super) fn finish<T>(mut self, read: Option<T>) -> Result<T, Failure> {
        let keys = self.members.into_iter().flat_map(Map::keys);
        let unknown = keys.filter(|key| !self.taken.contains(&key.as_str()));
        for key in unknown.cloned().collect::<Vec<_>>() {
            self.wrong(format!("the tool takes no `{key}`"));
        }
        match read {
            Some(read) if self.problems.is_empty() => Ok(read),
            _ => Err(Failure {
                diagnostics: self.problems,
                sources: Sources::new(),
            }),
        }
    }
}

/// Reads a variant without value: `{"tag":S}`, or the bare word.
pub(super) fn word(value: &Value) -> Option<&str> {
    match value {
        Value::String(word) => Some(word),
        Value::Object(members) if members.len() == 1 => tag(value),
        _ => None,
    }
}

fn tag(value: &Value) -> Option<&str> {
    value.get("tag").and_then(Value::as_str)
}
