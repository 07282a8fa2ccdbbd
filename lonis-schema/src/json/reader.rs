//! Reads typed values from a whole JSON text, strictly and in one pass.
//!
//! Holds the same rules as the [`Scanner`](super::Scanner), which it is tested against, and names the same first bad byte.
//! It is the faster of the two and needs the whole text; the scanner can stop at any byte. Depth is bounded by
//! [`MAX_DEPTH`], so that recursion is.

mod deserialize;
mod key_set;
mod members;
mod refusal;
mod skip;

pub(crate) use refusal::{Reason, Refusal};

use std::borrow::Cow;

use super::error::{JsonError, JsonErrorReason};
use super::scan::{Escape, MAX_DEPTH, is_whitespace, read_escape, skip_plain, unescape};
use crate::number::{Number, NumberError};
use key_set::Key;

/// The name of the newtype that asks for a value's text instead of the value.
///
/// A reader of ours gives the text, without whitespace between tokens, as a string; any other deserializer gives the
/// value.
pub(crate) const TEXT_OF_VALUE: &str = "$lonis::TextOfValue";

/// The name of the newtype that asks a reader of ours for the part of the text that is the value, whitespace included.
pub(crate) const SLICE_OF_VALUE: &str = "$lonis::SliceOfValue";

/// Fewest bytes of a number without an exponent that can be beyond the doubles: the largest one has 309 digits.
const MIN_OVERFLOW_LENGTH: usize = 309;

/// Stands in a text between two tokens.
#[derive(Debug)]
pub(crate) struct Reader<'de> {
    text: &'de str,
    position: usize,
    /// Arrays and objects that are open.
    depth: usize,
    has_whitespace: bool,
    /// The key that was read last.
    key: Span,
    /// Whether the text is known to be one value that keeps every rule.
    is_known: bool,
    /// Whether whitespace may stand between tokens of a known value.
    is_spaced: bool,
}

/// Where a key stands, its quotes included.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    start: usize,
    end: usize,
    is_escaped: bool,
}

impl<'de> Reader<'de> {
    /// Stands before a value, which may have more behind it.
    pub(crate) fn new(text: &'de str) -> Self {
        Self {
            text,
            position: 0,
            depth: 0,
            has_whitespace: false,
            key: Span::default(),
            is_known: false,
            is_spaced: true,
        }
    }

    /// Stands before a value that was read or scanned before, and is the whole text.
    pub(crate) fn again(text: &'de str, is_spaced: bool) -> Self {
        Self {
            is_known: true,
            is_spaced,
            ..Self::new(text)
        }
    }

    /// Offset of the first byte that was not read.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Whether whitespace stood between tokens of the value so far.
    pub(crate) fn has_whitespace(&self) -> bool {
        self.has_whitespace
    }

    /// Checks that nothing but whitespace follows.
    pub(crate) fn end(&mut self) -> Result<(), Refusal> {
        self.skip_whitespace();
        if self.position == self.text.len() {
            return Ok(());
        }
        Err(self.unexpected("the end"))
    }

