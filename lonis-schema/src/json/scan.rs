//! The one reader of JSON text: strict, without recursion, and able to stop at any byte and go on.
//!
//! Owns what a JSON text may be: the grammar, the limit on nesting, keys that stand once, numbers that a double can hold,
//! escapes that name characters. It finds where a value ends and builds nothing; typed conversion comes after it.

mod keys;
mod levels;
mod string;

pub(crate) use string::{Escape, read_escape, skip_plain, skip_string, try_unescape, unescape};

use super::error::{JsonError, JsonErrorReason};
use crate::number::{Grammar, Number, NumberError};
use keys::Keys;
use levels::{Level, Levels};

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
    /// The value's text, without what stands around it.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Where the value begins.
    ///
    /// # Units and bounds
    /// Bytes from the start of the buffer that was scanned, or of the document that was read.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Whether whitespace stands between its tokens.
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

    /// Whether whitespace stood between tokens of the value so far.
    pub fn has_whitespace(&self) -> bool {
        self.has_whitespace
    }

    /// The value that was scanned, if it is whole, in the buffer that it was scanned in.
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
                _ => self.token(buffer, byte)?,
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

    /// Reads a byte that begins or is a token.
    fn token(&mut self, buffer: &[u8], byte: u8) -> Result<(), JsonError> {
        let at = self.position;
        self.position += 1;
        match (self.state, byte) {
            (State::Colon, b':') => self.state = State::Value,
            (State::FirstKey | State::Key, b'"') => self.begin_string(Role::Key),
            (State::Value | State::FirstElement, b'"') => self.begin_string(Role::Value),
            (State::Value | State::FirstElement, b'{') => {
                self.open(Level::Object, at)?;
                self.keys.begin_object();
                self.state = State::FirstKey;
            }
            (State::Value | State::FirstElement, b'[') => {
                self.open(Level::Array, at)?;
                self.state = State::FirstElement;
            }
            (State::Value | State::FirstElement, b'-' | b'0'..=b'9') => {
                let grammar = Grammar::Start
                    .step(byte)
                    .expect("a number begins with a sign or a digit");
                self.state = State::Number { start: at, grammar };
            }
            (State::Value | State::FirstElement, b't') => {
                self.state = State::Word {
                    word: b"true",
                    matched: 1,
                }
            }
            (State::Value | State::FirstElement, b'f') => {
                self.state = State::Word {
                    word: b"false",
                    matched: 1,
                }
            }
            (State::Value | State::FirstElement, b'n') => {
                self.state = State::Word {
                    word: b"null",
                    matched: 1,
                }
            }
            (State::Comma, b',') => {
                self.state = match self.levels.innermost() {
                    Some(Level::Object) => State::Key,
                    _ => State::Value,
                };
            }
            (State::FirstKey, b'}') | (State::FirstElement, b']') => self.close(),
            (State::Comma, b'}') if self.levels.innermost() == Some(Level::Object) => self.close(),
            (State::Comma, b']') if self.levels.innermost() == Some(Level::Array) => self.close(),
            _ => return Err(JsonError::unexpected(buffer, at, self.expected())),
        }
        Ok(())
    }

    fn open(&mut self, level: Level, at: usize) -> Result<(), JsonError> {
        if self.levels.depth() < self.max_depth {
            self.levels.open(level);
            return Ok(());
        }
        Err(JsonError::new(
            at,
            JsonErrorReason::Depth {
                limit: self.max_depth,
            },
        ))
    }

    fn close(&mut self) {
        if self.levels.close() == Some(Level::Object) {
            self.keys.end_object();
        }
        self.end_value();
    }

    fn end_value(&mut self) {
        self.state = if self.levels.innermost().is_some() {
            State::Comma
        } else {
            State::Done
        };
    }

    fn begin_string(&mut self, role: Role) {
        self.state = State::String {
            start: self.position,
            role,
            is_escaped: false,
        };
    }

    /// Reads on in a string; false where the buffer ends inside of it.
    fn string(
        &mut self,
        buffer: &[u8],
        start: usize,
        role: Role,
        mut is_escaped: bool,
    ) -> Result<bool, JsonError> {
        loop {
            self.position = skip_plain(buffer, self.position);
            match buffer.get(self.position) {
                Some(b'"') => break,
                Some(b'\\') => match read_escape(buffer, self.position)? {
                    Escape::Whole { length, .. } => {
                        self.position += length;
                        is_escaped = true;
                    }
                    Escape::Cut => {
                        self.state = State::String {
                            start,
                            role,
                            is_escaped,
                        };
                        return Ok(false);
                    }
                },
                Some(&control) => {
                    return Err(JsonError::new(
                        self.position,
                        JsonErrorReason::ControlCharacter(control),
                    ));
                }
                None => {
                    self.state = State::String {
                        start,
                        role,
                        is_escaped,
                    };
                    return Ok(false);
                }
            }
        }
        let end = self.position;
        self.position += 1;
        match role {
            Role::Key => {
                self.keys.add(buffer, start..end, is_escaped)?;
                self.state = State::Colon;
            }
            Role::Value => self.end_value(),
        }
        Ok(true)
    }

    fn number(
        &mut self,
        buffer: &[u8],
        start: usize,
        mut grammar: Grammar,
    ) -> Result<(), JsonError> {
        while let Some(&byte) = buffer.get(self.position) {
            match grammar.step(byte) {
                Some(next) => grammar = next,
                None if grammar.is_complete() => return self.end_number(buffer, start, grammar),
                None => return Err(JsonError::unexpected(buffer, self.position, "a digit")),
            }
            self.position += 1;
        }
        self.state = State::Number { start, grammar };
        Ok(())
    }

    fn end_number(
        &mut self,
        buffer: &[u8],
        start: usize,
        grammar: Grammar,
    ) -> Result<(), JsonError> {
        let text = &buffer[start..self.position];
        if grammar.may_overflow(text.len()) {
            let text = std::str::from_utf8(text).expect("a number is ASCII");
            if let Err(error @ NumberError::Overflow(_)) = Number::read(text) {
                return Err(JsonError::new(start, JsonErrorReason::Number(error)));
            }
        }
        self.end_value();
        Ok(())
    }

    fn word(
        &mut self,
        buffer: &[u8],
        word: &'static [u8],
        mut matched: usize,
    ) -> Result<(), JsonError> {
        while let (Some(byte), Some(letter)) = (buffer.get(self.position), word.get(matched)) {
            if byte != letter {
                return Err(JsonError::unexpected(
                    buffer,
                    self.position,
                    "`true`, `false` or `null`",
                ));
            }
            matched += 1;
            self.position += 1;
        }
        if matched == word.len() {
            self.end_value();
        } else {
            self.state = State::Word { word, matched };
        }
        Ok(())
    }

    /// Names what may stand next, for messages.
    fn expected(&self) -> &'static str {
        match self.state {
            State::Value => "a value",
            State::FirstElement => "a value or `]`",
            State::FirstKey => "a key or `}`",
            State::Key => "a key",
            State::Colon => "`:`",
            State::Comma => match self.levels.innermost() {
                Some(Level::Object) => "`,` or `}`",
                _ => "`,` or `]`",
            },
            State::String { .. } => "the end of a string",
            State::Number { .. } => "a digit",
            State::Word { .. } => "`true`, `false` or `null`",
            State::Done => "the end",
        }
    }
}

/// Whether JSON allows `byte` between tokens.
pub(crate) fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

#[cfg(test)]
mod tests;
