//! What a session is: a fold over its log. No file is read, no clock is asked.
//!
//! Owns the record, its states, and what may follow what. How the log is kept is for [`store::log`](crate::store::log).

use serde::{Deserialize, Serialize};

use crate::event::{Applied, Attempted, Begun, Candidate, Event, Fact, Rebased};
use crate::identity::{Domain, Identity};
use crate::session_id::SessionId;

/// The most patches of a session.
pub const MAX_PATCHES: u64 = 4096;

/// The most attempts of a record, the newest ones; what older ones made is no longer reachable.
pub const MAX_ATTEMPTS: usize = 256;

/// The most open sessions of a store.
pub const MAX_OPEN_SESSIONS: usize = 256;

/// The schema id of a record.
pub const RECORD_SCHEMA: &str = "genesis/agent-transaction-v0.2";

/// Whether a session can still be worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It can.
    Open,
    /// Its result was written back.
    Applied,
    /// It was given up.
    Aborted,
}

impl Status {
    /// The word of the record.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Applied => "applied",
            Self::Aborted => "aborted",
        }
    }
}

/// A session as its log tells it.
///
/// # Wire shape
/// Closed; `recovery_pending` is filled in by whoever looks at the journals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Record {
    /// Always [`RECORD_SCHEMA`].
    pub schema: &'static str,
    /// Its id.
    pub session: SessionId,
    /// Its state.
    pub status: Status,
    /// What the live tree was, or is after a rebase.
    pub base_snapshot: Identity,
    /// What the patches made of it.
    pub current_snapshot: Identity,
    /// The frozen policy.
    pub policy: Identity,
    /// The obligations of that policy.
    pub obligation_set: Identity,
    /// The patches, the first one first.
    pub patches: Vec<PatchEntry>,
    /// How many there are.
    pub patch_count: u64,
    /// Changes of the base.
    pub rebases: Vec<RebaseEntry>,
    /// Candidates that the obligations refused.
    pub attempts: Vec<AttemptEntry>,
    /// How many there are.
    pub attempt_count: u64,
    /// What is known of exactly the current snapshot.
    pub verification: Option<Verification>,
    /// Whether an apply was cut short and waits for a recovery.
    pub recovery_pending: bool,
    /// The last event.
    pub log_head: Identity,
}

/// One patch of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PatchEntry {
    /// Its normal form.
    pub patch: Identity,
    /// Paths before and after.
    pub change_set: Identity,
    /// What it was made for.
    pub before_snapshot: Identity,
    /// What it made.
    pub after_snapshot: Identity,
    /// Whether the obligations held; `None` where none were asked.
    pub obligations_ok: Option<bool>,
    /// What they showed.
    pub evidence: Option<Identity>,
    /// What its author wanted.
    pub intent: String,
}

/// One refused candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AttemptEntry {
    /// The patch.
    #[serde(flatten)]
    pub patch: PatchEntry,
    /// Its number, from 1.
    pub attempt: u64,
}

/// One change of the base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RebaseEntry {
    /// How many patches stood before it.
    pub at_patch: u64,
    /// The base before.
    pub from_base: Identity,
    /// The base since.
    pub base: Identity,
    /// The current snapshot before.
    pub from_current: Identity,
    /// The current snapshot since.
    pub current: Identity,
}

/// The last run of the whole obligation set on exactly the current snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// The snapshot.
    pub snapshot: Identity,
    /// What the run showed.
    pub evidence: Identity,
    /// Whether all held.
    pub obligations_ok: bool,
    /// Whether there was nothing to hold.
    pub vacuous: bool,
    /// Whether nothing warm or reused had a part; filled in by whoever reads the evidence.
    pub hermetic: Option<bool>,
}

/// An event that cannot follow those before it (`session/state-invalid`).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} cannot follow: {rule}")]
pub struct FoldError {
    /// Its place.
    pub seq: u64,
    /// What it breaks.
    pub rule: &'static str,
}

impl Record {
    /// Folds a log; `None` where nothing began.
    ///
    /// # Errors
    /// The first event that cannot follow those before it.
    pub fn fold(events: &[Event]) -> Result<Option<Self>, FoldError> {
        let Some((first, rest)) = events.split_first() else {
            return Ok(None);
        };
        let Fact::Begun(begun) = &first.fact else {
            return Err(FoldError {
                seq: 0,
                rule: "a log begins with `begun`",
            });
        };
        let mut record = Self::begun(begun, first.id);
        for event in rest {
            record.follow(&event.fact).map_err(|rule| FoldError {
                seq: event.seq,
                rule,
            })?;
            record.log_head = event.id;
        }
        Ok(Some(record))
    }

