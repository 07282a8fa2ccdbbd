//! The delimiter of a broken text that has no partner, as far as its marks and its layout tell.
//!
//! A parser stops where a text makes no sense any more, which may be lines away from the bracket that is missing or too
//! much. The layout often knows better: a closer that begins its line stands under the line of its opener, and the first
//! one that does not belongs to another opener than the one it meets.

use std::ops::Range;

use serde::Serialize;

use super::definition::span;

/// The longest text that is looked through: what is said of a failure is short and soon said.
pub(super) const MAX_BYTES: usize = 256 * 1024;

/// A delimiter without a partner.
///
/// # Wire shape
/// `{"mark": "{", "lacks": "closer", "line": 4, "column": 19}`
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unpaired {
    /// The delimiter.
    pub mark: char,
    /// What it has not: `opener` or `closer`.
    pub lacks: &'static str,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in Unicode scalars, from 1.
    pub column: usize,
}

/// What is skipped in a format that is looked through by its bytes alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Strings in double quotes; comments behind slashes.
    Json,
    /// Strings in both quotes, also over several lines; comments behind a number sign.
    Toml,
}

/// One bracket of a text.
#[derive(Debug, Clone, Copy)]
struct Bracket {
    byte: u8,
    at: usize,
}

/// An opener whose closer is still to come.
#[derive(Debug, Clone, Copy)]
struct Open {
    bracket: Bracket,
    line: Line,
}

/// The line that a bracket stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    start: usize,
    indent: usize,
}

impl Unpaired {
    fn at(text: &[u8], at: usize, lacks: &'static str) -> Self {
        let place = span(text, &(at..at));
        Self {
            mark: char::from(text[at]),
            lacks,
            line: place.start_line,
            column: place.start_column,
        }
    }

    /// Finds it in a text of a format.
    pub(super) fn of_format(text: &str, format: Format) -> Option<Self> {
        let text = text.as_bytes();
        if text.len() > MAX_BYTES {
            return None;
        }
        of_brackets(text, brackets(text, format)?)
    }

    /// Finds it among the tokens of a program, in their order.
    pub(super) fn of_tokens(
        text: &[u8],
        tokens: impl Iterator<Item = Range<usize>>,
    ) -> Option<Self> {
        if text.len() > MAX_BYTES {
            return None;
        }
        let brackets = tokens.filter_map(|token| {
            // What opens a substitution ends with its bracket.
            let at = token.end.checked_sub(1).filter(|at| *at >= token.start)?;
            let byte = text[at];
            let is_bracket = token.len() == 1 || &text[token] == b"${";
            (is_bracket && b"()[]{}".contains(&byte)).then_some(Bracket { byte, at })
        });
        of_brackets(text, brackets)
    }
}

/// What it says behind the words of a failure.
pub(super) fn said(unpaired: Option<&Unpaired>) -> String {
    unpaired.map_or_else(String::new, |found| {
        let Unpaired {
            mark,
            lacks,
            line,
            column,
        } = found;
        format!("; the `{mark}` at {line}:{column} seems to have no {lacks}")
    })
}

fn of_brackets(text: &[u8], brackets: impl IntoIterator<Item = Bracket>) -> Option<Unpaired> {
    let mut open: Vec<Open> = Vec::new();
    // The first pairs that the layout speaks against: an opener whose own closer is missing is closed by one further out,
    // and a closer whose own opener is missing closes one further out.
    let (mut outward, mut inward) = (None, None);
    for bracket in brackets {
        let line = line_of(text, bracket.at);
        let Some(opener) = opener_of(bracket.byte) else {
            open.push(Open { bracket, line });
            continue;
        };
        let depth = open
            .iter()
            .rposition(|one| one.bracket.byte == opener)
            .map(|at| open.len() - at);
        let Some(top) = open.last().copied().filter(|_| depth.is_some()) else {
            return Some(Unpaired::at(text, inward.unwrap_or(bracket.at), "opener"));
        };
        let begins = line.start + line.indent == bracket.at;
        if depth != Some(1) {
            // Of a bracket that meets one of another kind either may be alone: one that stands behind other text closes
            // what its own line opened, one that begins its line what stands there with the same indentation.
            let is_alone = line != top.line && (!begins || line.indent >= top.line.indent);
            let (at, lacks) = match (outward, inward) {
                (Some(at), _) if !is_alone => (at, "closer"),
                (_, Some(at)) if is_alone => (at, "opener"),
                _ if is_alone => (bracket.at, "opener"),
                _ => (top.bracket.at, "closer"),
            };
            return Some(Unpaired::at(text, at, lacks));
        }
        open.pop();
        if line != top.line && begins {
            if line.indent < top.line.indent {
                outward = outward.or(Some(top.bracket.at));
            } else if line.indent > top.line.indent {
                inward = inward.or(Some(bracket.at));
            }
        }
    }
    let last = open.last()?.bracket.at;
    Some(Unpaired::at(text, outward.unwrap_or(last), "closer"))
}

