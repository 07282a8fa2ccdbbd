//! Why a text is not the JSON that Lonis reads, and where.

use std::fmt;

use crate::number::NumberError;

/// How much of a refused key a message repeats.
const MAX_EXCERPT_CHARS: usize = 64;

/// The first byte that breaks a rule, and the rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {offset}")]
pub struct JsonError {
    offset: usize,
    reason: JsonErrorReason,
}

/// The rule that a text breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonErrorReason {
    /// Another byte than the grammar allows here.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What the grammar allows.
        expected: &'static str,
        /// What stands there.
        found: Found,
    },
    /// The text ends inside a value, or before one.
    #[error("expected {expected}, found the end")]
    End {
        /// What the grammar allows.
        expected: &'static str,
    },
    /// A key stands twice in one object, however it was spelled; the offset is that of the second one.
    #[error("duplicate key `{0}`")]
    DuplicateKey(String),
    /// A value opens one level more than are read.
    #[error("nested deeper than the limit of {limit} levels")]
    Depth {
        /// How many levels are read.
        limit: usize,
    },
    /// An escaped surrogate has no partner.
    #[error("lone surrogate `\\u{0:04x}`")]
    LoneSurrogate(u16),
    /// A control character stands in a string without an escape.
    #[error("control character U+{0:04X} in a string without an escape")]
    ControlCharacter(u8),
    /// A number that no double can hold.
    #[error(transparent)]
    Number(NumberError),
    /// A byte that is not UTF-8.
    #[error("byte 0x{0:02X} is not UTF-8")]
    NotUtf8(u8),
}

/// What stands where something else was expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found(char);

impl JsonError {
    pub(crate) fn new(offset: usize, reason: JsonErrorReason) -> Self {
        Self { offset, reason }
    }

    /// Returns where the first bad byte stands; for a duplicate key, where the second key begins.
    ///
    /// # Units and bounds
    /// Bytes from the start of the text that was read, a byte order mark included.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the rule that was broken.
    pub fn reason(&self) -> &JsonErrorReason {
        &self.reason
    }

    /// Returns the same error in a text where this one begins at `base`.
    pub fn shifted(mut self, base: usize) -> Self {
        self.offset = self.offset.saturating_add(base);
        self
    }

    /// Returns whether more bytes could have made the text whole.
    pub fn is_truncation(&self) -> bool {
        matches!(self.reason, JsonErrorReason::End { .. })
    }

    /// Names the character at `offset`, or the end of the text.
    pub(crate) fn unexpected(text: &[u8], offset: usize, expected: &'static str) -> Self {
        let reason = match Found::at(text, offset) {
            Some(found) => JsonErrorReason::Unexpected { expected, found },
            None => JsonErrorReason::End { expected },
        };
        Self::new(offset, reason)
    }

    pub(crate) fn duplicate_key(offset: usize, key: &str) -> Self {
        let excerpt = match key.char_indices().nth(MAX_EXCERPT_CHARS) {
            None => key.escape_debug().to_string(),
            Some((end, _)) => format!("{}…", key[..end].escape_debug()),
        };
        Self::new(offset, JsonErrorReason::DuplicateKey(excerpt))
    }
}

impl Found {
    /// Names the character at `offset`; none at the end of the text.
    pub fn at(text: &[u8], offset: usize) -> Option<Self> {
        let rest = text.get(offset..)?;
        let window = &rest[..rest.len().min(4)];
        // A character that is cut by the window's end is not its first one.
        let valid = window.utf8_chunks().next()?.valid();
        Some(Self(
            valid.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER),
        ))
    }
}

impl fmt::Display for Found {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            '\u{feff}' => formatter.write_str("a byte order mark"),
            '\n' => formatter.write_str("a line end"),
            other => write!(formatter, "`{}`", other.escape_debug()),
        }
    }
}
