//! The cancel tokens of the calls at the supervisor: one event for each token, however many calls have it.

use std::collections::{HashMap, HashSet};

use rustix::event::{PollFlags, epoll};

use super::super::cancel::CancelToken;
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
        supervisor.arm(mark, Place::Token, token.event()?, PollFlags::IN)?;
        self.marks.insert(token.identity(), mark);
        let entry = Entry {
            token: token.clone(),
            calls: HashSet::from([call]),
        };
        self.by_mark.insert(mark, entry);
        Ok(())
    }

    /// Returns the calls of the token whose event this was.
    pub(super) fn calls(&self, mark: CallNumber) -> Vec<CallNumber> {
        self.by_mark
            .get(&mark)
            .map(|entry| entry.calls.iter().copied().collect())
            .unwrap_or_default()
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
            if let Ok(event) = entry.token.event() {
                // The token lives on with its owner, and so does its event, which must not be reported any more.
                let _ = epoll::delete(supervisor, event);
            }
            self.by_mark.remove(&mark);
            self.marks.remove(&token.identity());
        }
    }
}
