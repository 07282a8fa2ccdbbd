//! Asking a running call to end, from any thread.

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};

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
        self.state.cancelled.is_raised()
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
        if self.state.killed.is_raised() {
            Stage::Killed
        } else if self.is_cancelled() {
            Stage::Cancelled
        } else {
            Stage::Open
        }
    }

    /// Returns what all clones of this token have in common, and no other token that exists.
    pub(crate) fn identity(&self) -> usize {
        Arc::as_ptr(&self.state).addr()
    }

    /// Returns a descriptor that is readable once the token has come further than a stage that was seen.
    pub(crate) fn event_after(&self, seen: Stage) -> Result<Option<BorrowedFd<'_>>, SystemError> {
        match seen {
            Stage::Open => self.state.cancelled.event().map(Some),
            Stage::Cancelled => self.state.killed.event().map(Some),
            Stage::Killed => Ok(None),
        }
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
    use super::*;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

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
        let after = |seen| token.event_after(seen).expect("an event");
        let is_readable_after = |seen| after(seen).is_some_and(is_readable);
        assert!(!is_readable_after(Stage::Open));
        token.cancel();
        token.cancel();
        assert!(is_readable_after(Stage::Open) && is_readable_after(Stage::Open));
        assert!(!is_readable_after(Stage::Cancelled) && token.stage() == Stage::Cancelled);
        token.kill();
        assert!(is_readable_after(Stage::Open) && is_readable_after(Stage::Cancelled));
        assert!(token.is_cancelled() && token.stage() == Stage::Killed);
        assert!(after(Stage::Killed).is_none());
    }

    #[test]
    fn a_flag_that_was_raised_before_its_event_is_told_all_the_same() {
        let flag = Flag::default();
        flag.raise();
        assert!(is_readable(flag.event().expect("an event")));
    }
}
