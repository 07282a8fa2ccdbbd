//! How a structured file is laid out: its indentation, its line ends, and whether it spreads over lines.

/// What new text follows so that it looks like its neighbours.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// The blanks of one level.
    pub(super) unit: String,
    /// The line end.
    pub(super) line_end: &'static str,
    /// Whether the file has several lines.
    pub(super) is_long: bool,
}

impl Layout {
    /// The layout of a text.
    pub(super) fn of(text: &str) -> Self {
        let unit = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(indent_of)
            .filter(|indent| !indent.is_empty())
            .min_by_key(|indent| indent.len());
        Self {
            unit: unit.unwrap_or("  ").to_owned(),
            line_end: if text.contains("\r\n") { "\r\n" } else { "\n" },
            is_long: text.trim().contains('\n'),
        }
    }
}

/// The blanks in front of a line.
fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Where the line of an offset starts.
pub(super) fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

/// Where the line of an offset ends, without its line end.
pub(super) fn line_end(text: &str, offset: usize) -> usize {
    let end = text[offset..]
        .find('\n')
        .map_or(text.len(), |at| offset + at);
    if text[offset..end].ends_with('\r') {
        end - 1
    } else {
        end
    }
}

/// Where the next line starts; the end of the text where there is none.
pub(super) fn next_line(text: &str, offset: usize) -> usize {
    text[offset..]
        .find('\n')
        .map_or(text.len(), |at| offset + at + 1)
}

/// The blanks in front of the line of an offset.
pub(super) fn indent_at(text: &str, offset: usize) -> &str {
    indent_of(&text[line_start(text, offset)..])
}
