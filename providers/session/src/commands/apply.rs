//! `apply`: the proved result is written back, and nothing else.

mod live;
mod rebase;

use lonis_diagnostics::{Code, Failure};
use serde_json::{Value, json};

use self::live::Live;
use self::rebase::Moved;

use super::Surroundings;
use super::opening::{Found, Opening};
use super::place::{Place, Session, shown};
use super::proof::about;
use super::recover::{applied, unfinished, with_kept};
use crate::apply::plan::{Op, steps};
use crate::apply::{ApplyError, keep, swap};
use crate::diagnose::During;
use crate::event::{Event, Fact};
use crate::evidence::Evidence;
use crate::policy::Policy;
use crate::request::Request;
use crate::snapshot::change::{ChangeSet, difference};
use crate::store::journal::Journal;
use crate::store::layout::TEMPORARY;
use crate::store::lock::Hold;
use crate::store::stored::StoredObjects;

/// How often a session is moved onto a live tree that keeps changing.
const MAX_ROUNDS: u64 = 3;

/// What became of one try.
enum Tried {
    /// The answer.
    Done(Box<Value>),
    /// The live tree changed beside what the session changes, and a rebase is asked for and allowed.
    Moved(Box<Moved>),
}

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
    during: During<'_>,
) -> Result<Value, Failure> {
    let opening = Opening::of(request, surroundings, during)?;
    let place = &opening.place;
    let mut moved = None;
    let mut round = 0;
    loop {
        let store_lock = place.lock_store(Hold::Exclusive)?;
        unfinished(place, surroundings)?;
        let session = if let Some(session) = moved.take() {
            session
        } else {
            match opening.find(request, &["applied"])? {
                Found::Open(session) => *session,
                Found::Answered(found) => return answered(place, &found.0, &found.1),
            }
        };
        match attempt(place, session, surroundings, request, round)? {
            Tried::Done(data) => return Ok(*data),
            Tried::Moved(onto) if round == MAX_ROUNDS => {
                return Err(rebase::gave_up(during, &onto, round));
            }
            Tried::Moved(onto) => {
                // No lock of the store is held while an obligation runs.
                drop(store_lock);
                round += 1;
                moved = Some(rebase::run(place, *onto, surroundings, request, round)?);
            }
        }
    }
}

/// Writes the result back if the live tree is the base.
fn attempt(
    place: &Place<'_>,
    mut session: Session,
    surroundings: &Surroundings,
    request: &Request,
    rounds: u64,
) -> Result<Tried, Failure> {
    let during = place.during;
    let mut store = StoredObjects::open(&place.disk).map_err(|error| during.fail(error))?;
    let policy = place.policy(&session.record, &store)?;
    rebase::check_bound(request.rebase, &policy, during)?;
    let is_vacuous = verified(place, &session, &policy, &store)?;
    let record = &session.record;
    let changes = difference(&store, &record.base_snapshot, &record.current_snapshot)
        .map_err(|error| during.fail(error))?;
    if !changes.is_empty() {
        let live = Live::compare(place, &session, &policy, &mut store, &changes, request)?;
        if live.may_be_joined(request.rebase) {
            return Ok(Tried::Moved(Box::new(Moved {
                session,
                changes,
                live,
            })));
        }
        live.check(&session, during)?;
    }
    let mut journal = Journal::new(
        session.id.clone(),
        request.call.clone(),
        (record.base_snapshot, record.current_snapshot),
        ChangeSet::new(changes.clone()).identity(),
    );
    journal.paths = steps(session.id.as_str(), &changes);
    let written = if changes.is_empty() {
        swap::Written::default()
    } else {
        swap::write(&place.disk, &store, &mut journal)
            .map_err(|refused| with_kept(during.fail(refused.error), &refused.kept))?
    };
    let mut data = outcome(&journal, &written, is_vacuous);
    data["rebased"] = (rounds > 0).into();
    let finished = committed(place, &mut session, surroundings, request, &journal)?;
    data["kept"] = json!(finished.as_deref().unwrap_or_default());
    data["transaction"] = json!(place.fold(&session.log)?.as_ref().map(shown));
    match finished {
        Ok(_) => Ok(Tried::Done(Box::new(data))),
        Err(error) => Err(unfinished_business(during, &error).with_result(data)),
    }
}

