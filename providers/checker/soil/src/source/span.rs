//! A range of bytes.

/// A range of bytes of one text, the end exclusive.
///
/// Runs from the first token of a node to its last; parentheses that only group count at neither end.
///
/// # Units and bounds
/// UTF-8 byte offsets, at most [`MAX_SOURCE_BYTES`](super::MAX_SOURCE_BYTES).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one; equal to `start` at the end of a file.
    pub end: u32,
}

impl Span {
    /// Makes the span from one offset to another.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Makes the empty span before a byte.
    pub const fn empty_at(offset: u32) -> Self {
        Self::new(offset, offset)
    }

    /// Gives the smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// Counts the bytes.
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Says whether no byte is in it.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Says whether the other span lies within this one.
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Gives the offsets as a range that slices the text.
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}
