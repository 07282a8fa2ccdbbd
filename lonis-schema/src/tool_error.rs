//! The one structured error at the edge.

use crate::read::{Document, ReadError};
use crate::{Json, exit_code};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// Longest message of our own, in bytes.
const MAX_MESSAGE_BYTES: usize = 4096;

/// One structured error: what a failed call writes to stderr.
///
/// The kind decides; the exit code alone has no meaning.
///
/// # Wire shape
/// An open object: unknown keys are not understood, but passed on.
/// ```
/// let text = r#"{"kind":"not_found","message":"unknown key `a`","exit_code":3,"retry":false}"#;
/// let error = lonis_schema::ToolError::read(text)?;
/// assert_eq!(error.kind(), &lonis_schema::ErrorKind::NotFound);
/// assert_eq!(serde_json::to_string(&error).unwrap(), text);
/// # Ok::<(), lonis_schema::ReadError>(())
/// ```
///
/// # Units and bounds
/// `message`: ours has at most 4096 bytes; a received one may have more. `exit_code`: 0 to 255.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", Words(self))]
pub struct ToolError {
    kind: ErrorKind,
    message: String,
    details: Option<Json>,
    exit_code: u8,
    /// Members that are not understood here, in the order received.
    unknown: Vec<(String, Json)>,
}

macro_rules! error_kinds {
    ($($(#[$meta:meta])* $variant:ident = $word:literal => $code:ident,)+) => {
        /// The kind of a [`ToolError`]: those that a host raises, and any other word.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$meta])* $variant,)+
            /// Any other kind, as the tool wrote it.
            Other(Box<str>),
        }

        impl ErrorKind {
            /// Returns the word on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(word) => word,
                }
            }

            /// Returns the exit code of an error of this kind that is our own.
            pub const fn exit_code(&self) -> u8 {
                match self {
                    $(Self::$variant => exit_code::$code,)+
                    Self::Other(_) => exit_code::GENERIC,
                }
            }
        }

        impl From<&str> for ErrorKind {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    _ => Self::Other(word.into()),
                }
            }
        }
    };
}

error_kinds! {
    /// Usage, the input or a tool name is wrong, or the input breaks the contract's schema.
    InvalidInput = "invalid_input" => INVALID_INPUT,
    /// A tool refuses a well-formed input.
    BadInput = "bad_input" => INVALID_INPUT,
    /// A configuration file cannot be used.
    InvalidConfig = "invalid_config" => INVALID_INPUT,
    /// No such tool, schema or provider.
    NotFound = "not_found" => NOT_FOUND,
    /// A second tool for one id.
    AlreadyRegistered = "already_registered" => GENERIC,
    /// Somebody has to agree first.
    ConfirmationRequired = "confirmation_required" => CONFIRMATION_REQUIRED,
    /// A policy forbids it.
    Denied = "denied" => CONFIRMATION_REQUIRED,
    /// Too many calls; reserved for tools.
    RateLimited = "rate_limited" => RATE_LIMITED,
    /// The caller cancelled.
    Cancelled = "cancelled" => GENERIC,
    /// The program cannot be started: missing, no program, not executable.
    Unavailable = "unavailable" => TOOL_FAILED,
    /// The tool failed without an error of its own.
    ToolFailed = "tool_failed" => TOOL_FAILED,
    /// The wall clock ran out.
    Timeout = "timeout" => LIMIT_EXCEEDED,
    /// More output than allowed.
    OutputLimitExceeded = "output_limit_exceeded" => LIMIT_EXCEEDED,
    /// Any other bound was broken.
    LimitExceeded = "limit_exceeded" => LIMIT_EXCEEDED,
    /// The system refused to read, write or spawn.
    Io = "io" => IO,
    /// Output is not what the wire contract allows.
    InvalidOutput = "invalid_output" => SERIALIZATION,
    /// A value of ours cannot be written.
    Serialization = "serialization" => SERIALIZATION,
    /// A provider speaks an unknown protocol.
    UnsupportedProtocol = "unsupported_protocol" => NOT_IMPLEMENTED,
    /// The operation, bound or level does not exist here.
    NotImplemented = "not_implemented" => NOT_IMPLEMENTED,
    /// An invariant of the program itself is broken.
    Internal = "internal" => INTERNAL,
}

