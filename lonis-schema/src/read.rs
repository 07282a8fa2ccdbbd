//! Reads documents: rejected, accepted, or accepted with findings.

mod locate;

use crate::finding::Finding;
use crate::json::{self, JsonError, Scanned};
use serde::Deserialize;

/// A document that was accepted, with what it breaks all the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Read<T> {
    /// The document.
    pub value: T,
    /// The limits and formats that it breaks; empty for most.
    pub findings: Vec<Finding>,
}

/// Why a document was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text is not the JSON that Lonis reads.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The marker is of another envelope, or of a later version.
    #[error("unknown marker `{}`, expected `{expected}`", excerpt(seen))]
    Marker {
        /// The marker seen.
        seen: String,
        /// The marker that is read here.
        expected: &'static str,
    },
    /// A member is missing, unknown, or has the wrong type.
    #[error("{message} at `{pointer}`, byte {offset}")]
    Shape {
        /// What is wrong, with the name of the key.
        message: String,
        /// JSON Pointer to the innermost value that is wrong.
        pointer: String,
        /// Where that was seen, in bytes from the start of the text.
        offset: usize,
    },
}

impl ReadError {
    /// Returns where the text is wrong, in bytes from its start, where there is one such place.
    pub fn byte_offset(&self) -> Option<usize> {
        match self {
            Self::Json(error) => Some(error.offset()),
            Self::Shape { offset, .. } => Some(*offset),
            Self::Marker { .. } => None,
        }
    }
}

impl<T> Read<T> {
    /// Changes the document and keeps the findings.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Read<U> {
        Read {
            value: change(self.value),
            findings: self.findings,
        }
    }

    /// Returns the document where it breaks nothing.
    ///
    /// # Errors
    /// The findings, where there are some: what we build ourselves may break no limit.
    pub fn without_findings(self) -> Result<T, Vec<Finding>> {
        if self.findings.is_empty() {
            Ok(self.value)
        } else {
            Err(self.findings)
        }
    }
}

/// A document whose text was scanned: where its value stands in the text.
#[derive(Debug, Clone)]
pub(crate) struct Document<'a> {
    /// The value without what stands around it.
    pub(crate) value: &'a str,
    /// Where the value begins in the text.
    pub(crate) start: usize,
    /// Whether whitespace stands between its tokens.
    pub(crate) has_whitespace: bool,
}

impl<'a> From<Scanned<'a>> for Document<'a> {
    fn from(scanned: Scanned<'a>) -> Self {
        Self {
            value: scanned.text(),
            start: scanned.start(),
            has_whitespace: scanned.has_whitespace(),
        }
    }
}

impl<'a> Document<'a> {
    /// Scans a text that is one JSON value, with a byte order mark and whitespace around it allowed.
    pub(crate) fn scan(text: &'a str) -> Result<Self, ReadError> {
        Ok(Self::from(json::scan_document(text)?))
    }

    /// Makes a typed value of the text.
    pub(crate) fn typed<T: Deserialize<'a>>(&self) -> Result<T, ReadError> {
        serde_json::from_str(self.value).map_err(|error| self.shape_error(&error, self.value, ""))
    }

    /// Says what is wrong with a part of the value, to which `pointer` leads.
    pub(crate) fn shape_error(
        &self,
        error: &serde_json::Error,
        part: &str,
        pointer: &str,
    ) -> ReadError {
        let offset_in_part = locate::offset(error, part);
        let offset_of_part = part.as_ptr() as usize - self.value.as_ptr() as usize;
        ReadError::Shape {
            message: locate::message(error),
            pointer: format!("{pointer}{}", locate::pointer(part, offset_in_part)),
            offset: self.start + offset_of_part + offset_in_part,
        }
    }
}

/// Cuts a text of unknown length for a message.
fn excerpt(text: &str) -> String {
    match text.char_indices().nth(256) {
        None => text.escape_debug().to_string(),
        Some((end, _)) => format!("{}…", text[..end].escape_debug()),
    }
}
