//! Capabilities, faked and real.

use std::rc::Rc;

use crate::values::{Map, SplitMix64};

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadFailure {
    /// There is none.
    NotFound,
    /// It is there, and reading it failed.
    Failed(String),
}

/// What a program that was given real capabilities may reach.
pub trait World: std::fmt::Debug {
    /// Reads a file.
    ///
    /// # Errors
    /// When there is none or it cannot be read.
    fn read_file(&mut self, path: &str) -> Result<Vec<u8>, ReadFailure>;

    /// Gives the seconds since the epoch.
    fn seconds(&mut self) -> i64;

    /// Draws a number.
    fn random(&mut self) -> u64;
}

/// What an opaque value stands for.
#[derive(Clone, Debug)]
pub enum Capability {
    /// Real things, or the opaque values that no builtin looks into.
    Real,
    /// Files that hold these texts.
    FakeFs(Rc<Map>),
    /// A clock that stands still.
    FakeClock(i64),
    /// A source of chance that is the same each time.
    FakeRand(SplitMix64),
}
