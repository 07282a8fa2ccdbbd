//! Events: the lines of a session's log, of which everything else about it follows.
//!
//! Owns their shape, their one spelling and their identity. That a line follows the one before it is for
//! [`store::log`](crate::store::log), what it means is for [`engine`](crate::engine).

use std::collections::BTreeMap;

use lonis::canonical;
use serde::{Deserialize, Serialize};

use crate::clock::Stamp;
use crate::identity::{Domain, Identity};
use crate::path::WorkspacePath;
use crate::session_id::SessionId;

/// The longest line with its end.
pub const MAX_LINE_BYTES: usize = 1024 * 1024;

/// The most names in one event.
pub const MAX_NAMES: usize = 20;

/// What stands before the first event.
pub const NO_EVENT: Identity = Identity::from_bytes([0; 32]);

/// One line of a log.
///
/// # Wire shape
/// One canonical line; `id` is the identity of the object without it.
/// ```
/// use lonis_session::event::{Event, Fact, NO_EVENT};
///
/// let at = "2026-03-01T12:00:00.500Z".to_owned().try_into().unwrap();
/// let event = Event::new(0, NO_EVENT, at, Some("c1".to_owned()), Fact::Aborted {});
/// let line = event.line();
/// assert!(line.starts_with(r#"{"at":"2026-03-01T12:00:00.500Z","call":"c1","data":{},"id":""#));
/// assert_eq!(Event::parse(line.as_bytes()).unwrap(), event);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its place, from 0.
    pub seq: u64,
    /// The event before it, or [`NO_EVENT`].
    pub prev: Identity,
    /// When it was written; decides nothing.
    pub at: Stamp,
    /// The host's call that led to it.
    pub call: Option<String>,
    /// What happened.
    pub fact: Fact,
    /// The identity of all the above.
    pub id: Identity,
}

/// What happened to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "data", rename_all = "lowercase")]
pub enum Fact {
    /// A base was frozen.
    Begun(Begun),
    /// A patch joined the chain.
    Staged(Candidate),
    /// A patch was refused by the obligations.
    Attempted(Attempted),
    /// Obligations ran on the current snapshot.
    Tested(Tested),
    /// The session stands on another base.
    Rebased(Rebased),
    /// The result was written back.
    Applied(Applied),
    /// An apply that was cut short was undone or finished.
    Recovered(Recovered),
    /// The session was given up.
    Aborted {},
}

impl Fact {
    /// The word of the log.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Begun(_) => "begun",
            Self::Staged(_) => "staged",
            Self::Attempted(_) => "attempted",
            Self::Tested(_) => "tested",
            Self::Rebased(_) => "rebased",
            Self::Applied(_) => "applied",
            Self::Recovered(_) => "recovered",
            Self::Aborted {} => "aborted",
        }
    }
}

/// How a session began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// Its id.
    pub session: SessionId,
    /// The captured snapshot.
    pub base: Identity,
    /// The effective policy, frozen.
    pub policy: Identity,
    /// The obligations of that policy.
    pub obligation_set: Identity,
    /// Files and links in the base.
    pub files: u64,
    /// Length of their content.
    pub bytes: u64,
}

/// A patch, what it made, and what the obligations said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The patch as it was received.
    pub document: Identity,
    /// Its normal form.
    pub patch: Identity,
    /// Paths before and after.
    pub change_set: Identity,
    /// The snapshot that it was made for.
    pub before: Identity,
    /// The snapshot that it made.
    pub after: Identity,
    /// What its author wanted.
    pub intent: String,
    /// Who or what wrote it, in the author's words.
    pub provenance: Option<BTreeMap<String, String>>,
    /// What the obligations showed; `None` where none were asked for.
    pub evidence: Option<Identity>,
    /// Whether all of them held.
    pub obligations_ok: Option<bool>,
}

/// A candidate that the obligations refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempted {
    /// What was refused.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// Its number, from 1.
    pub attempt: u64,
}

/// A run of obligations on the current snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tested {
    /// What they ran on.
    pub snapshot: Identity,
    /// What they showed.
    pub evidence: Identity,
    /// Whether all that ran held.
    pub obligations_ok: bool,
    /// The names that were asked for; `None` for the whole set.
    pub only: Option<Vec<String>>,
}

