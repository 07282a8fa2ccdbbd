//! From bytes to tokens.
//!
//! Every byte is whitespace, a comment, a token, or reported. Tokens that hold a reported mistake are still there: a string
//! with a wrong escape is a string, any other character is a [`TokenKind::Stray`] that the parser absorbs.

mod bracket;
mod literal;
mod stray;

use std::ops::Range;

use bracket::Bracket;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, LimitParams, Params};
use crate::source::{FileId, MAX_SOURCE_BYTES, Span};
use crate::syntax::{Name, Names, Token, TokenKind};

/// The tokens of a text, and what was wrong with it.
#[derive(Clone, Debug, Default)]
pub struct Lexed {
    /// The tokens in order, without an end token.
    pub tokens: Vec<Token>,
    /// What was reported.
    pub diagnostics: Diagnostics,
    /// Whether the text ends within a string, so that what is missing at its end needs no further report.
    pub is_unterminated: bool,
    /// Whether there are comments, which no tree keeps.
    pub has_comments: bool,
}

/// Cuts a text into tokens.
///
/// # Errors
/// Reports `unterminated-string`, `bad-escape`, `escape-not-scalar`, `stray-character`, and `limit-exceeded` for a text of
/// more than [`MAX_SOURCE_BYTES`], which gives no tokens.
pub fn lex(file: FileId, bytes: &[u8], names: &mut Names) -> Lexed {
    lex_part(file, bytes, 0..bytes.len(), names)
}

/// Cuts a part of a text into tokens, whose spans count from the beginning of the whole text.
///
/// # Errors
/// As [`lex`]; the bound holds for the whole text.
pub fn lex_part(file: FileId, bytes: &[u8], part: Range<usize>, names: &mut Names) -> Lexed {
    if bytes.len() > MAX_SOURCE_BYTES {
        return too_long(file, bytes.len());
    }
    let part = part.start.min(bytes.len())..part.end.min(bytes.len());
    let mut lexer = Lexer {
        file,
        bytes: &bytes[..part.end],
        at: part.start,
        is_utf8: std::str::from_utf8(&bytes[part.clone()]).is_ok(),
        begins_line: true,
        names,
        scratch: String::new(),
        open_bracket: None,
        lexed: Lexed::default(),
    };
    lexer.lexed.tokens.reserve(part.len() / 4);
    while lexer.step() {}
    lexer.lexed
}

fn too_long(file: FileId, len: usize) -> Lexed {
    let max = MAX_SOURCE_BYTES as u64;
    let params = LimitParams {
        limit: "source-bytes",
        max,
        seen: len as u64,
    };
    let message = format!("the text has {len} bytes, `source-bytes` allows {max}");
    let place = Span::empty_at(offset(MAX_SOURCE_BYTES));
    let diagnostic = Diagnostic::at(Code::LimitExceeded, file, place, message);
    Lexed {
        diagnostics: diagnostic.with_params(Params::Limit(params)).into(),
        ..Lexed::default()
    }
}

/// Turns an index of the text into an offset; the text is at most 1 MiB long.
fn offset(index: usize) -> u32 {
    u32::try_from(index).expect("a source text is at most 1 MiB long")
}

/// Makes the span between two indices of the text.
fn span(start: usize, end: usize) -> Span {
    Span::new(offset(start), offset(end))
}

