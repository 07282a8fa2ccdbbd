//! Paths that stand in the live tree and are in no session: what the rules of a policy leave out.

use std::cell::OnceCell;
use std::sync::Arc;

use crate::file_set::{Excluded, FileSetRules, Reason};
use crate::identity::Identity;
use crate::patch::files::{Files, PathState};
use crate::path::WorkspacePath;
use crate::snapshot::live::LiveTree;
use crate::snapshot::tree::TreeError;
use crate::store::disk::{Kind, ancestors_of};

/// The live tree as far as it is left out; it is walked only when a path is asked for that may be.
#[derive(Debug)]
pub(super) struct LeftOut<'a> {
    live: &'a LiveTree,
    rules: FileSetRules,
    found: OnceCell<Vec<Excluded>>,
    /// What stands in no working tree, and so meets no walk.
    sparse: OnceCell<Vec<String>>,
}

impl<'a> LeftOut<'a> {
    pub(super) fn new(live: &'a LiveTree, rules: FileSetRules) -> Self {
        Self {
            live,
            rules,
            found: OnceCell::new(),
            sparse: OnceCell::new(),
        }
    }

    /// Why a path is left out that no snapshot holds; `None` where it is not, be it that nothing stands there.
    pub(super) fn reason(&self, path: &WorkspacePath) -> Option<Reason> {
        let stands = |path: &str| self.live.look(path).ok().flatten();
        let is_leaf = stands(path.as_str()).is_some_and(|stat| stat.kind != Kind::Directory);
        // A repository inside that is skipped is left out as a whole.
        let is_inside = || {
            let mut above = ancestors_of(path.as_str());
            above.any(|above| stands(&format!("{above}/.git")).is_some())
        };
        if !is_leaf && !is_inside() {
            return self.is_sparse(path).then_some(Reason::Sparse);
        }
        let excluded = self.found.get_or_init(|| {
            // What cannot be walked is told by whoever captures it.
            let set = self.live.file_set(&self.rules);
            set.map(|set| set.excluded).unwrap_or_default()
        });
        let found = excluded
            .iter()
            .find(|excluded| covers(&excluded.path, path))?;
        // An empty directory is an ordinary parent.
        (found.reason != Reason::EmptyDirectory).then_some(found.reason)
    }
}

impl LeftOut<'_> {
    /// Whether the index knows a path that nothing stands at on purpose.
    fn is_sparse(&self, path: &WorkspacePath) -> bool {
        let sparse = self.sparse.get_or_init(|| {
            // What cannot be read is told by whoever captures it.
            self.live.sparse(&self.rules).unwrap_or_default()
        });
        sparse.iter().any(|left_out| covers(left_out, path))
    }
}

/// Whether a path that is left out is this one or one above it.
fn covers(left_out: &str, path: &WorkspacePath) -> bool {
    let rest = path.as_str().strip_prefix(left_out);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The files of a snapshot beside what is left out of it.
#[derive(Debug)]
pub(super) struct Beside<'a, F> {
    pub(super) files: F,
    pub(super) left_out: LeftOut<'a>,
}

impl<F: Files> Files for Beside<'_, F> {
    fn state(&self, path: &WorkspacePath) -> Result<PathState, TreeError> {
        Ok(match self.files.state(path)? {
            PathState::Absent if self.left_out.reason(path).is_some() => PathState::NotCaptured,
            state => state,
        })
    }

    fn blob(&self, blob: &Identity) -> Result<Arc<[u8]>, TreeError> {
        self.files.blob(blob)
    }

    fn names(&self, directory: Option<&WorkspacePath>) -> Result<Vec<Box<str>>, TreeError> {
        self.files.names(directory)
    }
}
