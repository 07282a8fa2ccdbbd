//! Where a command works: the root, its store, and the session that it is about.

use std::time::Duration;

use lonis_diagnostics::{Code, Failure};
use serde_json::{Value, json};

use super::{Surroundings, hermetic, record_file};
use crate::clock::Clock;
use crate::diagnose::During;
use crate::engine::{Record, Status};
use crate::event::{Event, Fact};
use crate::file_set::POLICY_FILE;
use crate::identity::Domain;
use crate::policy::Policy;
use crate::request::Request;
use crate::session_id::SessionId;
use crate::snapshot::live::LiveTree;
use crate::store::disk::Disk;
use crate::store::layout::{self, JOURNALS};
use crate::store::lock::{self, Hold, Lock, LockError, Owner, Subject};
use crate::store::log::{self, Log};
use crate::store::objects::ReadObjects;
use crate::store::stored::StoredObjects;

/// The longest policy file.
pub(super) const MAX_POLICY_BYTES: u64 = 1 << 20;

/// The most patches and attempts of a record in a result, the newest ones.
const MAX_SHOWN: usize = 32;

/// A root with its store.
#[derive(Debug)]
pub(super) struct Place<'a> {
    pub(super) live: LiveTree,
    pub(super) disk: Box<dyn Disk>,
    pub(super) during: During<'a>,
    /// The session that the command is about, whose policy says how long a lock is waited for.
    about: Option<SessionId>,
}

/// A session with its log, as it was read.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: SessionId,
    pub(super) log: Log,
    pub(super) record: Record,
}

/// The locks of a writing command, in the order in which they were taken.
#[derive(Debug)]
pub(super) struct Locks {
    _session: Lock,
    _store: Lock,
}

impl<'a> Place<'a> {
    /// Opens a root; nothing is written.
    pub(super) fn open(
        request: &Request,
        surroundings: &Surroundings,
        during: During<'a>,
    ) -> Result<Self, Failure> {
        let live = LiveTree::open(&request.root, surroundings.git.clone())
            .map_err(|error| during.fail(error))?;
        let disk = (surroundings.open_disk)(&request.root).map_err(|error| {
            let diagnostic = during.diagnostic(
                Code::SessionRootUnavailable,
                format!("the root cannot be opened: {error}"),
            );
            Failure::from(diagnostic.with("reason", error.to_string()))
        })?;
        Ok(Self {
            live,
            disk,
            during,
            about: request.session(during).ok(),
        })
    }

    /// Takes the locks of a writing command: its session's alone, the store's beside others.
    pub(super) fn lock(&self, session: &SessionId, clock: &dyn Clock) -> Result<Locks, Failure> {
        let own = self.lock_session(session, clock)?;
        let store = self.lock_store(Hold::Shared)?;
        Ok(Locks {
            _session: own,
            _store: store,
        })
    }

    /// Takes a session's lock alone, and notes who holds it.
    pub(super) fn lock_session(
        &self,
        session: &SessionId,
        clock: &dyn Clock,
    ) -> Result<Lock, Failure> {
        let lock = self.acquire(&Subject::Session(session.clone()), Hold::Exclusive)?;
        let owner = Owner {
            pid: std::process::id(),
            boot: lock::boot(),
            command: self.during.0.to_owned(),
            session: Some(session.to_string()),
            since: clock.now().to_string(),
        };
        lock::note_owner(&self.disk, &owner);
        Ok(lock)
    }

    /// Takes the store's lock.
    pub(super) fn lock_store(&self, hold: Hold) -> Result<Lock, Failure> {
        self.acquire(&Subject::Store, hold)
    }

    fn acquire(&self, subject: &Subject, hold: Hold) -> Result<Lock, Failure> {
        match lock::acquire(&self.disk, subject, hold, Duration::ZERO) {
            // Most locks are free, and then nobody needs to know the policy.
            Err(LockError::Busy { .. }) => {
                lock::acquire(&self.disk, subject, hold, self.lock_wait())
            }
            tried => tried,
        }
        .map_err(|error| self.during.fail(error))
    }

    /// How long a lock is waited for: what the session's frozen policy says, the live one where there is none.
    pub(super) fn lock_wait(&self) -> Duration {
        let policy = self.frozen_policy().or_else(|| self.live_policy());
        let session = policy.unwrap_or_default().session;
        Duration::from_millis(session.lock_wait_millis.get())
    }

    fn frozen_policy(&self) -> Option<Policy> {
        let log = Log::read(&self.disk, self.about.as_ref()?).ok()?;
        let record = Record::fold(log.events()).ok()??;
        let store = StoredObjects::open(&self.disk).ok()?;
        self.policy(&record, &store).ok()
    }

    fn live_policy(&self) -> Option<Policy> {
        let bytes = self.live.read(POLICY_FILE, MAX_POLICY_BYTES).ok()??;
        Policy::parse(std::str::from_utf8(&bytes).ok()?).ok()
    }