    /// The next byte that is no whitespace.
    fn peek(&mut self) -> Option<u8> {
        match self.byte() {
            Some(byte) if !is_whitespace(byte) => Some(byte),
            _ => {
                self.skip_whitespace();
                self.byte()
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn skip_whitespace(&mut self) {
        while self.byte().is_some_and(is_whitespace) {
            self.has_whitespace |= self.depth > 0;
            self.position += 1;
        }
    }

    #[cold]
    fn unexpected(&self, expected: &'static str) -> Refusal {
        JsonError::unexpected(self.text.as_bytes(), self.position, expected).into()
    }

    /// Opens an array or object at the bracket that stands next.
    fn open(&mut self) -> Result<(), Refusal> {
        if self.depth == MAX_DEPTH {
            let reason = JsonErrorReason::Depth { limit: MAX_DEPTH };
            return Err(JsonError::new(self.position, reason).into());
        }
        self.depth += 1;
        self.position += 1;
        Ok(())
    }

    /// Closes what was opened last, at the bracket that stands next.
    fn close(&mut self) {
        self.depth -= 1;
        self.position += 1;
    }

    /// Stands before the next element; false where the array has ended.
    fn next_element(&mut self, is_first: bool) -> Result<bool, Refusal> {
        match (self.peek(), is_first) {
            (Some(b']'), _) => {
                self.close();
                Ok(false)
            }
            (Some(b','), false) => {
                self.position += 1;
                // A bracket after a comma is met as a value that does not begin with it.
                Ok(true)
            }
            (Some(_), true) => Ok(true),
            (None, true) => Err(self.unexpected("a value or `]`")),
            (_, false) => Err(self.unexpected("`,` or `]`")),
        }
    }

    /// Reads the next key, which [`key`](Self::key) gives then; false where the object has ended.
    fn next_key(&mut self, is_first: bool) -> Result<bool, Refusal> {
        match (self.peek(), is_first) {
            (Some(b'"'), true) => {}
            (Some(b','), false) => {
                self.position += 1;
                if self.peek() != Some(b'"') {
                    return Err(self.unexpected("a key"));
                }
            }
            (Some(b'}'), _) => {
                self.close();
                return Ok(false);
            }
            (_, true) => return Err(self.unexpected("a key or `}`")),
            (_, false) => return Err(self.unexpected("`,` or `}`")),
        }
        // Kept apart, field by field: handed back in one piece, the key costs more than reading it.
        self.key.start = self.position;
        self.key.is_escaped = self.skip_string()?;
        self.key.end = self.position;
        Ok(true)
    }

    /// The key that was read last.
    fn key(&self) -> Key<'de> {
        let Span {
            start,
            end,
            is_escaped,
        } = self.key;
        Key {
            start,
            inside: &self.text[start + 1..end - 1],
            is_escaped,
        }
    }

    #[cold]
    fn duplicate_key(&self) -> Refusal {
        JsonError::duplicate_key(self.key.start, &self.key().characters()).into()
    }

    /// Reads the colon after a key.
    fn colon(&mut self) -> Result<(), Refusal> {
        if self.peek() != Some(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.position += 1;
        Ok(())
    }

    /// Reads the string whose quote stands next.
    fn string(&mut self) -> Result<Cow<'de, str>, Refusal> {
        let start = self.position + 1;
        let is_escaped = self.skip_string()?;
        let inside = &self.text[start..self.position - 1];
        Ok(if is_escaped {
            unescape(inside)
        } else {
            Cow::Borrowed(inside)
        })
    }

    /// Skips the string whose quote stands next, and tells whether it has escapes.
    fn skip_string(&mut self) -> Result<bool, Refusal> {
        let bytes = self.text.as_bytes();
        let mut is_escaped = false;
        self.position += 1;
        loop {
            self.position = skip_plain(bytes, self.position);
            match bytes.get(self.position) {
                Some(b'"') => {
                    self.position += 1;
                    return Ok(is_escaped);
                }
                Some(b'\\') => match read_escape(bytes, self.position)? {
                    Escape::Whole { length, .. } => {
                        self.position += length;
                        is_escaped = true;
                    }
                    Escape::Cut => {
                        self.position = bytes.len();
                        return Err(self.unexpected("the end of a string"));
                    }
                },
                Some(&control) => {
                    let reason = JsonErrorReason::ControlCharacter(control);
                    return Err(JsonError::new(self.position, reason).into());
                }
                None => return Err(self.unexpected("the end of a string")),
            }
        }
    }

    /// Reads the number that begins next: its text, and whether that is an integer literal.
    fn number(&mut self) -> Result<(&'de str, bool), Refusal> {
        let start = self.position;
        if self.byte() == Some(b'-') {
            self.position += 1;
        }
        if self.byte() == Some(b'0') {
            self.position += 1;
        } else {
            self.digits()?;
        }
        let mut is_integer = true;
        if self.byte() == Some(b'.') {
            self.position += 1;
            self.digits()?;
            is_integer = false;
        }
        let has_exponent = matches!(self.byte(), Some(b'e' | b'E'));
        if has_exponent {
            self.position += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.position += 1;
            }
            self.digits()?;
            is_integer = false;
        }
        let text = &self.text[start..self.position];
        if (has_exponent || text.len() >= MIN_OVERFLOW_LENGTH)
            && let Err(error @ NumberError::Overflow(_)) = Number::read(text)
        {
            return Err(JsonError::new(start, JsonErrorReason::Number(error)).into());
        }
        Ok((text, is_integer))
    }

    /// Reads one or more digits.
    fn digits(&mut self) -> Result<(), Refusal> {
        let start = self.position;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.position += 1;
        }
        if self.position > start {
            Ok(())
        } else {
            Err(self.unexpected("a digit"))
        }
    }

    /// Reads the word that begins next.
    fn word(&mut self, word: &'static str) -> Result<(), Refusal> {
        let rest = &self.text.as_bytes()[self.position..];
        let matched = rest
            .iter()
            .zip(word.as_bytes())
            .take_while(|(seen, letter)| seen == letter)
            .count();
        self.position += matched;
        if matched == word.len() {
            return Ok(());
        }
        Err(self.unexpected("`true`, `false` or `null`"))
    }
}

#[cfg(test)]
mod tests;