fn opener_of(closer: u8) -> Option<u8> {
    match closer {
        b')' => Some(b'('),
        b']' => Some(b'['),
        b'}' => Some(b'{'),
        _ => None,
    }
}

fn line_of(text: &[u8], at: usize) -> Line {
    let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |at| at + 1);
    let blanks = text[start..]
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'));
    Line {
        start,
        indent: blanks.count(),
    }
}

/// The brackets outside of strings and comments; none where a string does not end in its line, since any quote of that line
/// may be the one that is missing.
fn brackets(text: &[u8], format: Format) -> Option<Vec<Bracket>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        at += match text[at] {
            b'"' | b'\'' if format == Format::Toml || text[at] == b'"' => string(rest, format)?,
            b'#' if format == Format::Toml => until(rest, b"\n"),
            b'/' if format == Format::Json && rest.starts_with(b"//") => until(rest, b"\n"),
            b'/' if format == Format::Json && rest.starts_with(b"/*") => {
                until(&rest[2..], b"*/") + 4
            }
            byte => {
                if b"()[]{}".contains(&byte) {
                    found.push(Bracket { byte, at });
                }
                1
            }
        };
    }
    Some(found)
}

/// How long the string is that a text starts with.
fn string(text: &[u8], format: Format) -> Option<usize> {
    let quote = text[0];
    if format == Format::Toml && text.starts_with(&[quote; 3]) {
        return Some(until(&text[3..], &[quote; 3]) + 6);
    }
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'\n' => return None,
            b'\\' if quote == b'"' => at += 2,
            byte if *byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// How many bytes stand before an end, or up to the end of the text.
fn until(text: &[u8], end: &[u8]) -> usize {
    memchr::memmem::find(text, end).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: Format, text: &str, expected: Option<(char, &str, usize, usize)>) {
        let found = Unpaired::of_format(text, format);
        let found = found
            .as_ref()
            .map(|one| (one.mark, one.lacks, one.line, one.column));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn brackets_without_a_partner_are_found_by_marks_and_layout() {
        use Format::{Json, Toml};
        let rows = [
            (Json, "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", None),
            // The closer that is missing belongs to the opener that another one's closes.
            (
                Json,
                "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n    \n  },\n  \"d\": 2\n}\n",
                Some(('{', "closer", 3, 10)),
            ),
            (
                Json,
                "{\n  \"a\":\n    \"b\": 1\n  },\n  \"d\": 2\n}\n",
                Some(('}', "opener", 4, 3)),
            ),
            (
                Json,
                "{\"a\": [1, {\"b\": 2]}",
                Some(('{', "closer", 1, 11)),
            ),
            // One behind other text has lost what opened its own line, one that begins its line what its line matches.
            (
                Json,
                "[\n  {\n    \"a\": 1, 2],\n  }\n]\n",
                Some((']', "opener", 3, 14)),
            ),
            (
                Json,
                "[\n  {\n    \"a\": [\n    1\n  }\n]\n",
                Some(('[', "closer", 3, 10)),
            ),
            (
                Json,
                "{\n  \"a\": [\n    1\n  },\n  \"b\": 2\n}\n",
                Some(('}', "opener", 4, 3)),
            ),
            (Json, "{\"a\": 1, 2]}", Some((']', "opener", 1, 11))),
            (Json, "{\"a\": \"}\\\"\"} // {\n/* [ */", None),
            (Json, "{\n  \"a: 1\n}\n", None),
            (Json, "{\"a\": \"b", None),
            (Json, "{\"a\": \"b\\", None),
            (Json, "/* [", None),
            (
                Toml,
                "[a]\nb = [[\n    1,\n]\n\n[c]\nd = 1\n",
                Some(('[', "closer", 2, 5)),
            ),
            (Toml, "[[a]\nb = 1\n", Some(('[', "closer", 1, 1))),
            (
                Toml,
                "a = '''\n[ {\n''' # ]\nb = \"\"\"\n(\"\"\"\nc = '['\n",
                None,
            ),
            (Toml, "a = ['b\n", None),
            (Toml, "é = [1]]\n", Some((']', "opener", 1, 8))),
        ];
        for (format, text, expected) in rows {
            check(format, text, expected);
        }
    }

    #[test]
    fn a_text_that_is_long_is_not_looked_through() {
        let text = "[".repeat(MAX_BYTES + 1);
        check(Format::Json, &text, None);
    }
}
