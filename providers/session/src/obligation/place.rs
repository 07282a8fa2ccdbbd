//! Where an obligation runs, and what it finds there.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use lonis::process::{Confinement, View};

use super::redaction::Redaction;
use crate::policy::Obligation;
use crate::snapshot::materialise::Placement;

/// Variables by name.
pub(super) type Variables = BTreeMap<String, OsString>;

/// Where one obligation runs.
pub(super) struct Place<'a> {
    pub(super) root: &'a Path,
    pub(super) placement: Placement,
    /// What a command has mounted.
    pub(super) view: Option<View>,
    /// What a command may write to.
    pub(super) confinement: Confinement,
    /// Where a command that stands in the tree is seen outside of a run.
    pub(super) of_tree: Option<PathBuf>,
    pub(super) redaction: &'a Redaction,
}

impl Place<'_> {
    /// The directory in which it starts.
    pub(super) fn directory(&self, obligation: &Obligation) -> PathBuf {
        if obligation.cwd == "." {
            self.root.to_path_buf()
        } else {
            self.root.join(&obligation.cwd)
        }
    }

    /// Where a git that looks upward has to stop, so that it does not find the live repository.
    pub(super) fn ceiling(&self) -> Option<&Path> {
        self.root.parent()
    }
}

/// The variables that an obligation sees: those passed on that are set, and its own.
pub(super) fn environment(obligation: &Obligation) -> Variables {
    let passed = obligation
        .pass_env
        .iter()
        .filter_map(|name| Some((name.clone(), std::env::var_os(name)?)));
    let own = obligation
        .env
        .iter()
        .map(|(name, value)| (name.clone(), OsString::from(value)));
    passed.chain(own).collect()
}
