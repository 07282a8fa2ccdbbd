//! Asking a running call to end, from any thread.

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

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
    cancelled: AtomicBool,
    // Made when a call first waits on the token. Once written it stays readable, so every waiting loop sees it.
    event: OnceLock<OwnedFd>,
}

impl CancelToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends all calls that have this token. Further calls of this function do nothing.
    pub fn cancel(&self) {
        // The flag comes first: a loop that makes its event after this store looks at the flag before it waits.
        if self.state.cancelled.swap(true, Ordering::SeqCst) {
            return;
        }
        if let Some(event) = self.state.event.get() {
            announce(event.as_fd());
        }
    }

    /// Returns whether the token was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.state.cancelled.load(Ordering::SeqCst)
    }

    /// Returns what all clones of this token have in common, and no other token that exists.
    pub(crate) fn identity(&self) -> usize {
        Arc::as_ptr(&self.state).addr()
    }

    /// Returns a descriptor that becomes readable when the token is cancelled.
    pub(crate) fn event(&self) -> Result<BorrowedFd<'_>, SystemError> {
        if self.state.event.get().is_none() {
            let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
            let made =
                eventfd(0, flags).map_err(|error| SystemError::of("create an event", error))?;
            // Another thread may have been first; its event serves as well and ours is closed.
            let event = self.state.event.get_or_init(|| made);
            if self.is_cancelled() {
                announce(event.as_fd());
            }
        }
        let event = self
            .state
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

    fn readable(token: &CancelToken) -> bool {
        let event = token.event().expect("an event");
        let mut set = [PollFd::new(&event, PollFlags::IN)];
        let none = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        poll(&mut set, Some(&none)).expect("poll") == 1
    }

    #[test]
    fn the_event_follows_the_flag_in_either_order() {
        let token = CancelToken::new();
        assert!(!readable(&token));
        token.cancel();
        token.cancel();
        assert!(readable(&token) && readable(&token));

        let token = CancelToken::new();
        token.cancel();
        assert!(readable(&token));
    }
}
