//! Process numbers of a call's own: the kernel ends all that have one together with the launcher, their first.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::PollFlags;

use super::super::proc;
use super::super::wait::is_ready;
use super::sweep::{MOST_PROCESSES, Sweep};

/// The tree of one call behind a launcher.
#[derive(Debug, Default)]
pub(crate) struct PidNamespace {
    launcher: Option<Launcher>,
}

#[derive(Debug)]
struct Launcher {
    pid: u32,
    /// Ready once it has ended, which is after all others have.
    end: Option<OwnedFd>,
}

impl PidNamespace {
    /// Notes the launcher, and what tells of its end.
    pub(crate) fn begun(&mut self, pid: u32, end: Option<BorrowedFd<'_>>) {
        // Without a number left for the copy its end is looked for, not waited for.
        let end = end.and_then(|end| end.try_clone_to_owned().ok());
        self.launcher = Some(Launcher { pid, end });
    }

    /// Looks whether all have ended; the launcher was killed, and takes them with it.
    pub(crate) fn sweep(&self) -> Sweep {
        let has_ended = |launcher: &Launcher| match &launcher.end {
            Some(end) => is_ready(end.as_fd()),
            None => proc::look(launcher.pid).is_none_or(|look| look.is_zombie),
        };
        match &self.launcher {
            Some(launcher) if !has_ended(launcher) => Sweep::Waiting,
            _ => Sweep::Done(Vec::new()),
        }
    }

    /// Returns what an unfinished sweep waits for.
    pub(crate) fn waits_for(&self) -> Option<(BorrowedFd<'_>, PollFlags)> {
        let end = self.launcher.as_ref()?.end.as_ref()?;
        Some((end.as_fd(), PollFlags::IN))
    }

    /// Returns the processes that can be seen, the launcher left out: it is not the tool's.
    pub(crate) fn members(&self) -> Vec<u32> {
        self.unfinished().into_iter().skip(1).collect()
    }

    /// Returns the launcher and what can be seen below it.
    pub(crate) fn unfinished(&self) -> Vec<u32> {
        let launcher = self.launcher.as_ref();
        let pids = launcher.map(|launcher| proc::descendants(launcher.pid, MOST_PROCESSES));
        pids.unwrap_or_default()
    }
}
