//! The file of a recorded call: a line of JSON for what was asked, one for each block, one for how it ended.
//!
//! Each line is written when it is known, so that recording takes no memory and a call that was cut short leaves a file
//! that says so by its missing end.

use std::io::{BufRead, Read};

use lonis_schema::{ContentHash, ErrorKind, Json, ToolError, json};
use serde::{Deserialize, Serialize};

/// What the first line says it is.
pub(super) const MARKER: &str = "lonis.record/v1";
/// Bytes that a line may have: the longest block, and room for what stands around it.
const LONGEST_LINE_BYTES: u64 = 64 << 20;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) record: String,
    pub(super) tool: String,
    pub(super) recorded_at: String,
    pub(super) input: Json,
    pub(super) input_hash: ContentHash,
    /// Where in the input something is left out, as JSON Pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) masked: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) contract: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) contract_hash: Option<ContentHash>,
}

/// A line after the first one: a block with its hash, or the end.
///
/// Not an enum without a tag: a reader of one takes every value apart before it knows which it is.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) block: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) content_hash: Option<ContentHash>,
    /// A secret was left out of the block, so that it has another hash now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) masked: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) end: Option<Box<End>>,
}

/// How the call ended.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct End {
    /// Whether the call began; one that did not has an error and nothing else.
    pub(super) started: bool,
    pub(super) blocks: u64,
    pub(super) error: Option<ToolError>,
    /// The error is the host's, and may be completed with more details.
    pub(super) is_hosts_error: bool,
    /// The error was written by the tool, and nothing is added to it.
    pub(super) is_tools_error: bool,
    pub(super) notes: Vec<String>,
    pub(super) diagnostics: String,
    pub(super) outcome: Json,
}

/// Reads a record line by line.
pub(super) struct Lines {
    source: Box<dyn BufRead + Send>,
    number: u64,
}

impl Lines {
    pub(super) fn new(source: Box<dyn BufRead + Send>) -> Self {
        Self { source, number: 0 }
    }

    /// Returns the next line; `None` is the end of the file.
    pub(super) fn next<T: for<'de> Deserialize<'de>>(&mut self) -> Result<Option<T>, ToolError> {
        self.number += 1;
        let mut line = Vec::new();
        let mut limited = self.source.by_ref().take(LONGEST_LINE_BYTES + 1);
        let read = limited.read_until(b'\n', &mut line).map_err(|error| {
            ToolError::new(ErrorKind::Io, format!("the record cannot be read: {error}"))
        })?;
        if read == 0 {
            return Ok(None);
        }
        if line.len() as u64 > LONGEST_LINE_BYTES {
            return Err(self.wrong(&format!("has more than {LONGEST_LINE_BYTES} bytes")));
        }
        // A line that was cut is no line: whoever wrote it was ended meanwhile.
        if line.last() != Some(&b'\n') {
            return Err(self.cut());
        }
        let document = json::document(&line).map_err(|error| self.wrong(&error.to_string()))?;
        serde_json::from_str(document.text())
            .map(Some)
            .map_err(|error| self.wrong(&error.to_string()))
    }

    /// The error for a record that has no end.
    pub(super) fn cut(&self) -> ToolError {
        self.wrong("is where the record ends, before its call did")
    }

    /// The error for something that is wrong with the line that was read last.
    pub(super) fn wrong(&self, what: &str) -> ToolError {
        let message = format!("line {} of the record {what}", self.number);
        ToolError::new(ErrorKind::InvalidInput, message)
            .with_detail("line", serde_json::json!(self.number))
    }
}
