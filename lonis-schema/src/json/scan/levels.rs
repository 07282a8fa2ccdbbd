//! The arrays and objects that are open, without allocation.

use super::MAX_DEPTH;

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
    /// Opens one more level; false where the limit is reached.
    pub(super) fn open(&mut self, level: Level) -> bool {
        if self.depth == MAX_DEPTH {
            return false;
        }
        self.objects = self.objects << 1 | u128::from(level == Level::Object);
        self.depth += 1;
        true
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
