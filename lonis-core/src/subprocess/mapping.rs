//! What a tool's stdout means: blocks, or values, lines or text that become `result` blocks.

mod lines;
mod text;

pub(crate) use lines::Lines;
pub(crate) use text::Text;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lonis_schema::{ErrorKind, Json, Place, ToolError};
use serde_json::{Map, Value, json};

use super::decode::{DecodeError, DecodeErrorReason, Decoder};
use crate::limits::Bound;

/// What a tool's stdout is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum StdoutMapping {
    /// Blocks in any form of the wire contract: an array, one a line, pretty-printed or mixed.
    #[default]
    Blocks,
    /// JSON values one after the other; each becomes a `result`, an array as one value.
    Json,
    /// Lines; each becomes a `result` with the output `{"line": …}`.
    Lines,
    /// One text; it becomes one `result` with the output `{"stdout": …}`.
    Text,
}

/// What the `lines` and `text` mappings do with bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TextEncoding {
    /// Bytes that are not UTF-8 are an error.
    #[default]
    Utf8,
    /// The bytes are given in base64: `stdout_base64` and `line_base64`.
    Base64,
    /// Bytes that are not UTF-8 become U+FFFD, and `"lossy": true` stands beside the text.
    Lossy,
}

impl TextEncoding {
    /// Writes bytes as the output of a `result`, under a name that says how they are encoded.
    ///
    /// `offset` is where the bytes begin in stdout.
    fn output(self, name: &str, bytes: &[u8], offset: u64) -> Result<Json, OutputError> {
        let mut output = Map::new();
        match self {
            Self::Utf8 => {
                let text = std::str::from_utf8(bytes).map_err(|error| OutputError::NotUtf8 {
                    byte_offset: offset + error.valid_up_to() as u64,
                })?;
                output.insert(name.to_owned(), text.into());
            }
            Self::Base64 => {
                output.insert(format!("{name}_base64"), STANDARD.encode(bytes).into());
            }
            Self::Lossy => {
                output.insert(name.to_owned(), String::from_utf8_lossy(bytes).into());
                output.insert("lossy".to_owned(), true.into());
            }
        }
        Ok(Json::from(Value::Object(output)))
    }
}

/// Why stdout cannot be read as its mapping says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum OutputError {
    /// The bytes are no sequence of JSON values.
    #[error("stdout: {error}")]
    Json {
        /// Where and why.
        error: DecodeError,
        /// What stands there, escaped.
        excerpt: String,
    },
    /// A value is no block.
    #[error("stdout, block {number}: {reason}")]
    NotABlock {
        /// The number of the value, from 1.
        number: u64,
        /// Why not.
        reason: String,
        /// Where in stdout that shows.
        byte_offset: u64,
    },
    /// A byte is not part of UTF-8.
    #[error("stdout is not UTF-8 at byte {byte_offset}")]
    NotUtf8 {
        /// Where the byte stands in stdout.
        byte_offset: u64,
    },
    /// An output is not what the tool's definition says that it is.
    #[error(
        "output {number} breaks `output_json_schema` at {}: {problem}",
        Place(pointer)
    )]
    BreaksSchema {
        /// The number of the output, from 1.
        number: u64,
        /// JSON Pointer into the output.
        pointer: String,
        /// What is wrong there.
        problem: String,
    },
    /// One block, value or line is longer than allowed.
    #[error(
        "stdout has a {unit} longer than the limit of {limit_bytes} bytes at byte {byte_offset}"
    )]
    TooLong {
        /// What it is.
        unit: &'static str,
        /// The limit.
        limit_bytes: u64,
        /// Where it begins in stdout.
        byte_offset: u64,
    },
}

impl OutputError {
    /// Returns the error that a decoder has come to.
    pub(crate) fn of_decoder(decoder: &Decoder, error: DecodeError) -> Self {
        match error.reason() {
            DecodeErrorReason::TooLong { limit_bytes } => Self::TooLong {
                unit: "value",
                limit_bytes: *limit_bytes as u64,
                byte_offset: error.offset(),
            },
            _ => Self::Json {
                excerpt: decoder.excerpt().unwrap_or_default(),
                error,
            },
        }
    }

    /// Returns whether the output broke a bound: then nothing that follows could change the reason.
    pub(crate) fn is_breach(&self) -> bool {
        matches!(self, Self::TooLong { .. })
    }

    /// Returns whether the output ended in a value, or before the end of one that is too long.
    pub(crate) fn is_in_unfinished_value(&self) -> bool {
        match self {
            Self::Json { error, .. } => {
                matches!(error.reason(), DecodeErrorReason::Truncated { .. })
            }
            Self::TooLong { .. } => true,
            Self::NotABlock { .. } | Self::NotUtf8 { .. } | Self::BreaksSchema { .. } => false,
        }
    }

    /// Returns the error for the caller.
    pub(crate) fn to_tool_error(&self) -> ToolError {
        let (kind, details) = match self {
            Self::Json { error, excerpt } => (
                ErrorKind::InvalidOutput,
                json!({"byte_offset": error.offset(), "line": error.line(), "excerpt": excerpt}),
            ),
            Self::NotABlock { byte_offset, .. } | Self::NotUtf8 { byte_offset } => (
                ErrorKind::InvalidOutput,
                json!({"byte_offset": byte_offset}),
            ),
            Self::BreaksSchema { pointer, .. } => {
                (ErrorKind::InvalidOutput, json!({ "pointer": pointer }))
            }
            Self::TooLong {
                limit_bytes,
                byte_offset,
                ..
            } => (
                ErrorKind::OutputLimitExceeded,
                json!({
                    "bound": Bound::MaxBlockBytes.name(),
                    "stream": "stdout",
                    "limit_bytes": limit_bytes,
                    "byte_offset": byte_offset,
                }),
            ),
        };
        ToolError::new(kind, self.to_string()).with_details(details)
    }
}
