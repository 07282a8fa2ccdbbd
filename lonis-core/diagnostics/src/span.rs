//! A range of a source.

use serde::Serialize;

/// A range of a source, in lines and columns that count from 1; columns are Unicode scalars.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// The source: a path relative to the root, or the name of an input.
    pub source: String,
    /// The line of the first character.
    pub start_line: usize,
    /// The column of the first character.
    pub start_column: usize,
    /// The line of the end.
    pub end_line: usize,
    /// The column behind the last character.
    pub end_column: usize,
}

impl Span {
    /// Finds the lines and columns of a range of bytes; a range beyond the text ends with it.
    pub fn of_bytes(source: &str, text: &str, range: std::ops::Range<usize>) -> Self {
        let (start_line, start_column) = place(text, range.start);
        let (end_line, end_column) = place(text, range.end.max(range.start));
        Self {
            source: source.to_owned(),
            start_line,
            start_column,
            end_line,
            end_column,
        }
    }
}

fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_columns_are_characters() {
        let text = "a = 1\nä = 'ü'\n";
        for (range, expected) in [
            (0..1, (1, 1, 1, 2)),
            (4..5, (1, 5, 1, 6)),
            (6..8, (2, 1, 2, 2)),
            (11..15, (2, 5, 2, 8)),
            (400..500, (3, 1, 3, 1)),
        ] {
            let span = Span::of_bytes("f", text, range.clone());
            let seen = (
                span.start_line,
                span.start_column,
                span.end_line,
                span.end_column,
            );
            assert_eq!(seen, expected, "{range:?}");
        }
    }
}
