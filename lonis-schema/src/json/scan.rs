//! The one reader of JSON text: strict, without recursion, and able to stop at any byte and go on.
//!
//! Owns what a JSON text may be: the grammar, the limit on nesting, keys that stand once, numbers that a double can hold,
//! escapes that name characters. It finds where a value ends and builds nothing; typed conversion comes after it.

mod keys;
mod levels;
mod string;
mod token;

pub(crate) use keys::tag;
pub(crate) use string::{Escape, read_escape, skip_plain, skip_string, try_unescape, unescape};

use super::error::{JsonError, JsonErrorReason};
use crate::number::Grammar;
use keys::Keys;
use levels::Levels;

/// Levels of arrays and objects that are read.
///
/// # Units and bounds
/// A scalar has none, `[]` has one.
pub const MAX_DEPTH: usize = 127;

/// Finds the end of one JSON value in a buffer that grows.
///
/// The buffer begins with the value (whitespace before it is allowed), keeps what it holds, and gets longer between
/// calls. A byte is looked at once, however the value is cut, save the few bytes of an escape that the cut splits.
///
/// # Example
/// ```
/// use lonis_schema::json::{Scan, Scanner};
///
/// let mut scanner = Scanner::new();
/// assert_eq!(scanner.scan(br#"{"a":"#)?, Scan::Incomplete);
/// assert_eq!(scanner.scan(br#"{"a":[1]} {"#)?, Scan::Complete { end: 9 });
/// # Ok::<(), lonis_schema::json::JsonError>(())
/// ```
#[derive(Debug)]
pub struct Scanner {
    position: usize,
    state: State,
    levels: Levels,
    keys: Keys,
    has_whitespace: bool,
    /// Where the value begins, after whitespace.
    start: usize,
    max_depth: usize,
}

/// How far a scan came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// The value is whole.
    Complete {
        /// Offset of the byte after it.
        end: usize,
    },
    /// Every byte so far is right, and the value needs more.
    Incomplete,
}

/// A value that a [`Scanner`] found whole: no later reader has to scan it again.
#[derive(Debug, Clone, Copy)]
pub struct Scanned<'a> {
    text: &'a str,
    start: usize,
    has_whitespace: bool,
}

/// What the next byte may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Value,
    /// After `[`.
    FirstElement,
    /// After `{`.
    FirstKey,
    /// After a comma in an object.
    Key,
    Colon,
    /// After a value inside an array or object.
    Comma,
    /// Inside a string, after its quote at `start`.
    String {
        start: usize,
        role: Role,
        is_escaped: bool,
    },
    Number {
        start: usize,
        grammar: Grammar,
    },
    /// Inside `true`, `false` or `null`, whose first `matched` bytes were seen.
    Word {
        word: &'static [u8],
        matched: usize,
    },
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Key,
    Value,
}

impl<'a> Scanned<'a> {
    /// Returns the value's text, without what stands around it.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns where the value begins.
    ///
    /// # Units and bounds
    /// Bytes from the start of the buffer that was scanned, or of the document that was read.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Returns whether whitespace stands between its tokens.
    pub fn has_whitespace(&self) -> bool {
        self.has_whitespace
    }

    pub(crate) fn shifted(mut self, base: usize) -> Self {
        self.start += base;
        self
    }
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// Stands at the start of a value.
    pub fn new() -> Self {
        Self::with_max_depth(MAX_DEPTH)
    }

    /// Stands at the start of a value that will be put into others, and may have fewer levels for it.
    ///
    /// # Units and bounds
    /// Levels of arrays and objects, at most [`MAX_DEPTH`]; a higher number means that.
    pub fn with_max_depth(max_depth: usize) -> Self {
        Self {
            position: 0,
            state: State::Value,
            levels: Levels::default(),
            keys: Keys::default(),
            has_whitespace: false,
            start: 0,
            max_depth: max_depth.min(MAX_DEPTH),
        }
    }

    /// Makes ready for another value, keeping what was allocated.
    pub fn reset(&mut self) {
        self.position = 0;
        self.state = State::Value;
        self.levels = Levels::default();
        self.keys.clear();
        self.has_whitespace = false;
        self.start = 0;
    }

    /// Returns whether whitespace stood between tokens of the value so far.
    pub fn has_whitespace(&self) -> bool {
        self.has_whitespace
    }

    /// Returns the value that was scanned, if it is whole, in the buffer that it was scanned in.
    pub fn scanned<'a>(&self, buffer: &'a str) -> Option<Scanned<'a>> {
        let text = buffer
            .get(self.start..self.position)
            .filter(|_| self.state == State::Done)?;
        Some(Scanned {
            text,
            start: self.start,
            has_whitespace: self.has_whitespace,
        })
    }

    /// Goes on where the last call stopped.
    ///
    /// A number outside of arrays and objects ends with the byte after it, or by [`finish`](Self::finish). The buffer is
    /// taken to be UTF-8 that ends between two characters; other bytes are not looked for inside strings.
    ///
    /// # Errors
    /// The first byte that breaks a rule, counted from the start of the buffer. After an error the scanner is of no use
    /// until it is reset.
    pub fn scan(&mut self, buffer: &[u8]) -> Result<Scan, JsonError> {
        while let Some(&byte) = buffer.get(self.position) {
            match self.state {
                State::String {
                    start,
                    role,
                    is_escaped,
                } => {
                    if !self.string(buffer, start, role, is_escaped)? {
                        return Ok(Scan::Incomplete);
                    }
                }
                State::Number { start, grammar } => self.number(buffer, start, grammar)?,
                State::Word { word, matched } => self.word(buffer, word, matched)?,
                State::Done => break,
                _ if is_whitespace(byte) => self.whitespace(buffer),
                _ => {
                    if !self.token(buffer, byte)? {
                        return Ok(Scan::Incomplete);
                    }
                }
            }
        }
        Ok(match self.state {
            State::Done => Scan::Complete { end: self.position },
            _ => Scan::Incomplete,
        })
    }

    /// Goes on to the end of the buffer, after which nothing comes, and gives the offset after the value.
    ///
    /// # Errors
    /// Those of [`scan`](Self::scan), and `End` where the value is not whole.
    pub fn finish(&mut self, buffer: &[u8]) -> Result<usize, JsonError> {
        self.scan(buffer)?;
        if let State::Number { start, grammar } = self.state
            && grammar.is_complete()
        {
            self.end_number(buffer, start, grammar)?;
        }
        if self.state == State::Done {
            return Ok(self.position);
        }
        let expected = self.expected();
        Err(JsonError::new(
            buffer.len(),
            JsonErrorReason::End { expected },
        ))
    }

    fn whitespace(&mut self, buffer: &[u8]) {
        let is_inside = self.levels.innermost().is_some();
        self.has_whitespace |= is_inside;
        while buffer
            .get(self.position)
            .copied()
            .is_some_and(is_whitespace)
        {
            self.position += 1;
        }
        if !is_inside {
            self.start = self.position;
        }
    }
}

/// Whether JSON allows `byte` between tokens.
pub(crate) fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

#[cfg(test)]
mod tests;
