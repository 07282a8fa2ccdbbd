//! Lines and columns of byte offsets.

use super::Span;

/// Where a byte stands, for display.
///
/// # Units and bounds
/// Both count from 1; columns count bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The byte within the line.
    pub column: u32,
}

/// The offsets at which the lines of one text begin.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of a text.
    pub fn new(bytes: &[u8]) -> Self {
        let newlines = (0_u32..).zip(bytes).filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(0)
            .chain(newlines.map(|(offset, _)| offset.saturating_add(1)))
            .collect();
        Self { starts }
    }

    /// Gives line and column of the byte at which a span begins.
    pub fn position(&self, span: Span) -> Position {
        let line = self
            .starts
            .partition_point(|start| *start <= span.start)
            .max(1);
        Position {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: span.start - self.starts[line - 1] + 1,
        }
    }

    /// Gives the offset at which a line, counted from 1, begins.
    pub fn line_start(&self, line: u32) -> Option<u32> {
        self.starts.get((line as usize).checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_bytes_from_one() {
        let index = LineIndex::new("aé\n\nb".as_bytes());
        for (offset, line, column) in [
            (0, 1, 1),
            (1, 1, 2),
            (3, 1, 4),
            (4, 2, 1),
            (5, 3, 1),
            (6, 3, 2),
        ] {
            assert_eq!(
                index.position(Span::empty_at(offset)),
                Position { line, column },
                "{offset}"
            );
        }
    }
}