    fn begun(begun: &Begun, log_head: Identity) -> Self {
        Self {
            schema: RECORD_SCHEMA,
            session: begun.session.clone(),
            status: Status::Open,
            base_snapshot: begun.base,
            current_snapshot: begun.base,
            policy: begun.policy,
            obligation_set: begun.obligation_set,
            patches: Vec::new(),
            patch_count: 0,
            rebases: Vec::new(),
            attempts: Vec::new(),
            attempt_count: 0,
            verification: None,
            recovery_pending: false,
            log_head,
        }
    }

    fn follow(&mut self, fact: &Fact) -> Result<(), &'static str> {
        if self.status != Status::Open {
            return match fact {
                Fact::Recovered(_) if self.status == Status::Applied => Ok(()),
                _ => Err("the session is closed"),
            };
        }
        match fact {
            Fact::Begun(_) => return Err("a session begins once"),
            Fact::Staged(candidate) => self.staged(candidate)?,
            Fact::Attempted(attempted) => self.attempted(attempted)?,
            Fact::Tested(tested) => {
                if tested.snapshot != self.current_snapshot {
                    return Err("a test is of the current snapshot");
                }
                if tested.only.is_none() {
                    self.verify(tested.evidence, tested.obligations_ok);
                }
            }
            Fact::Rebased(rebased) => self.rebased(rebased)?,
            Fact::Applied(applied) => self.applied(applied)?,
            Fact::Recovered(_) => {}
            Fact::Aborted {} => self.status = Status::Aborted,
        }
        Ok(())
    }

    fn staged(&mut self, candidate: &Candidate) -> Result<(), &'static str> {
        if candidate.before != self.current_snapshot {
            return Err("a patch is made for the current snapshot");
        }
        self.patches.push(PatchEntry::of(candidate));
        self.patch_count += 1;
        self.current_snapshot = candidate.after;
        self.verification = None;
        if let (Some(evidence), Some(ok)) = (candidate.evidence, candidate.obligations_ok) {
            self.verify(evidence, ok);
        }
        Ok(())
    }

    fn attempted(&mut self, attempted: &Attempted) -> Result<(), &'static str> {
        if attempted.candidate.before != self.current_snapshot {
            return Err("a candidate is made for the current snapshot");
        }
        self.attempt_count += 1;
        if attempted.attempt != self.attempt_count {
            return Err("attempts are counted from 1");
        }
        self.attempts.push(AttemptEntry {
            patch: PatchEntry::of(&attempted.candidate),
            attempt: attempted.attempt,
        });
        if self.attempts.len() > MAX_ATTEMPTS {
            self.attempts.remove(0);
        }
        Ok(())
    }

    fn rebased(&mut self, rebased: &Rebased) -> Result<(), &'static str> {
        if (rebased.from_base, rebased.from_current) != (self.base_snapshot, self.current_snapshot)
        {
            return Err("a rebase starts from base and current");
        }
        self.rebases.push(RebaseEntry {
            at_patch: self.patch_count,
            from_base: rebased.from_base,
            base: rebased.base,
            from_current: rebased.from_current,
            current: rebased.current,
        });
        self.base_snapshot = rebased.base;
        self.current_snapshot = rebased.current;
        self.verify(rebased.evidence, true);
        Ok(())
    }

    fn applied(&mut self, applied: &Applied) -> Result<(), &'static str> {
        if (applied.base, applied.target) != (self.base_snapshot, self.current_snapshot) {
            return Err("an apply leads from base to current");
        }
        self.status = Status::Applied;
        Ok(())
    }

    fn verify(&mut self, evidence: Identity, obligations_ok: bool) {
        self.verification = Some(Verification {
            snapshot: self.current_snapshot,
            evidence,
            obligations_ok,
            vacuous: self.obligation_set == empty_obligation_set(),
            hermetic: None,
        });
    }
}

/// The identity of the set without obligations, whose evidence is vacuous.
pub fn empty_obligation_set() -> Identity {
    Identity::of(
        Domain::ObligationSet,
        br#"{"obligations":[],"schema":"genesis/obligation-set-v0.2"}"#,
    )
}

