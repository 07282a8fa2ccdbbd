//! Where an obligation runs, and what it finds there.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::redaction::Redaction;
use crate::policy::Obligation;
use crate::snapshot::materialise::Placement;

/// Variables by name.
pub(super) type Variables = BTreeMap<String, OsString>;

/// Where one obligation runs.
pub(super) struct Place<'a> {
    pub(super) root: &'a Path,
    pub(super) placement: Placement,
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

    /// Whether an earlier run left anything in a directory that is kept for this obligation.
    pub(super) fn is_warm(&self, obligation: &Obligation) -> bool {
        let is_filled = |folder: PathBuf| {
            folder
                .read_dir()
                .is_ok_and(|mut entries| entries.next().is_some())
        };
        let mut scratch = obligation.scratch.iter();
        scratch.any(|path| is_filled(self.root.join(path.as_path())))
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
