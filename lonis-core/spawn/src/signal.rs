use std::{
    io, mem,
    os::fd::{AsRawFd, BorrowedFd},
    ptr,
};

/// A signal by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signal(i32);

impl Signal {
    /// SIGKILL.
    pub const KILL: Self = Self(libc::SIGKILL);
    /// SIGTERM.
    pub const TERMINATE: Self = Self(libc::SIGTERM);
    /// SIGCONT.
    pub const CONTINUE: Self = Self(libc::SIGCONT);
    /// SIGSTOP.
    pub const STOP: Self = Self(libc::SIGSTOP);

    /// The system's number for it.
    pub const fn number(self) -> i32 {
        self.0
    }
}

/// What this process does when a child ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildSignal {
    /// The default: a child waits to be reaped.
    Default,
    /// A handler of the host runs, and a child waits to be reaped.
    Handled,
    /// Children are reaped by the system, and their status is lost.
    Ignored,
}

/// Tells what this process does when a child ends.
pub fn child_signal() -> ChildSignal {
    let action = action(libc::SIGCHLD);
    match action.sa_sigaction {
        _ if action.sa_flags & libc::SA_NOCLDWAIT != 0 => ChildSignal::Ignored,
        libc::SIG_IGN => ChildSignal::Ignored,
        libc::SIG_DFL => ChildSignal::Default,
        _ => ChildSignal::Handled,
    }
}

/// Sets SIGCHLD back to its default; for a program that owns its process, never for a library.
pub fn restore_child_signal() {
    // SAFETY: the default runs no code of ours, and the signal is one that can be set.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// Makes a write beyond the allowed size of a file an error of that write, where it would end this process; for a program
/// that owns its process, never for a library.
///
/// A program that this process starts, or becomes, has the default again.
pub fn survive_file_size_signal() {
    // Ignored by whoever started this process, it ends nothing, and what is started after it expects it so.
    if action(libc::SIGXFSZ).sa_sigaction != libc::SIG_DFL {
        return;
    }
    // SAFETY: the handler touches nothing, and all bits zero is a valid value of this plain record. A handler goes with the
    // program on exec, where an ignored signal would stay ignored.
    unsafe {
        let mut survived: libc::sigaction = mem::zeroed();
        survived.sa_sigaction = do_nothing as extern "C" fn(libc::c_int) as usize;
        survived.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGXFSZ, &raw const survived, ptr::null_mut());
    }
}

extern "C" fn do_nothing(_signal: libc::c_int) {}

/// Writes once, and never lets a closed pipe end this process, whatever the host made of SIGPIPE.
///
/// # Errors
/// The system's own: `BrokenPipe` for a closed pipe, `WouldBlock` and `Interrupted` as they come.
pub fn write_without_sigpipe(descriptor: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    let write = || {
        // SAFETY: the descriptor is open while it is borrowed, and the bytes are valid for their length.
        let written =
            unsafe { libc::write(descriptor.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
        usize::try_from(written).map_err(|_| io::Error::last_os_error())
    };
    // What the language sets at start: then there is nothing to hold back.
    if action(libc::SIGPIPE).sa_sigaction == libc::SIG_IGN {
        return write();
    }
    // SAFETY: all bits zero is a valid value of these plain records, and each is valid for the call that it is given
    // to.
    let (pipe, before) = unsafe {
        let (mut pipe, mut before) = (mem::zeroed(), mem::zeroed());
        libc::sigemptyset(&raw mut pipe);
        libc::sigaddset(&raw mut pipe, libc::SIGPIPE);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const pipe, &raw mut before);
        (pipe, before)
    };
    // One that waits already was sent to the host, and stays.
    let was_pending = is_pending();
    let result = write();
    if result.is_err() && !was_pending && is_pending() {
        let mut signal = 0;
        // SAFETY: the set holds SIGPIPE alone, which is blocked and waits, so the call returns at once.
        unsafe { libc::sigwait(&raw const pipe, &raw mut signal) };
    }
    // SAFETY: the mask that the call above has filled in.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut()) };
    result
}

fn is_pending() -> bool {
    // SAFETY: all bits zero is a valid value of this plain record, which is valid for both calls.
    unsafe {
        let mut pending = mem::zeroed();
        libc::sigpending(&raw mut pending);
        libc::sigismember(&raw const pending, libc::SIGPIPE) == 1
    }
}

/// What this process does at a signal.
fn action(signal: i32) -> libc::sigaction {
    // SAFETY: all bits zero is a valid value of this plain record; no new action is given, and the call fails for no
    // signal that is asked for here.
    unsafe {
        let mut action = mem::zeroed();
        libc::sigaction(signal, ptr::null(), &raw mut action);
        action
    }
}
