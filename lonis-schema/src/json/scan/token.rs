//! One token after the other: what a byte means where the scanner stands.

use super::super::error::{JsonError, JsonErrorReason};
use super::levels::Level;
use super::string::{Escape, read_escape, skip_plain};
use super::{Role, Scanner, State};
use crate::number::{Grammar, Number, NumberError};

impl Scanner {
    /// Reads a token; false where the buffer ends inside of a string.
    pub(super) fn token(&mut self, buffer: &[u8], byte: u8) -> Result<bool, JsonError> {
        let at = self.position;
        self.position += 1;
        match (self.state, byte) {
            (State::FirstKey | State::Key, b'"') => {
                return self.string(buffer, at + 1, Role::Key, false);
            }
            (State::Value | State::FirstElement, b'"') => {
                return self.string(buffer, at + 1, Role::Value, false);
            }
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
                self.number(buffer, at, grammar)?;
            }
            (State::Value | State::FirstElement, b't') => self.word(buffer, b"true", 1)?,
            (State::Value | State::FirstElement, b'f') => self.word(buffer, b"false", 1)?,
            (State::Value | State::FirstElement, b'n') => self.word(buffer, b"null", 1)?,
            (State::Colon, b':') => self.state = State::Value,
            (State::Comma, b',') => self.state = self.after_comma(),
            (State::FirstKey, b'}') | (State::FirstElement, b']') => self.close(buffer),
            (State::Comma, b'}') if self.levels.innermost() == Some(Level::Object) => {
                self.close(buffer);
            }
            (State::Comma, b']') if self.levels.innermost() == Some(Level::Array) => {
                self.close(buffer);
            }
            _ => return Err(JsonError::unexpected(buffer, at, self.expected())),
        }
        Ok(true)
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

    fn close(&mut self, buffer: &[u8]) {
        if self.levels.close() == Some(Level::Object) {
            self.keys.end_object();
        }
        self.end_value(buffer);
    }

    fn after_comma(&self) -> State {
        match self.levels.innermost() {
            Some(Level::Object) => State::Key,
            _ => State::Value,
        }
    }

    /// Goes on after a value; takes the comma that mostly stands right behind it.
    fn end_value(&mut self, buffer: &[u8]) {
        if self.levels.innermost().is_none() {
            self.state = State::Done;
        } else if buffer.get(self.position) == Some(&b',') {
            self.position += 1;
            self.state = self.after_comma();
        } else {
            self.state = State::Comma;
        }
    }

    /// Reads on in a string; false where the buffer ends inside of it.
    pub(super) fn string(
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
                self.end_key(buffer);
            }
            Role::Value => self.end_value(buffer),
        }
        Ok(true)
    }

    /// Goes on after a key; takes the colon that mostly stands right behind it.
    fn end_key(&mut self, buffer: &[u8]) {
        if buffer.get(self.position) == Some(&b':') {
            self.position += 1;
            self.state = State::Value;
        } else {
            self.state = State::Colon;
        }
    }

    pub(super) fn number(
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

    pub(super) fn end_number(
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
        self.end_value(buffer);
        Ok(())
    }

    pub(super) fn word(
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
            self.end_value(buffer);
        } else {
            self.state = State::Word { word, matched };
        }
        Ok(())
    }

    /// Names what may stand next, for messages.
    pub(super) fn expected(&self) -> &'static str {
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