/// Says in the log what is written, and puts away what came out; the inner error leaves that to the next command.
fn committed(
    place: &Place<'_>,
    session: &mut Session,
    surroundings: &Surroundings,
    request: &Request,
    journal: &Journal,
) -> Result<Result<Vec<String>, ApplyError>, Failure> {
    let has_journal = !journal.paths.is_empty();
    let settled = if has_journal {
        keep::settle(&place.disk, journal)
    } else {
        Ok(Vec::new())
    };
    let event = applied(journal, settled.as_deref().unwrap_or_default());
    let (clock, call) = (&*surroundings.clock, request.call.clone());
    place.append(&mut session.log, clock, call, Fact::Applied(event))?;
    Ok(settled.and_then(|mut kept| {
        if has_journal {
            kept.extend(keep::finish(&place.disk, journal)?);
            kept.dedup();
        }
        Ok(kept)
    }))
}

/// The answer to a call whose line the log holds: what it did, but for the means by which.
fn answered(place: &Place<'_>, session: &Session, event: &Event) -> Result<Value, Failure> {
    let during = place.during;
    let mut data = json!({"transaction": shown(&session.record)});
    if let Fact::Applied(applied) = &event.fact {
        let store = StoredObjects::open(&place.disk).map_err(|error| during.fail(error))?;
        let changes = difference(&store, &applied.base, &applied.target)
            .map_err(|error| during.fail(error))?;
        let paths = steps(session.id.as_str(), &changes).into_iter().map(
            |step| json!({"path": step.path, "op": step.op, "outcome": "written", "swap": null}),
        );
        data["paths"] = paths.collect();
        data["written"] = applied.written.into();
        data["removed"] = applied.removed.into();
        data["kept"] = json!(applied.kept);
        data["rebased"] = (!session.record.rebases.is_empty()).into();
        data["warnings"] = json!([]);
    }
    Ok(data)
}

/// The members of the result that tell of the paths.
fn outcome(journal: &Journal, written: &swap::Written, is_vacuous: bool) -> Value {
    let removed = written
        .paths
        .iter()
        .filter(|path| path.op == Op::Remove)
        .count();
    let vacuous = is_vacuous.then(
        || json!({"name": "vacuous", "path": null, "detail": "the policy declares no obligation"}),
    );
    let warnings = written
        .warnings
        .iter()
        .map(|(name, path)| json!({"name": name, "path": path, "detail": "see the path"}));
    json!({
        "paths": written.paths,
        "written": journal.paths.len() - removed,
        "removed": removed,
        "warnings": warnings.chain(vacuous).collect::<Vec<_>>(),
    })
}

/// The failure of an apply that is written and logged, and whose old files could not be put away.
fn unfinished_business(during: During<'_>, error: &ApplyError) -> Failure {
    let message = format!("the result is written, and what came out of the tree stays: {error}");
    let diagnostic = during.diagnostic(Code::SessionStateWrite, message);
    diagnostic
        .with("path", TEMPORARY)
        .with("reason", "the next writing command puts it away")
        .into()
}

/// Opens the evidence and checks it again, and says whether it is vacuous.
fn verified(
    place: &Place<'_>,
    session: &Session,
    policy: &Policy,
    store: &StoredObjects<'_>,
) -> Result<bool, Failure> {
    let during = place.during;
    let record = &session.record;
    let seen = record
        .verification
        .as_ref()
        .filter(|seen| seen.obligations_ok);
    let Some(seen) = seen else {
        let message = format!("no passing run on the current snapshot of `{}`", session.id);
        let last = record.verification.as_ref().map(|seen| seen.evidence);
        let diagnostic = during.diagnostic(Code::SessionUnverified, message);
        let diagnostic = diagnostic.with("current_snapshot", record.current_snapshot.to_string());
        return Err(diagnostic.with("last_evidence", json!(last)).into());
    };
    let about = about(record, record.current_snapshot);
    let evidence = Evidence::checked(store, &seen.evidence, about, &policy.obligations)
        .map_err(|error| during.fail(error))?
        .map_err(|error| during.fail(error))?;
    let refused = |code, reason: &str| {
        let diagnostic = during.diagnostic(
            code,
            format!("the evidence of `{}` is not enough: {reason}", session.id),
        );
        Failure::from(
            diagnostic
                .with("evidence", seen.evidence.to_string())
                .with("reason", reason),
        )
    };
    if evidence.vacuous && policy.session.require_obligations {
        return Err(refused(
            Code::PolicyEvidenceRequired,
            "it holds no obligation",
        ));
    }
    if !evidence.hermetic && policy.session.require_hermetic {
        return Err(refused(
            Code::PolicyHermeticRequired,
            "scratch was warm or a result reused",
        ));
    }
    Ok(evidence.vacuous)
}
