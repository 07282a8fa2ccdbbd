//! The arrays and objects that are open, without allocation.

/// One level of nesting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    Array,
    Object,
}

/// Bit `n` tells whether level `n` is an object; 128 bits hold every level that is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Levels {
    objects: u128,
    depth: usize,
}

impl Levels {
    /// How many levels are open.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Opens one more level; the caller holds the limit.
    pub(super) fn open(&mut self, level: Level) {
        self.objects = self.objects << 1 | u128::from(level == Level::Object);
        self.depth += 1;
    }

    /// Closes the innermost level.
    pub(super) fn close(&mut self) -> Option<Level> {
        let closed = self.innermost()?;
        self.objects >>= 1;
        self.depth -= 1;
        Some(closed)
    }

    pub(super) fn innermost(&self) -> Option<Level> {
        match (self.depth, self.objects & 1) {
            (0, _) => None,
            (_, 1) => Some(Level::Object),
            _ => Some(Level::Array),
        }
    }
}
