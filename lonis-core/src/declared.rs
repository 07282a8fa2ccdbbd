//! Arguments and stdin of a plain CLI, built from members of the validated input.
//!
//! An argument is fixed, or one whole member. Nothing is split, joined or put inside a word, and no shell ever reads
//! it, so that no input can become a second argument or, unless the definition says so, an option.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lonis_schema::{ErrorKind, Json, ToolError};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::SchemaCheck;

/// One element of a plain CLI's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// This text, always.
    Fixed(String),
    /// One member of the input.
    Value(ValueArgument),
    /// A flag, when a member is `true`.
    Switch {
        /// The flag.
        flag: String,
        /// The member.
        when: String,
    },
}

/// A reference to one member of the input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are the independent keys of the file"
)]
pub struct ValueArgument {
    /// The member.
    pub from: String,
    /// A flag that stands before each value, as an argument of its own.
    pub flag: Option<String>,
    /// Whether the member is an array, of which each element is an argument.
    pub each: bool,
    /// Whether the member may be absent.
    pub optional: bool,
    /// Whether a relative value is made absolute against the caller's directory.
    pub path: bool,
    /// Whether the value may begin with `-`.
    pub dash: bool,
}

/// What a plain CLI gets on stdin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StdinForm {
    /// The whole input as compact JSON.
    Json,
    /// Nothing.
    None,
    /// One member: a string as its bytes, anything else as compact JSON.
    Member(String),
}

/// How the input of a plain CLI becomes its arguments and its stdin, and what is checked of its output.
#[derive(Debug, Clone)]
pub(crate) struct Declared {
    args: Vec<Argument>,
    stdin: StdinForm,
    /// Where a relative path of the input starts.
    directory: PathBuf,
    output: Option<Arc<SchemaCheck>>,
}

impl Declared {
    pub(crate) fn new(
        args: Vec<Argument>,
        stdin: StdinForm,
        directory: &Path,
        output: Option<&Value>,
    ) -> Result<Self, ToolError> {
        let output = output
            .map(SchemaCheck::compile)
            .transpose()
            .map_err(|error| {
                ToolError::new(
                    ErrorKind::InvalidConfig,
                    format!("`output_json_schema` does not compile: {error}"),
                )
            })?;
        Ok(Self {
            args,
            stdin,
            directory: directory.to_path_buf(),
            output: output.map(Arc::new),
        })
    }

    /// The arguments for an input.
    pub(crate) fn arguments(&self, input: &Json) -> Result<Vec<OsString>, ToolError> {
        arguments(&self.args, input, &self.directory)
    }

    /// The stdin for an input.
    pub(crate) fn stdin(&self, input: &Json) -> Result<Vec<u8>, ToolError> {
        self.stdin.bytes(input)
    }

    /// What each output has to be, where that was declared.
    pub(crate) fn output(&self) -> Option<Arc<SchemaCheck>> {
        self.output.clone()
    }
}

impl Argument {
    /// Returns the argument as it is shown to a person: a reference by the member in braces.
    pub fn shown(&self) -> String {
        match self {
            Self::Fixed(text) => text.clone(),
            Self::Value(ValueArgument {
                flag: Some(flag),
                from,
                ..
            }) => format!("{flag} {{{from}}}"),
            Self::Value(value) => format!("{{{}}}", value.from),
            Self::Switch { flag, when } => format!("{{{when}: {flag}}}"),
        }
    }

    /// Returns the member that it refers to.
    pub fn member(&self) -> Option<&str> {
        match self {
            Self::Fixed(_) => None,
            Self::Value(value) => Some(&value.from),
            Self::Switch { when, .. } => Some(when),
        }
    }

    /// Returns the input schema that the references alone imply: a closed object of exactly these members.
    ///
    /// `None` when nothing is referred to; any input is then taken.
    pub fn schema_of(args: &[Self]) -> Option<Value> {
        let mut properties = serde_json::Map::new();
        let mut required: Vec<&str> = Vec::new();
        for argument in args {
            let (member, schema, optional) = match argument {
                Self::Fixed(_) => continue,
                Self::Value(value) if value.each => (
                    &value.from,
                    json!({ "type": "array", "items": { "type": "string" } }),
                    value.optional,
                ),
                Self::Value(value) => (&value.from, json!({ "type": "string" }), value.optional),
                Self::Switch { when, .. } => (when, json!({ "type": "boolean" }), true),
            };
            properties.insert(member.clone(), schema);
            if !optional && !required.contains(&member.as_str()) {
                required.push(member);
            }
        }
        if properties.is_empty() {
            return None;
        }
        Some(json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }))
    }
}

impl StdinForm {
    /// Returns what holds when the definition does not say: nothing where arguments take the input, else all of it.
    pub fn default_for(args: &[Argument]) -> Self {
        if args.iter().any(|argument| argument.member().is_some()) {
            Self::None
        } else {
            Self::Json
        }
    }

    /// Returns the member that it refers to.
    pub fn member(&self) -> Option<&str> {
        match self {
            Self::Member(member) => Some(member),
            Self::Json | Self::None => None,
        }
    }