struct Lexer<'a> {
    file: FileId,
    bytes: &'a [u8],
    at: usize,
    is_utf8: bool,
    begins_line: bool,
    names: &'a mut Names,
    scratch: String,
    /// What the last bracket was taken for, until it is closed.
    open_bracket: Option<Bracket>,
    lexed: Lexed,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// Reads what stands next; false at the end of the text.
    fn step(&mut self) -> bool {
        let Some(byte) = self.peek(0) else {
            return false;
        };
        match byte {
            b'\n' => {
                self.begins_line = true;
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'-' if self.peek(1) == Some(b'-') => self.comment(),
            b'a'..=b'z' => self.word(),
            b'A'..=b'Z' => {
                let end = self.run(self.at, |byte| byte.is_ascii_alphanumeric());
                self.named(TokenKind::TypeName, self.at, end);
            }
            b'0'..=b'9' => self.number(),
            b'"' => self.string(),
            b'?' if self.peek(1).is_some_and(|next| next.is_ascii_lowercase()) => {
                let end = self.run(self.at + 1, is_ident_byte);
                self.named(TokenKind::Hole, self.at + 1, end);
            }
            b'_' if self.peek(1).is_some_and(|next| next.is_ascii_lowercase()) => {
                let end = self.run(self.at + 1, is_ident_byte);
                self.named(TokenKind::Private, self.at, end);
            }
            _ => match operator(byte, self.peek(1)) {
                Some((kind, len)) => self.token(kind, self.at + len, None),
                None => self.stray(),
            },
        }
        true
    }

    /// Gives the end of the run of bytes that hold from an index on.
    fn run(&self, from: usize, holds: impl Fn(u8) -> bool) -> usize {
        let rest = &self.bytes[from..];
        from + rest
            .iter()
            .position(|byte| !holds(*byte))
            .unwrap_or(rest.len())
    }

    fn comment(&mut self) {
        self.lexed.has_comments = true;
        let end = self.run(self.at, |byte| byte != b'\n');
        self.check_utf8(self.at, end);
        self.at = end;
    }

    fn word(&mut self) {
        let end = self.run(self.at, is_ident_byte);
        match TokenKind::keyword(&self.bytes[self.at..end]) {
            Some(keyword) => self.token(keyword, end, None),
            None => self.named(TokenKind::Ident, self.at, end),
        }
    }

    /// Adds a token whose name runs from an index to its end.
    fn named(&mut self, kind: TokenKind, name_start: usize, end: usize) {
        let text =
            std::str::from_utf8(&self.bytes[name_start..end]).expect("names are of ASCII bytes");
        let name = self.names.intern(text);
        self.token(kind, end, Some(name));
    }

    fn token(&mut self, kind: TokenKind, end: usize, name: Option<Name>) {
        self.lexed.tokens.push(Token {
            span: span(self.at, end),
            name,
            kind,
            begins_line: std::mem::take(&mut self.begins_line),
        });
        self.at = end;
    }

    /// Reports the character, or the run of bytes that are no UTF-8, that stands next.
    fn stray(&mut self) {
        let end = self.at + self.unit_len(self.at);
        self.report_stray(span(self.at, end));
        self.token(TokenKind::Stray, end, None);
    }

    /// Gives the length of the character at an index, or of the whole run of bytes there that are not UTF-8.
    fn unit_len(&self, from: usize) -> usize {
        let window = &self.bytes[from..];
        if self.is_utf8 {
            return char_len(window[0]);
        }
        let mut invalid = 0;
        for chunk in window.utf8_chunks() {
            if let Some(first) = chunk.valid().chars().next() {
                return if invalid == 0 {
                    first.len_utf8()
                } else {
                    invalid
                };
            }
            invalid += chunk.invalid().len();
        }
        invalid
    }

    /// Reports each run of bytes in a range that is not UTF-8.
    fn check_utf8(&mut self, start: usize, end: usize) {
        if self.is_utf8 {
            return;
        }
        let bytes = self.bytes;
        let mut run: Option<Span> = None;
        let mut at = start;
        for chunk in bytes[start..end].utf8_chunks() {
            at += chunk.valid().len();
            if !chunk.valid().is_empty()
                && let Some(span) = run.take()
            {
                self.report_stray(span);
            }
            let here = span(at, at + chunk.invalid().len());
            at += chunk.invalid().len();
            if !here.is_empty() {
                run = Some(run.map_or(here, |span| span.to(here)));
            }
        }
        if let Some(span) = run {
            self.report_stray(span);
        }
    }
}

const fn is_ident_byte(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_')
}

/// Gives the length of the character that a byte of valid UTF-8 begins.
const fn char_len(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    }
}

/// Gives the longest operator that begins with these bytes, and its length.
const fn operator(byte: u8, next: Option<u8>) -> Option<(TokenKind, usize)> {
    use TokenKind as Kind;
    let kind = match (byte, next) {
        (b'-', Some(b'>')) => return Some((Kind::Arrow, 2)),
        (b':', Some(b':')) => return Some((Kind::ColonColon, 2)),
        (b'.', Some(b'.')) => return Some((Kind::DotDot, 2)),
        (b'=', Some(b'=')) => return Some((Kind::EqualEqual, 2)),
        (b'!', Some(b'=')) => return Some((Kind::NotEqual, 2)),
        (b'<', Some(b'=')) => return Some((Kind::LessEqual, 2)),
        (b'>', Some(b'=')) => return Some((Kind::GreaterEqual, 2)),
        (b'=', _) => Kind::Equal,
        (b'|', _) => Kind::Bar,
        (b':', _) => Kind::Colon,
        (b'.', _) => Kind::Dot,
        (b',', _) => Kind::Comma,
        (b'(', _) => Kind::OpenParen,
        (b')', _) => Kind::CloseParen,
        (b'{', _) => Kind::OpenBrace,
        (b'}', _) => Kind::CloseBrace,
        (b'<', _) => Kind::Less,
        (b'>', _) => Kind::Greater,
        (b'+', _) => Kind::Plus,
        (b'-', _) => Kind::Minus,
        (b'*', _) => Kind::Star,
        (b'/', _) => Kind::Slash,
        (b'%', _) => Kind::Percent,
        (b'_', _) => Kind::Underscore,
        _ => return None,
    };
    Some((kind, 1))
}

#[cfg(test)]
mod tests;
