use std::{
    os::fd::RawFd,
    sync::atomic::{AtomicU8, Ordering},
};

/// One bit for each of the first three descriptors that was closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// Run by the C library before the standard library, which opens `/dev/null` in the place of what is closed: then nobody
/// could tell an output that is lost from one that was thrown away on purpose.
#[cfg(target_os = "linux")]
#[used]
// SAFETY: the section holds functions that are called once, by the only thread, before `main`; this one makes system
// calls and writes one word.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    for number in 0..3 {
        // SAFETY: takes no pointer; a number that is not open is an error.
        if unsafe { libc::fcntl(number, libc::F_GETFD) } < 0 {
            CLOSED.fetch_or(1 << number, Ordering::Relaxed);
        }
    }
}

/// Tells whether one of the first three descriptors was closed when this program started.
///
/// The standard library puts `/dev/null` there, so that what is written is lost without an error. Where the system gives
/// no way to look early enough the answer is `false`.
pub fn was_closed_at_start(number: RawFd) -> bool {
    (0..3).contains(&number) && CLOSED.load(Ordering::Relaxed) & (1 << number) != 0
}
