//! Asking a running call to end, from any thread.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::system_error::SystemError;

/// Ends the calls that it was given to, when [`CancelToken::cancel`] is called on any clone of it.
///
/// A cancelled token stays cancelled: a call that gets it later ends at once.
///
/// # Example
/// ```
/// use lonis_core::process::CancelToken;
///
/// let token = CancelToken::new();
/// let other = token.clone();
/// std::thread::spawn(move || other.cancel()).join().expect("the thread does not panic");
/// assert!(token.is_cancelled());
/// ```
#[derive(Clone, Default)]
pub struct CancelToken {
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    cancelled: Flag,
    killed: Flag,
    longest_grace_millis: AtomicU64,
    bell: Option<Bell>,
}

/// A pipe whose other end a signal handler can write to.
struct Bell {
    pipe: OwnedFd,
    rung: AtomicUsize,
}

/// How far a token has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    #[default]
    Open,
    Cancelled,
    /// No grace is given any more.
    Killed,
}

/// Something that happens once and can be waited for.
#[derive(Default)]
struct Flag {
    raised: AtomicBool,
    // Made when a call first waits for it. Once written it stays readable, so every waiting loop sees it.
    event: OnceLock<OwnedFd>,
}

impl CancelToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a token that the first byte from a pipe cancels, and the second [kills](Self::kill).
    ///
    /// A signal handler can write to a pipe and do little else, so a program that waits for calls in one thread needs
    /// no second one for its signals. Whoever drives a call watches the pipe; while nobody does, a byte is only kept.
    ///
    /// # Errors
    /// What the system says where the pipe cannot be read without waiting.
    pub fn rung_by(pipe: OwnedFd) -> io::Result<Self> {
        fcntl_setfl(&pipe, fcntl_getfl(&pipe)? | OFlags::NONBLOCK)?;
        let rung = AtomicUsize::new(0);
        let state = State {
            bell: Some(Bell { pipe, rung }),
            ..State::default()
        };
        Ok(Self {
            state: Arc::new(state),
        })
    }

    /// Ends all calls that have this token, each with its kill grace. Further calls of this function do nothing.
    pub fn cancel(&self) {
        self.state.cancelled.raise();
    }

    /// Ends all calls that have this token at once, also those that are in their grace.
    pub fn kill(&self) {
        // In this order, so that whoever sees the second has seen the first.
        self.state.cancelled.raise();
        self.state.killed.raise();
    }

    /// Returns whether the token was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.stage() >= Stage::Cancelled
    }

    /// Returns the longest kill grace of the calls that were given this token so far.
    ///
    /// Who cancels and waits for the calls to end has to wait at least as long.
    pub fn longest_grace(&self) -> Duration {
        Duration::from_millis(self.state.longest_grace_millis.load(Ordering::SeqCst))
    }

    /// Counts the kill grace of a call that this token ends.
    pub(crate) fn count_grace(&self, grace: Duration) {
        let millis = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        let longest = &self.state.longest_grace_millis;
        longest.fetch_max(millis, Ordering::SeqCst);
    }

    /// Returns how far the token has come.
    pub(crate) fn stage(&self) -> Stage {
        match self.state.bell.as_ref().map(Bell::rung) {
            None | Some(0) => {}
            Some(1) => self.cancel(),
            Some(_) => self.kill(),
        }
        if self.state.killed.is_raised() {
            Stage::Killed
        } else if self.state.cancelled.is_raised() {
            Stage::Cancelled
        } else {
            Stage::Open
        }
    }

    /// Returns what all clones of this token have in common, and no other token that exists.
    pub(crate) fn identity(&self) -> usize {
        Arc::as_ptr(&self.state).addr()
    }

    /// Returns descriptors of which one is readable once the token has come further than a stage that was seen.
    ///
    /// The pipe is one of them, and not the only one: of two that wait the first to look takes what is in it.
    pub(crate) fn events_after(
        &self,
        seen: Stage,
    ) -> Result<[Option<BorrowedFd<'_>>; 2], SystemError> {
        let flag = match seen {
            Stage::Open => &self.state.cancelled,
            Stage::Cancelled => &self.state.killed,
            Stage::Killed => return Ok([None; 2]),
        };
        let bell = self.state.bell.as_ref().map(|bell| bell.pipe.as_fd());
        Ok([Some(flag.event()?), bell])
    }
}

