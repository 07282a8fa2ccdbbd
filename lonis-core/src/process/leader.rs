//! What has started the leader of a call, and how it is asked and told things.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use lonis_spawn::{ReapError, Signal, Started};

use super::ended::{Ended, StatusLost};
use super::launched::Launched;
use super::outcome::Backend;
use super::portable::PortableChild;

/// A leader of either kind, not reaped.
#[derive(Debug)]
pub(crate) enum Leader {
    /// By our own spawner.
    Spawned(Started),
    /// By our own spawner through a launcher.
    Launched(Launched),
    /// By the standard library.
    Portable(PortableChild),
}

impl Leader {
    pub(crate) fn pid(&self) -> u32 {
        match self {
            Self::Spawned(child) => child.pid(),
            Self::Launched(child) => child.launcher().pid(),
            Self::Portable(child) => child.pid(),
        }
    }

    pub(crate) fn backend(&self) -> Backend {
        match self {
            Self::Spawned(child) if child.backend() == lonis_spawn::Backend::Clone3 => {
                Backend::Clone3
            }
            Self::Spawned(_) => Backend::PosixSpawn,
            Self::Launched(_) => Backend::Clone3,
            Self::Portable(_) => Backend::Portable,
        }
    }

    /// Looks whether it has exited, without reaping it.
    pub(crate) fn has_exited(&self) -> Result<bool, StatusLost> {
        match self {
            Self::Spawned(child) => child.has_exited().map_err(|_| StatusLost),
            Self::Launched(child) => child.has_exited(),
            Self::Portable(child) => child.has_exited().map_err(|_| StatusLost),
        }
    }

    /// Returns what tells of the end of everything that it has started, where that is known.
    pub(crate) fn end_of_all(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Self::Launched(child) => Some(child.launcher().as_fd()),
            Self::Spawned(_) | Self::Portable(_) => None,
        }
    }

    /// Signals everything that has stayed in its group.
    pub(crate) fn signal_group(&self, signal: Signal) -> io::Result<()> {
        match self {
            Self::Spawned(child) => child.signal_group(signal),
            Self::Launched(child) => child.signal_group(signal),
            Self::Portable(child) => child.signal_group(signal),
        }
    }

    /// Reaps it, or gives it back if it has not ended.
    pub(crate) fn try_reap(self) -> Result<Result<Ended, Self>, StatusLost> {
        match self {
            Self::Spawned(child) => match child.try_reap() {
                Ok(reaped) => Ok(Ok(Ended {
                    status: reaped.status,
                    cpu: Some(reaped.usage.user + reaped.usage.system),
                    peak_memory_bytes: Some(reaped.usage.max_resident_bytes),
                    has_ended_others: false,
                })),
                Err(ReapError::Running(child)) => Ok(Err(Self::Spawned(child))),
                Err(_) => Err(StatusLost),
            },
            Self::Launched(child) => Ok(child.try_reap()?.map_err(Self::Launched)),
            Self::Portable(child) => match child.has_exited() {
                Ok(true) => child.reap().map(Ok).map_err(|_| StatusLost),
                Ok(false) => Ok(Err(Self::Portable(child))),
                Err(_) => Err(StatusLost),
            },
        }
    }
}

impl AsFd for Leader {
    /// Borrows what is ready for reading once it has exited.
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Spawned(child) => child.as_fd(),
            Self::Launched(child) => child.as_fd(),
            Self::Portable(child) => child.as_fd(),
        }
    }
}
