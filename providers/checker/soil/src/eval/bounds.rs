//! How far a run may go.

use crate::values::Meter;

/// What one run may use; counted, and therefore the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The most steps.
    ///
    /// # Units and bounds
    /// Expressions evaluated, and elements or 16 bytes that a builtin reads or makes. Default 2 000 000.
    pub fuel: u64,
    /// The most that is made.
    ///
    /// # Units and bounds
    /// Bytes as the language counts them, never refunded. Default 64 MiB.
    pub cells: u64,
    /// The most calls that wait for each other.
    ///
    /// # Units and bounds
    /// Frames; a call in tail position takes none. Default 20 000.
    pub depth: usize,
}

impl Bounds {
    /// Gives a full meter.
    pub(crate) const fn meter(&self) -> Meter {
        Meter {
            fuel: self.fuel,
            cells: self.cells,
        }
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            fuel: 2_000_000,
            cells: 64 << 20,
            depth: 20_000,
        }
    }
}
