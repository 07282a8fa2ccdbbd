//! JSON values within a line of a block.

use serde::de::IgnoredAny;

use super::lines::Piece;

/// The deepest nesting of arrays and objects that is read.
const MAX_NESTING: usize = 127;

/// Cuts the JSON value that begins a piece, and gives it with what follows.
///
/// None when none begins there or it is not well-formed, nested more than 127 levels included.
pub(super) fn cut(piece: Piece<'_>) -> Option<(Piece<'_>, Piece<'_>)> {
    let len = extent(piece.text.as_bytes())?;
    let value = piece.before(len);
    serde_json::from_str::<IgnoredAny>(value.text).ok()?;
    Some((value, piece.after(len)))
}

/// Finds where a value ends, by brackets and strings; whether it is well-formed is judged later.
fn extent(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            b'"' => at = string_end(bytes, at)?,
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_NESTING {
                    return None;
                }
                at += 1;
            }
            b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                at += 1;
            }
            _ if depth > 0 => at += 1,
            _ => {
                let is_end = |byte: &u8| {
                    byte.is_ascii_whitespace() || matches!(byte, b',' | b')' | b']' | b'}')
                };
                let rest = &bytes[at..];
                at += rest.iter().position(is_end).unwrap_or(rest.len());
            }
        }
        if depth == 0 {
            return (at > 0).then_some(at);
        }
    }
}

fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_json_ends() {
        let cases = [
            ("1, 2", Some("1")),
            ("-1.5e3)", Some("-1.5e3")),
            (r#"{"a":[1,"})"]}) => 1"#, Some(r#"{"a":[1,"})"]}"#)),
            (r#""a\"b" c"#, Some(r#""a\"b""#)),
            ("true", Some("true")),
            ("now, 1", None),
            ("[1", None),
            ("[1}", None),
            ("", None),
            (",", None),
        ];
        for (text, expected) in cases {
            let found = cut(Piece::new(text, 0)).map(|(value, _)| value.text);
            assert_eq!(found, expected, "{text}");
        }
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(cut(Piece::new(&nested(127), 0)).is_some());
        assert!(cut(Piece::new(&nested(128), 0)).is_none());
    }
}
