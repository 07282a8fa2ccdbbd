//! The cancel tokens of the calls at the supervisor: one event for each token, however many calls have it.

use std::collections::{HashMap, HashSet};

use rustix::event::{PollFlags, epoll};

use super::super::cancel::{CancelToken, Stage};
use super::super::system_error::SystemError;
use super::line::{CallNumber, Place, Supervisor};

/// Which calls end when which token is cancelled.
#[derive(Default)]
pub(super) struct Tokens {
    by_mark: HashMap<CallNumber, Entry>,
    marks: HashMap<usize, CallNumber>,
}

struct Entry {
    token: CancelToken,
    seen: Stage,
    calls: HashSet<CallNumber>,
}

impl Tokens {
    /// Watches a token for a call.
    pub(super) fn add(
        &mut self,
        supervisor: &Supervisor,
        token: &CancelToken,
        call: CallNumber,
    ) -> Result<(), SystemError> {
        if let Some(entry) = self
            .marks
            .get(&token.identity())
            .and_then(|mark| self.by_mark.get_mut(mark))
        {
            entry.calls.insert(call);
            return Ok(());
        }
        let mark = supervisor.new_number();
        arm(supervisor, mark, token, Stage::Open)?;
        self.marks.insert(token.identity(), mark);
        let entry = Entry {
            token: token.clone(),
            seen: Stage::Open,
            calls: HashSet::from([call]),
        };
        self.by_mark.insert(mark, entry);
        Ok(())
    }

    /// Returns the calls of the token whose event this was, and watches for the next one.
    pub(super) fn calls(&mut self, supervisor: &Supervisor, mark: CallNumber) -> Vec<CallNumber> {
        let Some(entry) = self.by_mark.get_mut(&mark) else {
            return Vec::new();
        };
        entry.seen = entry.token.stage();
        // Without it the next event is seen when something else happens to the calls.
        let _ = arm(supervisor, mark, &entry.token, entry.seen);
        entry.calls.iter().copied().collect()
    }

    /// Forgets that a call has a token, and the token with its last call.
    pub(super) fn remove(
        &mut self,
        supervisor: &Supervisor,
        token: &CancelToken,
        call: CallNumber,
    ) {
        let Some(mark) = self.marks.get(&token.identity()).copied() else {
            return;
        };
        let Some(entry) = self.by_mark.get_mut(&mark) else {
            return;
        };
        entry.calls.remove(&call);
        if entry.calls.is_empty() {
            // The token lives on with its owner, and so does its event, which must not be reported any more.
            if let Ok(events) = entry.token.events_after(entry.seen) {
                for event in events.into_iter().flatten() {
                    let _ = epoll::delete(supervisor, event);
                }
            }
            self.by_mark.remove(&mark);
            self.marks.remove(&token.identity());
        }
    }
}

/// Reports once that a token has come further than what was seen.
fn arm(
    supervisor: &Supervisor,
    mark: CallNumber,
    token: &CancelToken,
    seen: Stage,
) -> Result<(), SystemError> {
    for event in token.events_after(seen)?.into_iter().flatten() {
        supervisor.arm(mark, Place::Token, event, PollFlags::IN)?;
    }
    Ok(())
}
