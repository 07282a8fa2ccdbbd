//! What a program may change and reach: rules that the kernel holds it to, and what of them it could not.

use std::fmt;
use std::fs::File;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use lonis_spawn::Ruleset;

use super::failure::ProcessError;
use super::outcome::Backend;
use super::program::Program;

/// Devices that take what is written to them and keep nothing.
const HARMLESS_DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

/// Why the backend cannot hold rules.
const NO_RULES: &str = "programs are started in a way that knows no rules for files";
/// Why the kernel cannot.
const NO_LANDLOCK: &str = "the kernel has no landlock";

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

/// The rules of one call, built before its start.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    ruleset: Option<Ruleset>,
    files: Option<bool>,
    has_tcp_rule: bool,
}

impl Rules {
    /// Builds the rules of a call; what has to be held and cannot be is refused.
    pub(crate) fn build(program: &Program, private: Option<&Path>) -> Result<Self, ProcessError> {
        let Some(confinement) = program.confinement() else {
            return Ok(Self::default());
        };
        let Some(writable) = &confinement.writable else {
            return Ok(Self::default());
        };
        if program.backend() != Backend::Clone3 {
            return Self::without_files(confinement, NO_RULES);
        }
        let Ok(ruleset) = Ruleset::against_changes(confinement.closes_network()) else {
            return Self::without_files(confinement, NO_LANDLOCK);
        };
        let devices = HARMLESS_DEVICES.iter().map(Path::new);
        let folders = writable.iter().map(PathBuf::as_path).chain(private);
        for place in folders.chain(devices) {
            // What is not there can be written to by nobody; a folder that is made later is not one that was allowed.
            let Ok(opened) = File::open(place) else {
                continue;
            };
            let is_folder = opened.metadata().is_ok_and(|found| found.is_dir());
            if ruleset.allow(opened.as_fd(), is_folder).is_err() {
                return Self::without_files(confinement, NO_LANDLOCK);
            }
        }
        Ok(Self {
            has_tcp_rule: confinement.closes_network() && ruleset.knows_tcp(),
            ruleset: Some(ruleset),
            files: Some(true),
        })
    }

    fn without_files(
        confinement: &Confinement,
        missing: &'static str,
    ) -> Result<Self, ProcessError> {
        if confinement.is_required {
            return Err(ProcessError::ConfinementNotHeld { missing });
        }
        Ok(Self {
            files: Some(false),
            ..Self::default()
        })
    }

    pub(crate) fn ruleset(&self) -> Option<&Ruleset> {
        self.ruleset.as_ref()
    }

    /// Says what is in force, once it is known whether the network could be closed.
    pub(crate) fn report(
        &self,
        program: &Program,
        is_network_closed: bool,
    ) -> Option<ConfinementReport> {
        let confinement = program.confinement()?;
        let mut report = ConfinementReport::default();
        match self.files {
            Some(true) => report.enforced.push(Confined::Files),
            Some(false) => report.unenforced.push(Confined::Files),
            None => {}
        }
        if confinement.closes_network() {
            match (is_network_closed, self.has_tcp_rule) {
                (true, _) => report.enforced.push(Confined::Network),
                (false, true) => report.unenforced.push(Confined::NetworkBesideTcp),
                (false, false) => report.unenforced.push(Confined::Network),
            }
        }
        Some(report)
    }
}
