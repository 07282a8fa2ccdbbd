//! The tokens of a JSON text, one after the other.
//!
//! Trusts that the text is JSON: it was scanned, or written by a serializer. On any other text the events make no sense,
//! but reading them ends and does not panic.

use super::scan::{skip_plain, skip_string};

/// One token; the commas, colons and whitespace between tokens are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event<'a> {
    BeginArray,
    EndArray,
    BeginObject,
    EndObject,
    /// The inside of a key's quotes, escapes as they stand.
    Key(&'a str),
    /// The inside of a string's quotes, escapes as they stand.
    String(&'a str),
    Number(&'a str),
    /// `true`, `false` or `null`.
    Word(&'a str),
}

/// Reads the events of `text`.
pub(crate) struct Events<'a> {
    text: &'a str,
    position: usize,
    has_escape: bool,
}

impl<'a> Events<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            position: 0,
            has_escape: false,
        }
    }

    /// Whether the last key or string has an escape.
    pub(crate) fn has_escape(&self) -> bool {
        self.has_escape
    }

    /// Offset of the first byte that was not looked at.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn skip_while(&mut self, predicate: impl Fn(u8) -> bool) {
        while self.byte().is_some_and(&predicate) {
            self.position += 1;
        }
    }

    fn string(&mut self) -> Event<'a> {
        let start = self.position;
        let bytes = self.text.as_bytes();
        let plain_end = skip_plain(bytes, start + 1);
        self.has_escape = bytes.get(plain_end) == Some(&b'\\');
        self.position = if self.has_escape {
            skip_string(bytes, start)
        } else {
            (plain_end + 1).min(bytes.len())
        };
        let inside = self
            .text
            .get(start + 1..self.position - 1)
            .unwrap_or_default();
        self.skip_while(super::scan::is_whitespace);
        if self.byte() == Some(b':') {
            Event::Key(inside)
        } else {
            Event::String(inside)
        }
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        self.skip_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b':'));
        let start = self.position;
        let structural = match self.byte()? {
            b'"' => return Some(self.string()),
            b'[' => Event::BeginArray,
            b']' => Event::EndArray,
            b'{' => Event::BeginObject,
            b'}' => Event::EndObject,
            first => {
                self.skip_while(|byte| {
                    !matches!(
                        byte,
                        b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' | b']' | b'}'
                    )
                });
                let text = &self.text[start..self.position];
                let is_word = first.is_ascii_alphabetic();
                return Some(if is_word {
                    Event::Word(text)
                } else {
                    Event::Number(text)
                });
            }
        };
        self.position += 1;
        Some(structural)
    }
}