    /// Reads a session that has to be there.
    pub(super) fn session(&self, id: SessionId, request: &Request) -> Result<Session, Failure> {
        let log = Log::read(&self.disk, &id).map_err(|error| self.during.fail(error))?;
        let record = self.fold(&log)?.ok_or_else(|| self.unknown(&id))?;
        let session = Session { id, log, record };
        // A call that is repeated names the head that it saw the first time.
        if session.answered(request.call.as_deref()).is_none() {
            self.check_head(&session, request)?;
        }
        Ok(session)
    }

    /// Gives a session back that has to be open.
    pub(super) fn opened(&self, session: Session) -> Result<Session, Failure> {
        match session.record.status {
            Status::Open => Ok(session),
            closed => {
                let by = session
                    .log
                    .events()
                    .iter()
                    .rev()
                    .find(|event| matches!(event.fact, Fact::Applied(_) | Fact::Aborted {}));
                let message = format!("session `{}` is {}", session.id, closed.word());
                let diagnostic = self
                    .during
                    .diagnostic(Code::SessionNotOpen, message)
                    .with("status", closed.word());
                Err(diagnostic
                    .with("closed_by_seq", by.map(|event| event.seq))
                    .into())
            }
        }
    }

    /// Folds a log, and looks whether an apply of the session was cut short.
    pub(super) fn fold(&self, log: &Log) -> Result<Option<Record>, Failure> {
        let record = Record::fold(log.events()).map_err(|error| self.during.fail(error))?;
        Ok(record.map(|mut record| {
            let journal = format!("{JOURNALS}/{}", record.session);
            // While somebody holds the store alone, the journal is that of a command that is at work.
            record.recovery_pending =
                self.disk.look(&journal).is_ok_and(|look| look.is_some()) && self.is_store_free();
            if let Some(seen) = &mut record.verification {
                seen.hermetic = hermetic::of(&self.disk, &seen.evidence);
            }
            record
        }))
    }

    /// Adds an event to a log, and gives the record that follows from it, which is kept beside the log.
    pub(super) fn append(
        &self,
        log: &mut Log,
        clock: &dyn Clock,
        call: Option<String>,
        fact: Fact,
    ) -> Result<Option<Record>, Failure> {
        log.append(&self.disk, clock, call, fact)
            .map_err(|error| self.during.fail(error))?;
        let record = self.fold(log)?;
        if let Some(record) = &record {
            // Whatever becomes of it, the log alone decides, and `recover` writes it anew.
            let _ = record_file::write(&self.disk, record);
        }
        Ok(record)
    }

    fn is_store_free(&self) -> bool {
        let wait = Duration::ZERO;
        lock::acquire(&self.disk, &Subject::Store, Hold::Shared, wait).is_ok()
    }

    fn check_head(&self, session: &Session, request: &Request) -> Result<(), Failure> {
        let head = session.log.head();
        let Some(expected) = request.expect_head.filter(|expected| *expected != head) else {
            return Ok(());
        };
        let events = session.log.events();
        let since = events.iter().rev().position(|event| event.id == expected);
        let message = format!(
            "the log of `{}` is at `{head}`, expected `{expected}`",
            session.id
        );
        let diagnostic = self.during.diagnostic(Code::SessionHeadMoved, message);
        let diagnostic = diagnostic
            .with("expected_head", expected.to_string())
            .with("log_head", head.to_string());
        Err(diagnostic
            .with("events_since", since.map(|count| count as u64))
            .into())
    }

    fn unknown(&self, id: &SessionId) -> Failure {
        let known = log::sessions(&self.disk).unwrap_or_default();
        let nearest = lonis::nearest(id.as_str(), known.iter().map(SessionId::as_str), 3);
        let diagnostic = self
            .during
            .diagnostic(Code::SessionNotFound, format!("no session `{id}`"));
        diagnostic
            .with("session", id.as_str())
            .with("nearest", json!(nearest))
            .into()
    }

    /// The frozen policy of a session.
    pub(super) fn policy(
        &self,
        record: &Record,
        objects: &impl ReadObjects,
    ) -> Result<Policy, Failure> {
        let bytes = objects
            .read(Domain::Policy, &record.policy)
            .map_err(|error| self.during.fail(error))?;
        Policy::from_stored(&bytes).map_err(|error| {
            let diagnostic = self.during.diagnostic(
                Code::SessionSnapshotMismatch,
                format!("the stored policy is none: {error}"),
            );
            diagnostic
                .with("identity", record.policy.to_string())
                .with("observed", "no policy")
                .into()
        })
    }

    /// Makes the store where there is none.
    pub(super) fn prepare(&self) -> Result<(), Failure> {
        layout::prepare(&self.disk).map_err(|error| self.during.fail(error))
    }
}

impl Session {
    /// The event that a call of this id led to, if it is in the log already.
    pub(super) fn answered(&self, call: Option<&str>) -> Option<&Event> {
        let call = call?;
        self.log
            .events()
            .iter()
            .find(|event| event.call.as_deref() == Some(call))
    }
}

/// The record as results hold it: patches and attempts are the newest ones.
pub(super) fn shown(record: &Record) -> Value {
    let mut value = json!(record);
    for list in ["patches", "attempts"] {
        if let Some(items) = value[list].as_array_mut() {
            let skipped = items.len().saturating_sub(MAX_SHOWN);
            items.drain(..skipped);
        }
    }
    value
}