impl Bell {
    /// Returns how many bytes have come so far.
    fn rung(&self) -> usize {
        let mut bytes = [0; 8];
        // Nothing to read is the usual case; a pipe whose other end is gone rings no more.
        let came = rustix::io::read(&self.pipe, &mut bytes).unwrap_or(0);
        self.rung.fetch_add(came, Ordering::SeqCst) + came
    }
}

impl Flag {
    fn raise(&self) {
        // The flag comes first: a loop that makes the event after this store looks at the flag before it waits.
        self.raised.store(true, Ordering::SeqCst);
        if let Some(event) = self.event.get() {
            announce(event.as_fd());
        }
    }

    fn is_raised(&self) -> bool {
        self.raised.load(Ordering::SeqCst)
    }

    fn event(&self) -> Result<BorrowedFd<'_>, SystemError> {
        if self.event.get().is_none() {
            let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
            let made =
                eventfd(0, flags).map_err(|error| SystemError::of("create an event", error))?;
            // Another thread may have been first; its event serves as well and ours is closed.
            let event = self.event.get_or_init(|| made);
            if self.is_raised() {
                announce(event.as_fd());
            }
        }
        let event = self
            .event
            .get()
            .expect("set just above, and never taken out");
        Ok(event.as_fd())
    }
}

fn announce(event: BorrowedFd<'_>) {
    // The only refusal is a full counter, and then the event is readable already.
    let _ = rustix::io::write(event, &1_u64.to_ne_bytes());
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CancelToken")
            .field("cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    fn is_readable_after(token: &CancelToken, seen: Stage) -> bool {
        let events = token.events_after(seen).expect("an event");
        events.into_iter().flatten().any(is_readable)
    }

    fn is_readable(event: BorrowedFd<'_>) -> bool {
        let mut set = [PollFd::new(&event, PollFlags::IN)];
        let none = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        poll(&mut set, Some(&none)).expect("poll") == 1
    }

    #[test]
    fn an_event_tells_of_what_was_not_seen_yet() {
        let token = CancelToken::new();
        let is_readable_after = |seen| is_readable_after(&token, seen);
        assert!(!is_readable_after(Stage::Open));
        token.cancel();
        token.cancel();
        assert!(is_readable_after(Stage::Open) && is_readable_after(Stage::Open));
        assert!(!is_readable_after(Stage::Cancelled) && token.stage() == Stage::Cancelled);
        token.kill();
        assert!(is_readable_after(Stage::Open) && is_readable_after(Stage::Cancelled));
        assert!(token.is_cancelled() && token.stage() == Stage::Killed);
        let after_the_last = token.events_after(Stage::Killed).expect("no event is made");
        assert!(after_the_last.iter().all(Option::is_none));
    }

    #[test]
    fn bytes_of_a_pipe_cancel_and_then_kill() {
        let (reader, mut writer) = io::pipe().expect("a pipe");
        let token = CancelToken::rung_by(reader.into()).expect("a token");
        let mut ring = || writer.write_all(b"x").expect("room for a byte");
        assert!(!is_readable_after(&token, Stage::Open) && token.stage() == Stage::Open);
        ring();
        assert!(is_readable_after(&token, Stage::Open));
        assert!(token.is_cancelled() && token.stage() == Stage::Cancelled);
        // The byte is taken, and whoever waited with this one is told all the same.
        assert!(is_readable_after(&token, Stage::Open));
        assert!(!is_readable_after(&token, Stage::Cancelled));
        ring();
        assert!(is_readable_after(&token, Stage::Cancelled));
        assert!(token.clone().stage() == Stage::Killed);
        drop(writer);
        assert!(token.stage() == Stage::Killed);
    }

    #[test]
    fn a_token_with_a_pipe_is_cancelled_by_its_clones_too() {
        let (reader, mut writer) = io::pipe().expect("a pipe");
        let token = CancelToken::rung_by(reader.into()).expect("a token");
        token.clone().cancel();
        assert!(is_readable_after(&token, Stage::Open) && token.stage() == Stage::Cancelled);
        // The first byte says the same, and so does not kill.
        writer.write_all(b"x").expect("room for a byte");
        assert!(token.stage() == Stage::Cancelled);
    }

    #[test]
    fn a_flag_that_was_raised_before_its_event_is_told_all_the_same() {
        let flag = Flag::default();
        flag.raise();
        assert!(is_readable(flag.event().expect("an event")));
    }
}
