//! Waiting by the system's own clock and events.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::clock::Moment;
use super::system_error::SystemError;

/// Polls once; an interruption counts as a wake-up without events.
pub(crate) fn poll_until(set: &mut [PollFd<'_>], until: Option<Moment>) -> Result<(), SystemError> {
    let timeout = until.map(|until| timespec(Moment::now().until(until)));
    match poll(set, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(SystemError::of("wait for a process", error)),
    }
}

/// Returns whether a descriptor has something to read, without waiting for it.
pub(crate) fn is_ready(descriptor: BorrowedFd<'_>) -> bool {
    let mut set = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
    poll(&mut set, Some(&timespec(Duration::ZERO))).is_ok_and(|ready| ready > 0)
}

/// Waits without doing anything, for what the system has no event for.
pub(crate) fn pause(time: Duration) {
    let until = Moment::now().plus(time);
    while Moment::now() < until {
        if poll_until(&mut [], Some(until)).is_err() {
            break;
        }
    }
}

/// Returns a time in the form that the system takes.
pub(crate) fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    }
}
