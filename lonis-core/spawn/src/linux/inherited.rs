use std::os::fd::{FromRawFd, OwnedFd, RawFd};

/// The number that [`Request::report`](super::Request::report) gets in the child.
const NUMBER: RawFd = 3;

/// Takes the descriptor that this program's host gave it as its fourth, and closes it to programs that this one starts.
///
/// `None` where there is none: it is taken once, and only by what was started with it.
pub fn inherited_report() -> Option<OwnedFd> {
    // SAFETY: takes no pointer; a number that is not open is an error.
    let flags = unsafe { libc::fcntl(NUMBER, libc::F_GETFD) };
    if flags < 0 || flags & libc::FD_CLOEXEC != 0 {
        return None;
    }
    // SAFETY: the number is open.
    unsafe { libc::fcntl(NUMBER, libc::F_SETFD, libc::FD_CLOEXEC) };
    // SAFETY: it is open and was not closed on exec, as everything is that a program opens through the standard library,
    // so it came from the host and nobody here owns it. The line above keeps a second call from taking it.
    Some(unsafe { OwnedFd::from_raw_fd(NUMBER) })
}
