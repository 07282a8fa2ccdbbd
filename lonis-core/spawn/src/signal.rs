use std::{
    io, mem,
    os::fd::{AsRawFd, BorrowedFd},
    ptr,
};

/// A signal by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signal(i32);

impl Signal {
    /// SIGHUP.
    pub const HANGUP: Self = Self(libc::SIGHUP);
    /// SIGINT.
    pub const INTERRUPT: Self = Self(libc::SIGINT);
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
///
/// # Errors
/// The system's own, which a conforming one never gives.
pub fn child_signal() -> io::Result<ChildSignal> {
    let action = action(libc::SIGCHLD)?;
    Ok(match action.sa_sigaction {
        _ if action.sa_flags & libc::SA_NOCLDWAIT != 0 => ChildSignal::Ignored,
        libc::SIG_IGN => ChildSignal::Ignored,
        libc::SIG_DFL => ChildSignal::Default,
        _ => ChildSignal::Handled,
    })
}

/// Sets SIGCHLD back to its default; for a program that owns its process, never for a library.
///
/// # Errors
/// The system's own, which a conforming one never gives.
pub fn restore_child_signal() -> io::Result<()> {
    // SAFETY: all bits zero is the default action with no flags and an empty mask.
    let default: libc::sigaction = unsafe { mem::zeroed() };
    // SAFETY: `default` is a valid action that runs no code of ours.
    match unsafe { libc::sigaction(libc::SIGCHLD, &raw const default, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Writes once, and never lets a closed pipe end this process: that is an error of kind `BrokenPipe`, whatever the host made of
/// SIGPIPE.
///
/// # Errors
/// The system's own, `WouldBlock` and `Interrupted` among them.
pub fn write_without_sigpipe(descriptor: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    // What Rust sets at start: then there is nothing to hold back.
    if action(libc::SIGPIPE)?.sa_sigaction == libc::SIG_IGN {
        return write(descriptor, bytes);
    }
    let held = Held::new()?;
    let result = write(descriptor, bytes);
    if matches!(&result, Err(error) if error.kind() == io::ErrorKind::BrokenPipe) {
        held.consume();
    }
    result
}

fn write(descriptor: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: the descriptor is open while it is borrowed, and the bytes are valid for their length.
    let written =
        unsafe { libc::write(descriptor.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
    usize::try_from(written).map_err(|_| io::Error::last_os_error())
}

fn action(signal: i32) -> io::Result<libc::sigaction> {
    // SAFETY: all bits zero is a valid value of this plain record.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    // SAFETY: no new action is given, and `action` is valid for the old one.
    match unsafe { libc::sigaction(signal, ptr::null(), &raw mut action) } {
        0 => Ok(action),
        _ => Err(io::Error::last_os_error()),
    }
}

/// SIGPIPE blocked in this thread; the mask before it comes back on drop.
struct Held {
    pipe: libc::sigset_t,
    before: libc::sigset_t,
    /// One that was pending already belongs to the host.
    was_pending: bool,
}

impl Held {
    fn new() -> io::Result<Self> {
        let mut pipe = empty_set();
        // SAFETY: `pipe` is an initialised set, and SIGPIPE is a signal.
        unsafe { libc::sigaddset(&raw mut pipe, libc::SIGPIPE) };
        let was_pending = is_pending();
        let mut before = empty_set();
        // SAFETY: both sets are initialised and valid for the call.
        match unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const pipe, &raw mut before) } {
            0 => Ok(Self {
                pipe,
                before,
                was_pending,
            }),
            errno => Err(io::Error::from_raw_os_error(errno)),
        }
    }

    fn consume(&self) {
        if !self.was_pending && is_pending() {
            let mut signal = 0;
            // SAFETY: the set holds SIGPIPE alone, which is blocked and pending here, so the call returns at once.
            unsafe { libc::sigwait(&raw const self.pipe, &raw mut signal) };
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: `before` was filled by the call that blocked the signal.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, ptr::null_mut())
        };
    }
}

fn is_pending() -> bool {
    let mut pending = empty_set();
    // SAFETY: `pending` is valid for writing; an unwritten one stays empty.
    unsafe { libc::sigpending(&raw mut pending) };
    // SAFETY: `pending` is an initialised set, and SIGPIPE is a signal.
    unsafe { libc::sigismember(&raw const pending, libc::SIGPIPE) == 1 }
}

pub(crate) fn empty_set() -> libc::sigset_t {
    // SAFETY: a plain record of bits, initialised by the call below.
    let mut set: libc::sigset_t = unsafe { mem::zeroed() };
    // SAFETY: `set` is valid for writing.
    unsafe { libc::sigemptyset(&raw mut set) };
    set
}