/// How a rebase joins the live tree and the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RebaseMode {
    /// No path changed on both sides.
    Disjoint,
}

/// A change of base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebased {
    /// How.
    pub mode: RebaseMode,
    /// The base before.
    pub from_base: Identity,
    /// The live tree's snapshot.
    pub base: Identity,
    /// The current snapshot before.
    pub from_current: Identity,
    /// The union of both.
    pub current: Identity,
    /// What the obligations showed on it.
    pub evidence: Identity,
}

/// What was written back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// What the live tree was.
    pub base: Identity,
    /// What it became.
    pub target: Identity,
    /// The difference.
    pub change_set: Identity,
    /// Paths created or replaced.
    pub written: u64,
    /// Paths removed.
    pub removed: u64,
    /// Names under `kept/` of files that somebody else saved in the middle; at most [`MAX_NAMES`].
    pub kept: Vec<String>,
}

/// How far an apply had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JournalState {
    /// Paths are being swapped.
    Writing,
    /// All paths are at target, durably.
    Written,
}

/// Which of its two states a tree was brought to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecoveryOutcome {
    /// What it was before the apply.
    Base,
    /// What the apply was to make of it.
    Target,
}

/// How an apply that was cut short ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recovered {
    /// How far it had come.
    pub from: JournalState,
    /// What the tree is now.
    pub outcome: RecoveryOutcome,
    /// Paths that stay as somebody else left them; at most [`MAX_NAMES`].
    pub conflicts: Vec<WorkspacePath>,
}

/// A line that is no event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// Not an event of this version.
    #[error("the line is no event: {0}")]
    Shape(String),
    /// Another spelling than the one that is hashed, or members that no event has.
    #[error("the line is not in canonical form")]
    Spelling,
    /// The identity does not fit the rest.
    #[error("the line's `id` is not that of its content")]
    Identity,
}

#[derive(Serialize, Deserialize)]
struct Wire<'a, F> {
    schema: std::borrow::Cow<'a, str>,
    seq: u64,
    prev: Identity,
    #[serde(flatten)]
    fact: F,
    at: Stamp,
    call: Option<std::borrow::Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Identity>,
}

impl Event {
    /// Makes the event that follows `prev`.
    pub fn new(seq: u64, prev: Identity, at: Stamp, call: Option<String>, fact: Fact) -> Self {
        let mut event = Self {
            seq,
            prev,
            at,
            call,
            fact,
            id: NO_EVENT,
        };
        event.id = Identity::of(Domain::Event, event.text(None).as_bytes());
        event
    }

    /// The line with its end.
    pub fn line(&self) -> String {
        self.text(Some(self.id)) + "\n"
    }

    /// Reads a line, with or without its end.
    ///
    /// # Errors
    /// Anything that is not exactly a line that [`line`](Self::line) gives.
    pub fn parse(line: &[u8]) -> Result<Self, EventError> {
        let shape = |error: serde_json::Error| EventError::Shape(error.to_string());
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let wire: Wire<'_, Fact> = serde_json::from_slice(line).map_err(shape)?;
        let event = Self {
            seq: wire.seq,
            prev: wire.prev,
            at: wire.at,
            call: wire.call.map(std::borrow::Cow::into_owned),
            fact: wire.fact,
            id: wire.id.ok_or(EventError::Spelling)?,
        };
        if wire.schema != Domain::Event.schema() || event.text(Some(event.id)).as_bytes() != line {
            return Err(EventError::Spelling);
        }
        if Identity::of(Domain::Event, event.text(None).as_bytes()) != event.id {
            return Err(EventError::Identity);
        }
        Ok(event)
    }

    fn text(&self, id: Option<Identity>) -> String {
        let wire = Wire {
            schema: Domain::Event.schema().into(),
            seq: self.seq,
            prev: self.prev,
            fact: &self.fact,
            at: self.at.clone(),
            call: self.call.as_deref().map(Into::into),
            id,
        };
        canonical::text(&wire).expect("an event holds texts, counts and identities")
    }
}

#[cfg(test)]
pub(crate) mod tests;
