//! Writing a result back: exactly the changed paths, each by compare and swap, all of them or none.
//!
//! [`plan`] says what is to be done, [`swap`] exchanges what was prepared and rolls back, [`recover`] undoes or finishes what was
//! cut short, [`keep`] puts away what came out; the journal between them is [`store::journal`](crate::store::journal)'s. All file
//! operations go through one [`Disk`].

mod exchange;
pub mod keep;
pub mod plan;
mod prepare;
pub mod recover;
pub mod swap;

use std::io;

use serde::Serialize;

use crate::path::WorkspacePath;
use crate::store::disk::Disk;
use crate::store::journal::{JournalError, Step};
use crate::store::objects::ObjectError;

/// A path whose live state is neither of the two that an apply knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The path.
    pub path: WorkspacePath,
    /// What it was.
    pub base: Option<crate::snapshot::tree::Entry>,
    /// What it was to become.
    pub target: Option<crate::snapshot::tree::Entry>,
    /// What stands there; `None` also for what is neither file nor link.
    pub observed: Option<crate::snapshot::tree::Entry>,
}

impl Conflict {
    /// Names a path that is at neither side.
    fn at(disk: &dyn Disk, step: &Step) -> Self {
        Self {
            path: step.path.clone(),
            base: step.base,
            target: step.target,
            observed: plan::state_at(disk, step.path.as_str()).ok().flatten(),
        }
    }
}

/// A result that was not written back, and what was put aside on the way.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct Refused {
    /// Why.
    pub error: ApplyError,
    /// Names under `kept/` of files that somebody else saved in the middle.
    pub kept: Vec<String>,
}

impl From<ApplyError> for Refused {
    fn from(error: ApplyError) -> Self {
        Self {
            error,
            kept: Vec::new(),
        }
    }
}

/// Why a result was not written back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// A path changed meanwhile; all was rolled back (`session/apply-conflict`).
    #[error("`{}` changed while it was applied", conflict.path)]
    Conflict {
        /// The path.
        conflict: Box<Conflict>,
    },
    /// The system refused; all was rolled back (`session/apply-failed`).
    #[error("`{path}` cannot be written")]
    Write {
        /// The path.
        path: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// What was written is not what was to be written; all was rolled back (`session/apply-mismatch`).
    #[error("`{path}` does not hold what was written")]
    Mismatch {
        /// The path.
        path: WorkspacePath,
    },
    /// There is no room for the plan; nothing was touched (`session/store-space`).
    #[error("the plan needs {needed_bytes} bytes, and {free_bytes} are free")]
    Space {
        /// The bytes of all new files.
        needed_bytes: u64,
        /// What is free.
        free_bytes: u64,
    },
    /// A blob cannot be had; nothing was touched.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The journal cannot be written or read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The roll-back could not finish; the journal is kept (`session/rollback-failed`).
    #[error("the apply could not be undone: {reason}")]
    Rollback {
        /// Why the apply failed.
        reason: String,
        /// Paths that stay as somebody else left them.
        conflicts: Vec<Conflict>,
    },
}

impl ApplyError {
    pub(crate) fn write(path: &str) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Write { path, source }
    }
}

#[cfg(test)]
mod tests;
