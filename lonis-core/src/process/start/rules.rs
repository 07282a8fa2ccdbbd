//! The rules that one call is held to, built before its start, and what of them is in force.

use std::fs::File;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use lonis_spawn::Ruleset;

use super::super::confinement::{Confined, Confinement, ConfinementReport};
use super::super::failure::ProcessError;
use super::super::outcome::Backend;
use super::super::program::Program;

/// Devices that take what is written to them and keep nothing.
const HARMLESS_DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

/// Why the backend cannot hold rules.
const NO_RULES: &str = "programs are started in a way that knows no rules for files";
/// Why the kernel cannot.
const NO_LANDLOCK: &str = "the kernel has no landlock";

/// The rules of one call, built before its start.
#[derive(Debug, Default)]
pub(super) struct Rules {
    ruleset: Option<Ruleset>,
    files: Option<bool>,
    has_tcp_rule: bool,
}

impl Rules {
    /// Builds the rules of a call; what has to be held and cannot be is refused.
    pub(super) fn build(program: &Program, private: Option<&Path>) -> Result<Self, ProcessError> {
        let Some(confinement) = program.confinement() else {
            return Ok(Self::default());
        };
        let Some(writable) = confinement.writable() else {
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
        if confinement.is_required() {
            return Err(ProcessError::ConfinementNotHeld { missing });
        }
        Ok(Self {
            files: Some(false),
            ..Self::default()
        })
    }

    pub(super) fn ruleset(&self) -> Option<&Ruleset> {
        self.ruleset.as_ref()
    }

    /// Says what is in force, once it is known whether the network could be closed.
    pub(super) fn report(
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