impl ToolError {
    /// Makes an error whose exit code follows from its kind.
    ///
    /// # Units and bounds
    /// A message is cut to 4096 bytes, at a character's end.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let mut message = message.into();
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
        let exit_code = kind.exit_code();
        Self {
            kind,
            message,
            details: None,
            exit_code,
            unknown: Vec::new(),
        }
    }

    /// Reads an error whose exit code is there.
    ///
    /// # Errors
    /// [`ReadError`], where the text is not strict JSON, or a key is missing or of the wrong type.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        Document::read(text).map(|(value, _)| value)
    }

    /// Reads what a child wrote as the whole of its stderr: a missing exit code is the child's own.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_from_child(text: &str, child_code: u8) -> Result<Self, ReadError> {
        let (MayLackCode(error), _) = Document::read(text)?;
        Ok(error.settle_exit_code(child_code))
    }

    /// Replaces an exit code of 0, which no failure has: by the child's own, or where that is 0 too, by 6.
    pub fn settle_exit_code(mut self, child_code: u8) -> Self {
        if self.exit_code == exit_code::SUCCESS {
            self.exit_code = if child_code == exit_code::SUCCESS {
                exit_code::TOOL_FAILED
            } else {
                child_code
            };
        }
        self
    }

    /// Sets the exit code.
    pub fn with_exit_code(mut self, code: u8) -> Self {
        self.exit_code = code;
        self
    }

    /// Sets the details, replacing what was there; `null` is none.
    pub fn with_details(mut self, details: impl Into<Json>) -> Self {
        self.details = Some(details.into()).filter(|details| details.text() != "null");
        self
    }

    /// Adds one member to the details; details that are no object are kept under `value`.
    ///
    /// Members keep their text. One that would nest the details deeper than JSON is read is left out.
    pub fn with_detail(mut self, name: &str, value: impl Into<Json>) -> Self {
        let mut members: BTreeMap<String, Json> = match &self.details {
            None => BTreeMap::new(),
            Some(details) => serde_json::from_str(details.text())
                .unwrap_or_else(|_| BTreeMap::from([("value".to_owned(), details.clone())])),
        };
        members.insert(name.to_owned(), value.into());
        let written = serde_json::to_string(&members).ok();
        if let Some(details) = written.and_then(|text| Json::parse(&text).ok()) {
            self.details = Some(details);
        }
        self
    }

    /// Adds a remedy as `details.hint`.
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        self.with_detail("hint", serde_json::Value::String(hint.into()))
    }

    /// Returns the kind.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Returns the message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the details.
    pub fn details(&self) -> Option<&Json> {
        self.details.as_ref()
    }

    /// Returns the exit code.
    pub fn exit_code(&self) -> u8 {
        self.exit_code
    }
}

/// An error as one text; a kind or a message that says nothing, as a tool may send it, leaves no gap in it.
struct Words<'a>(&'a ToolError);

impl fmt::Display for Words<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ToolError {
            kind,
            message,
            exit_code,
            ..
        } = self.0;
        match (kind.as_str().trim(), message.trim()) {
            ("", "") => write!(
                formatter,
                "neither a kind nor a message was given (exit code {exit_code})"
            ),
            ("", _) => formatter.write_str(message),
            (_, "") => write!(
                formatter,
                "{kind}: no message was given (exit code {exit_code})"
            ),
            _ => write!(formatter, "{kind}: {message}"),
        }
    }
}

impl From<String> for ErrorKind {
    fn from(word: String) -> Self {
        Self::from(&*word)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl Serialize for ErrorKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ErrorKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl Serialize for ToolError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", &self.kind)?;
        map.serialize_entry("message", &self.message)?;
        if let Some(details) = &self.details {
            map.serialize_entry("details", details)?;
        }
        map.serialize_entry("exit_code", &self.exit_code)?;
        for (key, value) in &self.unknown {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ToolError {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (error, has_code) = deserializer.deserialize_map(ToolErrorVisitor)?;
        if has_code {
            Ok(error)
        } else {
            Err(D::Error::missing_field("exit_code"))
        }
    }
}

/// An error that may come without an exit code; that is 0 then.
struct MayLackCode(ToolError);

impl<'de> Deserialize<'de> for MayLackCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_map(ToolErrorVisitor)
            .map(|(error, _)| Self(error))
    }
}

/// A count in the position of a value.
struct ExitCode(u8);

impl<'de> Deserialize<'de> for ExitCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::wire_number::count(deserializer).map(Self)
    }
}

/// Reads an error, and whether it has an exit code.
struct ToolErrorVisitor;

impl<'de> Visitor<'de> for ToolErrorVisitor {
    type Value = (ToolError, bool);

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an error object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut kind, mut message, mut details, mut exit_code) = (None, None, None, None);
        let mut unknown = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "kind" => kind = Some(map.next_value()?),
                "message" => message = Some(map.next_value()?),
                "details" => details = map.next_value::<Option<Json>>()?,
                "exit_code" => exit_code = Some(map.next_value::<ExitCode>()?.0),
                _ => unknown.push((key, map.next_value()?)),
            }
        }
        let error = ToolError {
            kind: kind.ok_or_else(|| A::Error::missing_field("kind"))?,
            message: message.ok_or_else(|| A::Error::missing_field("message"))?,
            details,
            exit_code: exit_code.unwrap_or_default(),
            unknown,
        };
        Ok((error, exit_code.is_some()))
    }
}

#[cfg(test)]
mod tests;
