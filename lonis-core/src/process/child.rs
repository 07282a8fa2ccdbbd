//! The leader of a call, from its spawn to its reap.

use std::os::fd::{AsFd, BorrowedFd};

use lonis_spawn::Signal;

use super::ended::{Ended, StatusLost};
use super::leader::Leader;
use super::outcome::Backend;

/// A leader that was started and is not reaped: its number is its own, and its group's.
///
/// The reap consumes the value, so that nothing can be signalled by a number that may be somebody else's by then.
#[derive(Debug)]
pub(crate) struct Child {
    leader: Leader,
    #[cfg(test)]
    substitute: Option<substitute::Silence>,
}

impl Child {
    pub(crate) fn new(leader: Leader) -> Self {
        Self {
            leader,
            #[cfg(test)]
            substitute: substitute::next(),
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.leader.pid()
    }

    /// Returns which backend started it.
    pub(crate) fn backend(&self) -> Backend {
        self.leader.backend()
    }

    /// Returns what tells of the end of everything that it has started, where that is known.
    pub(crate) fn end_of_all(&self) -> Option<BorrowedFd<'_>> {
        self.leader.end_of_all()
    }

    /// Looks whether it has exited, without reaping it.
    pub(crate) fn has_exited(&self) -> Result<bool, StatusLost> {
        #[cfg(test)]
        if self.substitute.is_some() {
            return Ok(false);
        }
        self.leader.has_exited()
    }

    /// Signals everything that has stayed in its group.
    pub(crate) fn signal_group(&self, signal: Signal) {
        #[cfg(test)]
        substitute::record(substitute::Act::Signal(signal.number()));
        // The group may be empty but for the leader that waits for its reap; then the signal is for nobody. A child that
        // changed its user can refuse TERM and KILL alike, and is then reported as left behind.
        let _ = self.leader.signal_group(signal);
    }

    /// Reaps it, or gives it back if it has not ended.
    pub(crate) fn try_reap(self) -> Result<Ended, Refusal> {
        #[cfg(test)]
        {
            substitute::record(substitute::Act::Reap);
            if self.substitute.is_some() {
                return Err(Refusal::Running(Box::new(self)));
            }
        }
        match self.leader.try_reap() {
            Ok(Ok(ended)) => Ok(ended),
            Ok(Err(leader)) => Err(Refusal::Running(Box::new(Self {
                leader,
                #[cfg(test)]
                substitute: self.substitute,
            }))),
            Err(StatusLost) => Err(Refusal::Lost),
        }
    }
}

impl AsFd for Child {
    fn as_fd(&self) -> BorrowedFd<'_> {
        #[cfg(test)]
        if let Some(silence) = &self.substitute {
            return silence.as_fd();
        }
        self.leader.as_fd()
    }
}

/// A reap that gave nothing.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The child has not ended.
    Running(Box<Child>),
    /// Its status is gone; nothing is known of it any more.
    Lost,
}

/// What tests put in the place of the system, and what they see of what was asked of it.
#[cfg(test)]
pub(crate) mod substitute {
    use std::cell::{Cell, RefCell};
    use std::os::fd::OwnedFd;

    use rustix::event::{EventfdFlags, eventfd};

    /// The event of a child whose end is never reported.
    pub(crate) type Silence = OwnedFd;

    /// One thing that was done to a child.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Act {
        Signal(i32),
        Reap,
    }

    thread_local! {
        static SILENT: Cell<bool> = const { Cell::new(false) };
        static ACTS: RefCell<Vec<Act>> = const { RefCell::new(Vec::new()) };
    }

    /// Makes the next child of this thread one whose end is never reported.
    pub(crate) fn silence_next() {
        SILENT.set(true);
    }

    pub(super) fn next() -> Option<Silence> {
        SILENT
            .take()
            .then(|| eventfd(0, EventfdFlags::CLOEXEC).expect("an event"))
    }

    pub(super) fn record(act: Act) {
        ACTS.with_borrow_mut(|acts| acts.push(act));
    }

    /// Returns what was done to children by this thread since the last call.
    pub(crate) fn acts() -> Vec<Act> {
        ACTS.take()
    }
}
