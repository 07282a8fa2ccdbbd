//! Opening a session that a command writes to: its lock, what was cut short before, and what its log says of the call.

use lonis_diagnostics::{Code, Failure};

use super::Surroundings;
use super::place::{Place, Session};
use crate::diagnose::During;
use crate::event::Event;
use crate::request::Request;
use crate::session_id::SessionId;
use crate::store::lock::Lock;

/// A session that is locked for one command.
#[derive(Debug)]
pub(super) struct Opening<'a> {
    pub(super) place: Place<'a>,
    id: SessionId,
    _lock: Lock,
}

/// What a command finds.
#[derive(Debug)]
pub(super) enum Found {
    /// A session that takes the command.
    Open(Box<Session>),
    /// A session whose log holds the call already: nothing is done again.
    Answered(Box<(Session, Event)>),
}

impl<'a> Opening<'a> {
    /// Locks the session of a request, and finishes what was cut short before.
    pub(super) fn of(
        request: &Request,
        surroundings: &Surroundings,
        during: During<'a>,
    ) -> Result<Self, Failure> {
        let id = request.session(during)?;
        let place = Place::open(request, surroundings, during)?;
        // Looked at first, so that an unknown session gets no directory for its lock.
        place.session(id.clone(), request)?;
        let lock = place.lock_session(&id, &*surroundings.clock)?;
        super::recover::first(&place, surroundings)?;
        Ok(Self {
            place,
            id,
            _lock: lock,
        })
    }

    /// Reads the session, whose events of these kinds answer a repeated call.
    pub(super) fn find(&self, request: &Request, kinds: &[&str]) -> Result<Found, Failure> {
        let session = self.place.session(self.id.clone(), request)?;
        let Some(event) = session.answered(request.call.as_deref()).cloned() else {
            return Ok(Found::Open(Box::new(self.place.opened(session)?)));
        };
        if kinds.contains(&event.fact.word()) {
            return Ok(Found::Answered(Box::new((session, event))));
        }
        let call = request.call.as_deref().unwrap_or_default();
        let message = format!(
            "call `{call}` was that of another command, which the log holds as `{}`",
            event.fact.word()
        );
        let diagnostic = self
            .place
            .during
            .diagnostic(Code::ToolInvalidInput, message)
            .with("pointer", "/call");
        Err(diagnostic.with("expected", "an id of its own").into())
    }
}