    /// Returns the bytes for this input.
    ///
    /// # Errors
    /// `invalid_input` when the member is absent or a string that JSON cannot carry to bytes.
    pub fn bytes(&self, input: &Json) -> Result<Vec<u8>, ToolError> {
        match self {
            Self::Json => Ok(input.text().as_bytes().to_vec()),
            Self::None => Ok(Vec::new()),
            Self::Member(member) => {
                let members = Members::of(input)?;
                let text = members.get(member).ok_or_else(|| absent(member))?;
                Ok(string(text).map_or_else(|| text.as_bytes().to_vec(), String::into_bytes))
            }
        }
    }
}

/// Returns the arguments for one input, in order.
///
/// # Errors
/// `invalid_input` with `details.pointer` when a member is absent, is of a form that no argument can have, or begins
/// with `-` where that could be read as an option.
pub fn arguments(
    args: &[Argument],
    input: &Json,
    directory: &Path,
) -> Result<Vec<OsString>, ToolError> {
    let mut built = Vec::with_capacity(args.len());
    if args.iter().all(|argument| argument.member().is_none()) {
        built.extend(args.iter().filter_map(|argument| match argument {
            Argument::Fixed(text) => Some(OsString::from(text)),
            _ => None,
        }));
        return Ok(built);
    }
    let members = Members::of(input)?;
    // Behind `--` no program reads an option any more.
    let mut guarded = false;
    for argument in args {
        match argument {
            Argument::Fixed(text) => {
                guarded |= text == "--";
                built.push(text.into());
            }
            Argument::Switch { flag, when } => match members.get(when) {
                None | Some("false") => {}
                Some("true") => built.push(flag.into()),
                Some(_) => return Err(unfit(when, "must be a boolean")),
            },
            Argument::Value(value) => push_value(value, &members, guarded, directory, &mut built)?,
        }
    }
    Ok(built)
}

fn push_value(
    argument: &ValueArgument,
    members: &Members<'_>,
    guarded: bool,
    directory: &Path,
    built: &mut Vec<OsString>,
) -> Result<(), ToolError> {
    let Some(text) = members.get(&argument.from) else {
        return if argument.optional {
            Ok(())
        } else {
            Err(absent(&argument.from))
        };
    };
    let elements: Vec<(String, &str)> = if argument.each {
        let parsed: Vec<&RawValue> =
            serde_json::from_str(text).map_err(|_| unfit(&argument.from, "must be an array"))?;
        parsed
            .iter()
            .enumerate()
            .map(|(at, element)| (format!("{}/{at}", argument.from), element.get()))
            .collect()
    } else {
        vec![(argument.from.clone(), text)]
    };
    for (place, element) in elements {
        let word = word(&place, element)?;
        let word = if argument.path {
            absolute(&place, word, directory)?
        } else {
            OsString::from(word)
        };
        if !guarded && !argument.dash && word.as_encoded_bytes().starts_with(b"-") {
            return Err(unfit(
                &place,
                "must not begin with `-`, which could be read as an option",
            ));
        }
        if let Some(flag) = &argument.flag {
            built.push(flag.into());
        }
        built.push(word);
    }
    Ok(())
}

/// A string as it is, a number or boolean as JSON spells it.
fn word(place: &str, text: &str) -> Result<String, ToolError> {
    let word = match text.as_bytes().first() {
        Some(b'"') => {
            string(text).ok_or_else(|| unfit(place, "must be a string that can be read"))?
        }
        Some(b'{' | b'[' | b'n') | None => {
            return Err(unfit(place, "must be a string, a number or a boolean"));
        }
        Some(_) => text.to_owned(),
    };
    if word.contains('\0') {
        Err(unfit(place, "must hold no NUL character"))
    } else {
        Ok(word)
    }
}

fn absolute(place: &str, word: String, directory: &Path) -> Result<OsString, ToolError> {
    if word.is_empty() {
        return Err(unfit(place, "must be a path, which is not empty"));
    }
    Ok(directory.join(word).into_os_string())
}

fn string(text: &str) -> Option<String> {
    serde_json::from_str(text).ok()
}

/// The members of an input object, each as the text that was given.
struct Members<'a>(HashMap<String, &'a RawValue>);

impl<'a> Members<'a> {
    fn of(input: &'a Json) -> Result<Self, ToolError> {
        let members: BTreeMap<String, &'a RawValue> =
            serde_json::from_str(input.text()).map_err(|_| {
                ToolError::new(
                    ErrorKind::InvalidInput,
                    "the input is not an object, and its members are asked for",
                )
            })?;
        Ok(Self(members.into_iter().collect()))
    }

    fn get(&self, member: &str) -> Option<&'a str> {
        self.0.get(member).map(|value| value.get())
    }
}

fn absent(member: &str) -> ToolError {
    refuse(member, format!("the input member `{member}` is missing"))
}

fn unfit(place: &str, wanted: &str) -> ToolError {
    refuse(place, format!("the input member `{place}` {wanted}"))
}

fn refuse(place: &str, message: String) -> ToolError {
    let escaped: Vec<String> = place
        .split('/')
        .map(|part| part.replace('~', "~0"))
        .collect();
    let pointer = format!("/{}", escaped.join("/"));
    ToolError::new(ErrorKind::InvalidInput, message).with_details(json!({ "pointer": pointer }))
}

#[cfg(test)]
mod tests;
