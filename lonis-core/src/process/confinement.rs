//! What a program may change and reach: rules that the kernel holds it to, and what of them it could not.

use std::fmt;
use std::path::PathBuf;

/// Rules for a program, beside those of its user.
///
/// # Example
/// ```
/// use lonis_core::process::{Confinement, Program, run};
///
/// let touch = Program::new("sh").with_args(["-c", "echo x > mine && ! echo x > /tmp/not-mine"]);
/// let captured = run(&touch.with_confinement(Confinement::writing_nowhere()), []);
/// let report = captured.outcome.confinement.expect("it was asked for");
/// assert!(!report.unenforced.is_empty() || captured.outcome.status.is_some_and(|status| status.is_success()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confinement {
    writable: Option<Vec<PathBuf>>,
    has_network: bool,
    is_required: bool,
}

impl Confinement {
    /// Allows no change of a file outside of the call's private folders, and no network.
    pub fn writing_nowhere() -> Self {
        Self::writing_below([])
    }

    /// Allows changes below these folders and the call's private ones alone, and no network.
    pub fn writing_below(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            writable: Some(folders.into_iter().collect()),
            has_network: false,
            is_required: false,
        }
    }

    /// Allows everything that the program's user may.
    pub fn none() -> Self {
        Self {
            writable: None,
            has_network: true,
            is_required: false,
        }
    }

    /// Allows the network.
    pub fn with_network(mut self) -> Self {
        self.has_network = true;
        self
    }

    /// Refuses to start the program where a rule cannot be held.
    pub fn required(mut self) -> Self {
        self.is_required = true;
        self
    }

    /// Returns where it may change files; everywhere where there is no list.
    pub(crate) fn writable(&self) -> Option<&[PathBuf]> {
        self.writable.as_deref()
    }

    pub(crate) fn closes_network(&self) -> bool {
        !self.has_network
    }

    pub(crate) fn is_required(&self) -> bool {
        self.is_required
    }
}

/// A part of the rules of a [`Confinement`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Confined {
    /// Changes of files.
    Files,
    /// The network as a whole.
    Network,
    /// What of the network is not TCP: the kernel keeps that from the program.
    NetworkBesideTcp,
}

impl Confined {
    /// Returns the word of outcomes.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Network => "network",
            Self::NetworkBesideTcp => "network-beside-tcp",
        }
    }
}

impl fmt::Display for Confined {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

/// What of the rules was in force.
///
/// # Wire shape
/// An object: `enforced` and `unenforced`, lists of `files`, `network` and `network-beside-tcp`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfinementReport {
    /// What the kernel held.
    pub enforced: Vec<Confined>,
    /// What it could not hold.
    pub unenforced: Vec<Confined>,
}
