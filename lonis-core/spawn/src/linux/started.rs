use std::{
    error::Error,
    fmt, io, mem,
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
        unix::process::ExitStatusExt,
    },
    process::ExitStatus,
    time::Duration,
};

use super::{Backend, step::done};
use crate::Signal;

/// A child that runs its program, or has ended and is not reaped.
///
/// While this value lives nobody else has the child's number, as long as the host leaves its status alone. Reaping
/// consumes the value, and with it the number and every way to signal by it. Dropping it leaves the child as it is.
#[derive(Debug)]
#[must_use = "a child that is never reaped stays behind as a zombie"]
pub struct Started {
    pid: libc::pid_t,
    pidfd: OwnedFd,
    backend: Backend,
}

impl Started {
    pub(super) const fn new(pid: libc::pid_t, pidfd: OwnedFd, backend: Backend) -> Self {
        Self {
            pid,
            pidfd,
            backend,
        }
    }

    /// The child's number, which is its group's number too.
    pub const fn pid(&self) -> u32 {
        self.pid.cast_unsigned()
    }

    /// The backend that started it.
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// Looks whether the child has ended, without reaping it.
    ///
    /// # Errors
    /// [`ReapError::Lost`] where the status is gone; nothing can be learnt about this child any more.
    pub fn has_exited(&self) -> Result<bool, ReapError> {
        Ok(self.wait(libc::WNOHANG | libc::WNOWAIT)?.is_some())
    }

    /// Signals everything that has stayed in the child's group, by number: safe, since the number is pinned until the
    /// reap.
    ///
    /// # Errors
    /// `NotFound` where nothing is left in the group; `PermissionDenied` where all of it changed user; `InvalidInput`
    /// for a number that can be no child's group, which would be a broken invariant.
    pub fn signal_group(&self, signal: Signal) -> io::Result<()> {
        // SAFETY: takes no pointer and cannot fail.
        if self.pid < 2 || self.pid == unsafe { libc::getpgrp() } {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // SAFETY: takes no pointer; the group is the child's.
        done(unsafe { libc::kill(-self.pid, signal.number()) })
    }

    /// Reaps the child if it has ended.
    ///
    /// # Errors
    /// [`ReapError::Running`] gives the child back; [`ReapError::Lost`] where its status is gone.
    pub fn try_reap(self) -> Result<Reaped, ReapError> {
        match self.wait(libc::WNOHANG)? {
            Some(reaped) => Ok(reaped),
            None => Err(ReapError::Running(self)),
        }
    }

    /// Waits for the child's end, however long that takes, and reaps it.
    ///
    /// # Errors
    /// [`ReapError::Lost`] where the status is gone.
    ///
    /// # Example
    /// After that there is nothing left that could signal a stranger:
    /// ```compile_fail,E0382
    /// fn end(child: lonis_spawn::Started) {
    ///     let reaped = child.reap();
    ///     child.signal_group(lonis_spawn::Signal::KILL);
    /// }
    /// ```
    pub fn reap(self) -> Result<Reaped, ReapError> {
        match self.wait(0)? {
            Some(reaped) => Ok(reaped),
            None => Err(ReapError::Running(self)),
        }
    }

    /// Waits through the pidfd, so that a number that somebody else's wait has given away is never met.
    fn wait(&self, options: libc::c_int) -> Result<Option<Reaped>, ReapError> {
        let (how, child) = (libc::P_PIDFD, self.pidfd.as_raw_fd());
        let options = options | libc::WEXITED;
        loop {
            // SAFETY: all bits zero is a valid value of these plain records.
            let (mut info, mut usage) = unsafe { (mem::zeroed(), mem::zeroed()) };
            let (to_info, to_usage) = (&raw mut info, &raw mut usage);
            // The C library's `waitid` gives no usage; the system call does.
            // SAFETY: the pidfd is open, and both records are valid for writing.
            let answer =
                unsafe { libc::syscall(libc::SYS_waitid, how, child, to_info, options, to_usage) };
            match done(answer).map_err(|error| error.raw_os_error().unwrap_or_default()) {
                Ok(()) => return Ok(Reaped::read(&info, &usage)),
                Err(libc::EINTR) => {}
                Err(libc::ECHILD) => return Err(ReapError::Lost),
                Err(errno) => return Err(ReapError::Refused { errno }),
            }
        }
    }
}

impl AsFd for Started {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }
}

/// A child that is gone; it has no number any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reaped {
    /// Exit code or signal.
    pub status: ExitStatus,
    /// What it used, with the children that it reaped itself.
    pub usage: Usage,
}

impl Reaped {
    fn read(info: &libc::siginfo_t, usage: &libc::rusage) -> Option<Self> {
        // SAFETY: a wait fills these members, and they stay zero where no child was ready.
        let (pid, status) = unsafe { (info.si_pid(), info.si_status()) };
        let raw = match info.si_code {
            libc::CLD_EXITED => (status & 0xff) << 8,
            libc::CLD_DUMPED => status | 0x80,
            _ => status,
        };
        let status = ExitStatus::from_raw(raw);
        let usage = Usage::read(usage);
        (pid != 0).then_some(Self { status, usage })
    }
}

/// What a child used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// CPU time in its own code.
    pub user: Duration,
    /// CPU time in the system on its behalf.
    pub system: Duration,
    /// Peak resident size in bytes. A child starts at the peak of the process that spawned it, so a smaller true peak
    /// is not seen.
    pub max_resident_bytes: u64,
}

impl Usage {
    fn read(usage: &libc::rusage) -> Self {
        Self {
            user: duration(usage.ru_utime),
            system: duration(usage.ru_stime),
            max_resident_bytes: usage.ru_maxrss.cast_unsigned().saturating_mul(1024),
        }
    }
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = Duration::from_secs(time.tv_sec.cast_unsigned());
    seconds + Duration::from_micros(time.tv_usec.cast_unsigned())
}

/// A child that was not reaped.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReapError {
    /// It has not ended.
    Running(Started),
    /// The system has no status for it: the host ignores SIGCHLD, or waits for children that are not its own.
    Lost,
    /// The system refuses to wait.
    Refused {
        /// Its error number.
        errno: i32,
    },
}

impl fmt::Display for ReapError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lost = "the child's status is lost: SIGCHLD is ignored, or another wait took it";
        match self {
            Self::Running(_) => formatter.write_str("the child has not ended"),
            Self::Lost => formatter.write_str(lost),
            Self::Refused { errno } => io::Error::from_raw_os_error(*errno).fmt(formatter),
        }
    }
}

impl Error for ReapError {}
