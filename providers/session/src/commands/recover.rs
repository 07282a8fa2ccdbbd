//! `recover`: an apply that was cut short is undone or finished, and the store is checked where that is asked for.

use std::collections::BTreeSet;

use lonis_diagnostics::{Code, Failure};
use serde_json::{Value, json};

mod effect;
mod rebuild;
mod verify;

use effect::Effect;

use super::Surroundings;
use super::place::Place;
use crate::apply::keep;
use crate::apply::recover::{self, Recovered};
use crate::diagnose::During;
use crate::engine::Status;
use crate::event::{self, Applied, Fact, JournalState, RecoveryOutcome};
use crate::path::WorkspacePath;
use crate::request::Request;
use crate::store::journal::{self, Journal};
use crate::store::layout::check_version;
use crate::store::lock::Hold;
use crate::store::log::Log;

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
    during: During<'_>,
) -> Result<Value, Failure> {
    let place = Place::open(request, surroundings, during)?;
    let accepted: BTreeSet<WorkspacePath> = request.accepted(during)?.into_iter().collect();
    let mut answer = json!({
        "recovered": [], "conflicts": [], "rebuilt": [], "orphans": [], "damaged": [], "effect": null,
    });
    if !check_version(&place.disk).map_err(|error| during.fail(error))? {
        if request.effect_of.is_some() {
            answer["effect"] = json!(Effect::None);
        }
        return Ok(answer);
    }
    {
        let _lock = place.lock_store(Hold::Exclusive)?;
        let recovered = all(&place, surroundings, &accepted)?;
        let conflicts = recovered
            .iter()
            .filter_map(|one| one["conflicts"].as_array());
        answer["conflicts"] = conflicts.flatten().cloned().collect();
        answer["recovered"] = recovered.into();
        answer["orphans"] = json!(rebuild::orphans(&place.disk));
        keep::sweep(&place.disk).map_err(|error| during.fail(error))?;
        answer["rebuilt"] = json!(rebuild::all(&place)?);
        if request.verify {
            let damaged = verify::check(&place)?;
            answer["damaged"] = json!(damaged);
            if let Some(refusal) = verify::refusal(&damaged, during) {
                return Err(refusal.with_result(answer));
            }
        }
    }
    if let Some(call) = &request.effect_of {
        answer["effect"] = json!(effect::of(&place, call)?);
    }
    Ok(answer)
}

/// Finishes what was cut short before another command writes; the store's lock is held alone.
pub(super) fn unfinished(place: &Place<'_>, surroundings: &Surroundings) -> Result<(), Failure> {
    all(place, surroundings, &BTreeSet::new()).map(|_| ())
}

/// Finishes what was cut short, and takes the store's lock alone for it only where there is anything.
pub(super) fn first(place: &Place<'_>, surroundings: &Surroundings) -> Result<(), Failure> {
    if journal::unfinished(&place.disk).is_ok_and(|sessions| sessions.is_empty()) {
        return Ok(());
    }
    let _lock = place.lock_store(Hold::Exclusive)?;
    unfinished(place, surroundings)
}

fn all(
    place: &Place<'_>,
    surroundings: &Surroundings,
    accepted: &BTreeSet<WorkspacePath>,
) -> Result<Vec<Value>, Failure> {
    let during = place.during;
    let sessions = journal::unfinished(&place.disk).map_err(|error| {
        Failure::from(
            during
                .diagnostic(Code::IoRead, "journals cannot be listed")
                .with("os_error", error.to_string()),
        )
    })?;
    let mut recovered = Vec::new();
    for session in sessions {
        let journal = Journal::read(&place.disk, &session).map_err(|error| during.fail(error))?;
        if let Some(journal) = journal {
            recovered.push(one(place, surroundings, &journal, accepted)?);
        }
    }
    Ok(recovered)
}

fn one(
    place: &Place<'_>,
    surroundings: &Surroundings,
    journal: &Journal,
    accepted: &BTreeSet<WorkspacePath>,
) -> Result<Value, Failure> {
    let during = place.during;
    let outcome =
        recover::recover(&place.disk, journal, accepted).map_err(|error| during.fail(error))?;
    if !outcome.conflicts.is_empty() {
        let message = format!(
            "`{}` of an interrupted apply was changed by someone else",
            outcome.conflicts[0].path
        );
        let diagnostic = during.diagnostic(Code::SessionRecoveryConflict, message);
        let diagnostic = diagnostic.with("paths", json!(outcome.conflicts));
        let failure = Failure::from(diagnostic.with_fact("session", journal.session.as_str()));
        return Err(with_kept(failure, &outcome.kept));
    }
    record(place, surroundings, journal, &outcome)?;
    let mut kept = outcome.kept;
    kept.extend(recover::clean(&place.disk, journal).map_err(|error| during.fail(error))?);
    Ok(json!({
        "session": journal.session,
        "from": journal.state,
        "outcome": outcome.outcome,
        "paths": journal.paths.iter().map(|step| &step.path).collect::<Vec<_>>(),
        "conflicts": outcome.accepted,
        "kept": kept,
    }))
}

/// Names the files that were put aside where a command fails all the same.
pub(super) fn with_kept(failure: Failure, kept: &[String]) -> Failure {
    if kept.is_empty() {
        return failure;
    }
    failure.with_result(json!({"kept": kept}))
}

/// Says in the log what became of the apply; before the journal goes.
fn record(
    place: &Place<'_>,
    surroundings: &Surroundings,
    journal: &Journal,
    outcome: &Recovered,
) -> Result<(), Failure> {
    let during = place.during;
    let mut log = Log::read(&place.disk, &journal.session).map_err(|error| during.fail(error))?;
    let Some(record) = place.fold(&log)? else {
        let rule = "an apply was cut short in a session that never began";
        let message = format!("the journal of `{}` has no log: {rule}", journal.session);
        let diagnostic = during.diagnostic(Code::SessionStateInvalid, message);
        return Err(diagnostic.with("rule", rule).into());
    };
    let fact = match journal.state {
        JournalState::Written if record.status == Status::Applied => return Ok(()),
        JournalState::Written => Fact::Applied(applied(journal, &outcome.kept)),
        JournalState::Writing => Fact::Recovered(event::Recovered {
            from: JournalState::Writing,
            outcome: RecoveryOutcome::Base,
            conflicts: outcome
                .accepted
                .iter()
                .take(event::MAX_NAMES)
                .cloned()
                .collect(),
        }),
    };
    let call = if journal.state == JournalState::Written {
        journal.call.clone()
    } else {
        None
    };
    place.append(&mut log, &*surroundings.clock, call, fact)?;
    Ok(())
}

/// The event of an apply that reached its target.
pub(super) fn applied(journal: &Journal, kept: &[String]) -> Applied {
    let written = journal
        .paths
        .iter()
        .filter(|step| step.target.is_some())
        .count() as u64;
    Applied {
        base: journal.base,
        target: journal.target,
        change_set: journal.change_set,
        written,
        removed: journal.paths.len() as u64 - written,
        kept: kept.iter().take(event::MAX_NAMES).cloned().collect(),
    }
}
