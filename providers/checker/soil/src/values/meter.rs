//! What a run may still spend.

use thiserror::Error;

/// A bound of a run that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Exhausted {
    /// The run took too many steps.
    #[error("the fuel is used up")]
    Fuel,
    /// The run made too much.
    #[error("the memory is used up")]
    Memory,
    /// Too many calls waited for each other.
    #[error("the calls nest too deeply")]
    Depth,
}

/// What a run may still spend, counted and therefore the same on every machine.
///
/// # Units and bounds
/// Fuel counts steps: expressions evaluated, and elements or 16 bytes that a builtin reads or makes. Cells count bytes by
/// the rules of the language, not of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    /// Steps that are left.
    pub fuel: u64,
    /// Bytes that are left.
    pub cells: u64,
}

/// What every thing made costs in cells.
const OBJECT_BYTES: u64 = 32;

/// What each slot of a thing made costs in cells.
const SLOT_BYTES: u64 = 16;

impl Meter {
    /// A meter that no run can use up.
    pub const UNBOUNDED: Self = Self {
        fuel: u64::MAX,
        cells: u64::MAX,
    };

    /// Takes steps.
    ///
    /// # Errors
    /// [`Exhausted::Fuel`], when fewer are left.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> Result<(), Exhausted> {
        if steps > self.fuel {
            return self.out_of_fuel();
        }
        self.fuel -= steps;
        Ok(())
    }

    /// Apart from the steps that are taken, each of which waits for the one before it.
    #[cold]
    const fn out_of_fuel(&mut self) -> Result<(), Exhausted> {
        self.fuel = 0;
        Err(Exhausted::Fuel)
    }

    /// Takes the steps that reading or making some bytes costs.
    ///
    /// # Errors
    /// [`Exhausted::Fuel`], when fewer are left.
    #[inline]
    pub fn spend_bytes(&mut self, count: usize) -> Result<(), Exhausted> {
        self.spend(wide(count.div_ceil(16)))
    }

    /// Takes the cells of a thing with some slots.
    ///
    /// # Errors
    /// [`Exhausted::Memory`], when fewer are left.
    #[inline]
    pub fn make(&mut self, slots: usize) -> Result<(), Exhausted> {
        self.take(OBJECT_BYTES.saturating_add(SLOT_BYTES.saturating_mul(wide(slots))))
    }

    /// Takes the cells of one more slot of a thing that is made already.
    ///
    /// # Errors
    /// [`Exhausted::Memory`], when fewer are left.
    #[inline]
    pub fn grow(&mut self) -> Result<(), Exhausted> {
        self.take(SLOT_BYTES)
    }

    /// Takes the steps and cells of a text or of bytes that are made.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn make_bytes(&mut self, count: usize) -> Result<(), Exhausted> {
        self.spend_bytes(count)?;
        self.take(OBJECT_BYTES.saturating_add(wide(count)))
    }

    fn take(&mut self, bytes: u64) -> Result<(), Exhausted> {
        if let Some(left) = self.cells.checked_sub(bytes) {
            self.cells = left;
            Ok(())
        } else {
            self.cells = 0;
            Err(Exhausted::Memory)
        }
    }
}

/// Widens a count; no host has counts beyond 64 bits.
fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_has_its_price() {
        let mut meter = Meter {
            fuel: 10,
            cells: 200,
        };
        assert_eq!(meter.make(2), Ok(()));
        assert_eq!(meter.cells, 200 - 32 - 32);
        assert_eq!(meter.make_bytes(17), Ok(()));
        assert_eq!((meter.fuel, meter.cells), (8, 136 - 32 - 17));
        assert_eq!(meter.grow(), Ok(()));
        assert_eq!(meter.cells, 71);
    }

    #[test]
    fn a_meter_that_is_used_up_stays_so() {
        let mut meter = Meter { fuel: 3, cells: 31 };
        assert_eq!(meter.spend(4), Err(Exhausted::Fuel));
        assert_eq!(meter.spend(1), Err(Exhausted::Fuel));
        assert_eq!(meter.make(0), Err(Exhausted::Memory));
        assert_eq!(meter.make(usize::MAX), Err(Exhausted::Memory));
    }
}