impl PatchEntry {
    fn of(candidate: &Candidate) -> Self {
        Self {
            patch: candidate.patch,
            change_set: candidate.change_set,
            before_snapshot: candidate.before,
            after_snapshot: candidate.after,
            obligations_ok: candidate.obligations_ok,
            evidence: candidate.evidence,
            intent: candidate.intent.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, SystemClock};
    use crate::event::{NO_EVENT, Tested};

    fn identity(number: u8) -> Identity {
        Identity::from_bytes([number; 32])
    }

    fn fold(facts: Vec<Fact>) -> Result<Record, FoldError> {
        let begun = Fact::Begun(Begun {
            session: SessionId::new("s").unwrap(),
            base: identity(1),
            policy: identity(90),
            obligation_set: empty_obligation_set(),
            files: 0,
            bytes: 0,
        });
        let mut events = Vec::new();
        let mut head = NO_EVENT;
        for (seq, fact) in std::iter::once(begun).chain(facts).enumerate() {
            let event = Event::new(seq as u64, head, SystemClock.now(), None, fact);
            head = event.id;
            events.push(event);
        }
        Record::fold(&events).map(|record| record.unwrap())
    }

    fn candidate(before: u8, after: u8, ok: Option<bool>) -> Candidate {
        Candidate {
            document: identity(80),
            patch: identity(81),
            change_set: identity(82),
            before: identity(before),
            after: identity(after),
            intent: "x".to_owned(),
            provenance: None,
            evidence: ok.map(|_| identity(70)),
            obligations_ok: ok,
        }
    }

    fn tested(snapshot: u8, ok: bool, only: bool) -> Fact {
        Fact::Tested(Tested {
            snapshot: identity(snapshot),
            evidence: identity(71),
            obligations_ok: ok,
            only: only.then(|| vec!["unit".to_owned()]),
        })
    }

    fn applied(base: u8, target: u8) -> Fact {
        Fact::Applied(Applied {
            base: identity(base),
            target: identity(target),
            change_set: identity(82),
            written: 1,
            removed: 0,
            kept: Vec::new(),
        })
    }

    #[test]
    fn the_empty_set_has_its_published_identity() {
        let text = empty_obligation_set().to_string();
        assert_eq!(
            text,
            "aafd2ae7145817c976f983221870c214b8120871bcd9829d362d2b3fcbee01c0"
        );
    }

    #[test]
    fn a_failing_candidate_touches_neither_chain_nor_verification() {
        let attempt = |number| {
            Fact::Attempted(Attempted {
                candidate: candidate(2, 3, Some(false)),
                attempt: number,
            })
        };
        let record = fold(vec![
            Fact::Staged(candidate(1, 2, Some(true))),
            attempt(1),
            attempt(2),
        ])
        .unwrap();
        assert_eq!(
            (
                record.current_snapshot,
                record.patch_count,
                record.attempt_count
            ),
            (identity(2), 1, 2)
        );
        assert!(
            record
                .verification
                .is_some_and(|seen| seen.obligations_ok && seen.snapshot == identity(2))
        );
    }

    #[test]
    fn the_newest_attempts_are_kept_and_all_are_counted() {
        let attempts = (1..=MAX_ATTEMPTS as u64 + 3).map(|number| {
            Fact::Attempted(Attempted {
                candidate: candidate(1, 3, Some(false)),
                attempt: number,
            })
        });
        let record = fold(attempts.collect()).unwrap();
        assert_eq!(record.attempts.len(), MAX_ATTEMPTS);
        assert_eq!(record.attempts[0].attempt, 4);
        assert_eq!(record.attempt_count, MAX_ATTEMPTS as u64 + 3);
    }

    #[test]
    fn the_last_whole_run_on_the_current_snapshot_decides() {
        let staged = || Fact::Staged(candidate(1, 2, None));
        for (facts, expected) in [
            (vec![staged()], None),
            (vec![staged(), tested(2, true, false)], Some(true)),
            (
                vec![staged(), tested(2, true, false), tested(2, false, false)],
                Some(false),
            ),
            (vec![staged(), tested(2, true, true)], None),
            (
                vec![
                    staged(),
                    tested(2, true, false),
                    Fact::Staged(candidate(2, 4, None)),
                ],
                None,
            ),
        ] {
            let record = fold(facts).unwrap();
            assert_eq!(
                record.verification.map(|seen| seen.obligations_ok),
                expected
            );
        }
    }

    #[test]
    fn what_cannot_follow_is_refused_with_its_number() {
        for (facts, seq) in [
            (vec![Fact::Staged(candidate(9, 2, None))], 1),
            (vec![tested(9, true, false)], 1),
            (vec![applied(1, 9)], 1),
            (vec![Fact::Aborted {}, Fact::Aborted {}], 2),
            (vec![applied(1, 1), tested(1, true, false)], 2),
            (
                vec![Fact::Attempted(Attempted {
                    candidate: candidate(1, 2, Some(false)),
                    attempt: 2,
                })],
                1,
            ),
        ] {
            assert_eq!(fold(facts).unwrap_err().seq, seq);
        }
        assert_eq!(fold(vec![applied(1, 1)]).unwrap().status, Status::Applied);
    }
}
