//! Reads documents: rejected, accepted, or accepted with findings.

mod locate;

use crate::finding::Finding;
use crate::json::reader::{Reader, Reason, Refusal};
use crate::json::scan::is_whitespace;
use crate::json::{self, BYTE_ORDER_MARK, JsonError, Scanned};
use crate::place::Place;
use serde::Deserialize;
use std::ops::Range;

/// A document that was accepted, with what it breaks all the same.
///
/// # Example
/// ```
/// use lonis_schema::{ReadError, SeedBlock};
///
/// let text = r#"{"schema_version":"lonis.block/v1",
///     "attribution":{"identity":"a:b","provenance":{"when":"yesterday","producer":"a:b"}},
///     "payload":{"kind":"message","data":{"content":"hello"}}}"#;
/// let read = SeedBlock::read(text)?;
/// assert_eq!(read.value.render_human(), "message: hello");
/// assert_eq!(read.findings[0].pointer(), "/attribution/provenance/when");
/// # Ok::<(), ReadError>(())
/// ```
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
    #[error("{message} at {}, byte {offset}", Place(pointer))]
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

    /// Returns the same error in a text where this one begins at `base`.
    pub fn shifted(self, base: usize) -> Self {
        match self {
            Self::Json(error) => Self::Json(error.shifted(base)),
            Self::Shape {
                message,
                pointer,
                offset,
            } => Self::Shape {
                message,
                pointer,
                offset: offset.saturating_add(base),
            },
            marker @ Self::Marker { .. } => marker,
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

/// A document that was read: its value, and where that stands in the text.
#[derive(Debug, Clone)]
pub(crate) struct Document<'a> {
    /// The value without what stands around it.
    pub(crate) value: &'a str,
    /// Where the value begins in the text, after a byte order mark and whitespace.
    start: usize,
    /// Whether whitespace stands between its tokens.
    pub(crate) has_whitespace: bool,
}

/// The same without a claim on the text.
#[derive(Debug)]
pub(crate) struct DetachedDocument {
    place: Range<usize>,
    has_whitespace: bool,
}

impl DetachedDocument {
    /// Takes hold of the text again.
    pub(crate) fn in_text(self, text: &str) -> Option<Document<'_>> {
        Document::at(text, self.place, self.has_whitespace)
    }
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
    /// Reads a text that is one JSON value, with a byte order mark and whitespace around it allowed.
    ///
    /// What is no JSON is told before what has another shape, wherever either stands, so that a text is refused for the
    /// same reason whether it was scanned before it was read or not.
    pub(crate) fn read<T: Deserialize<'a>>(text: &'a str) -> Result<(T, Self), ReadError> {
        let unmarked = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let rest = skip_whitespace(unmarked);
        let mut reader = Reader::new(rest);
        let mut end = rest.len();
        let value = T::deserialize(&mut reader).and_then(|value| {
            end = reader.position();
            reader.end()?;
            Ok(value)
        });
        match value {
            Ok(value) => Ok((
                value,
                Self {
                    value: &rest[..end],
                    start: text.len() - rest.len(),
                    has_whitespace: reader.has_whitespace(),
                },
            )),
            Err(refusal) => Err(Self::from(json::scan_document(text)?).error(refusal, rest, "")),
        }
    }

    /// Stands before the first value of a text that may go on behind it, and tells where it begins.
    pub(crate) fn front(text: &'a str) -> (Reader<'a>, usize) {
        let front = skip_whitespace(text);
        (Reader::new(front), text.len() - front.len())
    }

    /// Returns the value at a place of a text where it was read.
    pub(crate) fn at(text: &'a str, place: Range<usize>, has_whitespace: bool) -> Option<Self> {
        Some(Self {
            start: place.start,
            value: text.get(place)?,
            has_whitespace,
        })
    }

    /// Lets go of the text.
    pub(crate) fn detach(self) -> DetachedDocument {
        DetachedDocument {
            place: self.start..self.start + self.value.len(),
            has_whitespace: self.has_whitespace,
        }
    }

    /// Reads a text that was scanned.
    pub(crate) fn read_scanned<T: Deserialize<'a>>(
        scanned: Scanned<'a>,
    ) -> Result<(T, Self), ReadError> {
        let document = Self::from(scanned);
        match T::deserialize(&mut document.reader_of(document.value)) {
            Ok(value) => Ok((value, document)),
            Err(refusal) => Err(document.error(refusal, document.value, "")),
        }
    }

    /// Returns a reader of a part of the value that is a value itself.
    pub(crate) fn reader_of(&self, part: &'a str) -> Reader<'a> {
        Reader::again(part, self.has_whitespace)
    }

    /// Says why a part of the value, to which `pointer` leads, is refused.
    pub(crate) fn error(&self, refusal: Refusal, part: &str, pointer: &str) -> ReadError {
        let start_of_part = self.start + (part.as_ptr() as usize - self.value.as_ptr() as usize);
        match refusal.into_reason() {
            Reason::Json(error) => ReadError::Json(error.shifted(start_of_part)),
            Reason::Shape { message, offset } => {
                let offset = offset.unwrap_or_default();
                let place = locate::pointer(part, offset);
                ReadError::Shape {
                    message,
                    pointer: format!("{pointer}{place}"),
                    offset: start_of_part + offset,
                }
            }
        }
    }
}

/// Tells whether nothing but whitespace follows in a text from `end` on.
pub(crate) fn is_end(text: &str, end: usize) -> bool {
    text[end..].bytes().all(is_whitespace)
}

fn skip_whitespace(text: &str) -> &str {
    text.trim_start_matches(|letter| u8::try_from(letter).is_ok_and(is_whitespace))
}

/// Cuts a text of unknown length for a message.
fn excerpt(text: &str) -> String {
    match text.char_indices().nth(256) {
        None => text.escape_debug().to_string(),
        Some((end, _)) => format!("{}…", text[..end].escape_debug()),
    }
}
