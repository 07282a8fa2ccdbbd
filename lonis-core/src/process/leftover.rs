//! What a call could not end in time, kept until it can be cleared away.

use std::os::fd::{AsFd, BorrowedFd};

use super::child::{Child, Refusal};
use super::folders::Folders;
use super::tree::{Sweep, Tree};

/// A leader that was killed and has not vanished, with what hangs on it.
#[derive(Debug)]
pub(crate) struct Leftover {
    pub(crate) child: Option<Child>,
    pub(crate) tree: Tree,
    pub(crate) folders: Option<Folders>,
}

/// What is still there after another attempt.
#[derive(Debug)]
pub(crate) enum Rest {
    /// A process; its end has to be waited for.
    Processes,
    /// Folders alone, whose removal may take long.
    Folders(Folders),
    Nothing,
}

impl Leftover {
    /// Tries once more to end and reap what is left.
    pub(crate) fn retry(&mut self) -> Rest {
        if let Some(child) = self.child.take()
            && let Err(Refusal::Running(child)) = child.try_reap()
        {
            self.child = Some(*child);
        }
        if self.child.is_some() || matches!(self.tree.sweep(), Sweep::Waiting) {
            return Rest::Processes;
        }
        // The call has returned long ago, so there is nobody to tell what cannot be cleared away.
        let _ = self.tree.end();
        self.folders.take().map_or(Rest::Nothing, Rest::Folders)
    }

    /// Returns what tells of the leader's end.
    pub(crate) fn event(&self) -> Option<BorrowedFd<'_>> {
        self.child.as_ref().map(AsFd::as_fd)
    }
}
