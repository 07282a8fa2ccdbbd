//! Numbers and strings.

use super::{Lexer, span};
use crate::diagnostic::{Code, Diagnostic, Edit, EditKind};
use crate::source::Span;
use crate::syntax::TokenKind;

const fn is_digit_byte(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'_')
}

impl Lexer<'_> {
    /// Reads digits, then a fraction when a digit follows the point, then an exponent when a digit follows its mark.
    pub(super) fn number(&mut self) {
        let digit_at =
            |lexer: &Self, index: usize| lexer.bytes.get(index).is_some_and(u8::is_ascii_digit);
        let mut kind = TokenKind::Int;
        let mut end = self.run(self.at, is_digit_byte);
        if self.bytes.get(end) == Some(&b'.') && digit_at(self, end + 1) {
            kind = TokenKind::Float;
            end = self.run(end + 1, is_digit_byte);
            if self.bytes.get(end) == Some(&b'e') {
                let sign = usize::from(self.bytes.get(end + 1) == Some(&b'-'));
                if digit_at(self, end + 1 + sign) {
                    end = self.run(end + 1 + sign, is_digit_byte);
                }
            }
        }
        let text = &self.bytes[self.at..end];
        self.scratch.clear();
        self.scratch.extend(
            text.iter()
                .filter(|byte| **byte != b'_')
                .map(|byte| char::from(*byte)),
        );
        let name = self.names.intern(&self.scratch);
        self.token(kind, end, Some(name));
    }

    /// Reads a string up to its closing quote, resolving escapes.
    pub(super) fn string(&mut self) {
        self.scratch.clear();
        let mut from = self.at + 1;
        let end = loop {
            let end = self.run(from, |byte| byte != b'"' && byte != b'\\');
            self.plain(from, end);
            match self.bytes.get(end) {
                Some(b'"') => break end + 1,
                Some(_) => from = self.escape(end),
                None => {
                    self.lexed.is_unterminated = true;
                    self.unterminated(end);
                    break end;
                }
            }
        };
        let name = self.names.intern(&self.scratch);
        self.token(TokenKind::Text, end, Some(name));
    }

    /// Reports a string that the text ends in; most often its quote is missing at the end of its line.
    fn unterminated(&mut self, end: usize) {
        let line_end = self.run(self.at, |byte| byte != b'\n');
        let line = self.bytes[self.at..line_end].trim_ascii_end();
        let close = span(self.at + line.len(), self.at + line.len());
        let message = "the string has no closing `\"`";
        let diagnostic = Diagnostic::at(
            Code::UnterminatedString,
            self.file,
            span(self.at, end),
            message,
        );
        let title = "close it at the end of its line";
        let edit = Edit::new(EditKind::Choice, title, self.file, close, "\"");
        self.lexed.diagnostics.push(diagnostic.with_edit(edit));
    }

    /// Takes over a part of a string that has no escapes.
    fn plain(&mut self, start: usize, end: usize) {
        self.check_utf8(start, end);
        let text = String::from_utf8_lossy(&self.bytes[start..end]);
        self.scratch.push_str(&text);
    }

    /// Reads the escape at a backslash and gives the index behind it.
    fn escape(&mut self, backslash: usize) -> usize {
        let simple = match self.bytes.get(backslash + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(backslash),
            Some(_) => {
                let end = backslash + 1 + self.unit_len(backslash + 1);
                let replacement = self.known_escape(backslash);
                self.bad_escape(backslash, end, replacement);
                return end;
            }
            None => return backslash + 1,
        };
        self.scratch.push(simple);
        backslash + 2
    }

    /// Reads `\u{H}` with 1 to 6 digits.
    fn unicode_escape(&mut self, backslash: usize) -> usize {
        if self.bytes.get(backslash + 2) != Some(&b'{') {
            let end = self.hex_end(backslash + 2, 4);
            let digits = &self.bytes[backslash + 2..end];
            let replacement =
                (digits.len() == 4).then(|| (end, format!("\\u{{{}}}", ascii(digits))));
            self.bad_escape(backslash, end, replacement);
            return end;
        }
        let digits_end = self.run(backslash + 3, |byte| {
            byte.is_ascii_alphanumeric() || byte == b'_'
        });
        let digits = &self.bytes[backslash + 3..digits_end];
        let is_closed = self.bytes.get(digits_end) == Some(&b'}');
        let end = digits_end + usize::from(is_closed);
        let is_hex = matches!(digits.len(), 1..=6) && digits.iter().all(u8::is_ascii_hexdigit);
        if !(is_closed && is_hex) {
            self.bad_escape(backslash, end, None);
            return end;
        }
        let code = u32::from_str_radix(&ascii(digits), 16).unwrap_or(u32::MAX);
        if let Some(character) = char::from_u32(code) {
            self.scratch.push(character);
        } else {
            let span = span(backslash, end);
            let escape = ascii(&self.bytes[backslash..end]);
            let message = format!("`{escape}` is no Unicode scalar value");
            let title = "write the replacement character";
            let edit = Edit::new(EditKind::Choice, title, self.file, span, "\\u{fffd}");
            let diagnostic = Diagnostic::at(Code::EscapeNotScalar, self.file, span, message);
            self.lexed.diagnostics.push(diagnostic.with_edit(edit));
        }
        end
    }

    fn hex_end(&self, from: usize, most: usize) -> usize {
        let end = self.run(from, |byte| byte.is_ascii_hexdigit());
        end.min(from + most)
    }

    /// Gives what an escape of another language means here, with the end of what it replaces.
    fn known_escape(&self, backslash: usize) -> Option<(usize, String)> {
        let end = backslash + 2;
        let text = match self.bytes.get(backslash + 1)? {
            b'0' if !self.bytes.get(end).is_some_and(u8::is_ascii_digit) => "\\u{0}",
            b'a' => "\\u{7}",
            b'b' => "\\u{8}",
            b'f' => "\\u{c}",
            b'v' => "\\u{b}",
            b'e' => "\\u{1b}",
            b'\'' => "'",
            b'/' => "/",
            b'x' => {
                let end = self.hex_end(end, 2);
                let digits = &self.bytes[backslash + 2..end];
                return (digits.len() == 2).then(|| (end, format!("\\u{{{}}}", ascii(digits))));
            }
            _ => return None,
        };
        Some((end, text.to_owned()))
    }

    fn bad_escape(&mut self, start: usize, end: usize, replacement: Option<(usize, String)>) {
        let place = span(start, end);
        let shown = String::from_utf8_lossy(&self.bytes[start..end]).into_owned();
        let message = format!(
            "`{}` is no escape: `\\\"` `\\\\` `\\n` `\\r` `\\t` and `\\u{{H}}` are",
            shown.escape_debug()
        );
        let mut diagnostic = Diagnostic::at(Code::BadEscape, self.file, place, message);
        if let Some((edit_end, text)) = replacement {
            let place = Span::new(place.start, super::offset(edit_end));
            let title = format!("write `{text}`");
            diagnostic =
                diagnostic.with_edit(Edit::new(EditKind::Machine, title, self.file, place, text));
        } else {
            let place = Span::empty_at(place.start);
            let title = "write a backslash";
            let edit = Edit::new(EditKind::Choice, title, self.file, place, "\\");
            diagnostic = diagnostic.with_edit(edit);
        }
        self.lexed.diagnostics.push(diagnostic);
    }
}

/// Shows bytes that are known to be ASCII.
fn ascii(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}
