//! `apply`: the proved result is written back, and nothing else.

use lonis_diagnostics::{Code, Failure};
use serde_json::{Value, json};

use super::Surroundings;
use super::place::{Place, Session, shown};
use super::recover::{applied, unfinished, with_kept};
use super::test::about;
use crate::apply::plan::{Op, is_free, steps};
use crate::apply::{ApplyError, keep, swap};
use crate::diagnose::During;
use crate::event::Fact;
use crate::evidence::Evidence;
use crate::policy::Policy;
use crate::request::Request;
use crate::snapshot::capture;
use crate::snapshot::change::{Change, ChangeSet, difference};
use crate::snapshot::stat_cache::StatCache;
use crate::store::journal::Journal;
use crate::store::layout::TEMPORARY;
use crate::store::lock::Hold;
use crate::store::objects::Layered;
use crate::store::stored::StoredObjects;

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
    during: During<'_>,
) -> Result<Value, Failure> {
    let id = request.session(during)?;
    let place = Place::open(request, surroundings, during)?;
    place.session(id.clone(), request)?;
    let _session_lock = place.lock_session(&id, &*surroundings.clock)?;
    let _store_lock = place.lock_store(Hold::Exclusive)?;
    unfinished(&place, surroundings)?;
    let session = place.session(id.clone(), request)?;
    if session.answered(request.call.as_deref()).is_some() {
        return Ok(json!({"transaction": shown(&session.record)}));
    }
    let mut session = place.open_session(id, request)?;
    let store = StoredObjects::open(&place.disk).map_err(|error| during.fail(error))?;
    let policy = place.policy(&session.record, &store)?;
    let is_vacuous = verified(&place, &session, &policy, &store)?;
    let record = &session.record;
    let changes = difference(&store, &record.base_snapshot, &record.current_snapshot)
        .map_err(|error| during.fail(error))?;
    check_live(&place, &session, &policy, &store, &changes, request)?;
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
    let finished = committed(&place, &mut session, surroundings, request, &journal)?;
    data["kept"] = json!(finished.as_deref().unwrap_or_default());
    data["transaction"] = json!(place.fold(&session.log)?.as_ref().map(shown));
    match finished {
        Ok(_) => Ok(data),
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
    session
        .log
        .append(
            &place.disk,
            &*surroundings.clock,
            request.call.clone(),
            Fact::Applied(event),
        )
        .map_err(|error| place.during.fail(error))?;
    Ok(settled.and_then(|mut kept| {
        if has_journal {
            kept.extend(keep::finish(&place.disk, journal)?);
            kept.dedup();
        }
        Ok(kept)
    }))
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
        "rebased": false,
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

/// Compares the live tree with the base; a difference refuses the apply.
fn check_live(
    place: &Place<'_>,
    session: &Session,
    policy: &Policy,
    store: &StoredObjects<'_>,
    changes: &[Change],
    request: &Request,
) -> Result<(), Failure> {
    let during = place.during;
    let rules = policy.file_rules().map_err(|error| during.fail(error))?;
    let cache = if request.fresh {
        StatCache::default()
    } else {
        StatCache::load(&place.disk)
    };
    let captured =
        capture::look(&place.live, &rules, &cache).map_err(|error| during.fail(error))?;
    let objects = Layered::new(captured.objects(), store);
    let live = difference(&objects, &session.record.base_snapshot, &captured.identity)
        .map_err(|error| during.fail(error))?;
    let touches = |change: &Change| {
        changes
            .iter()
            .any(|own| own.path.is_within(&change.path) || change.path.is_within(&own.path))
    };
    let row = |change: &Change| json!({"path": change.path, "expected": change.before, "observed": change.after});
    let (overlapping, disjoint): (Vec<&Change>, Vec<&Change>) =
        live.iter().partition(|change| touches(change));
    let mut overlapping: Vec<Value> = overlapping.into_iter().map(row).collect();
    // What the ignore rules leave out of the capture may stand where the session created a path.
    for own in changes.iter().filter(|own| own.before.is_none()) {
        let stands = !is_free(&place.disk, own.path.as_str()).unwrap_or(true);
        let is_directory = stands
            && place
                .live
                .look(own.path.as_str())
                .ok()
                .flatten()
                .is_some_and(|stat| stat.kind == crate::store::disk::Kind::Directory);
        let is_named = live.iter().any(|change| change.path == own.path);
        if stands && !is_named && !is_directory {
            overlapping
                .push(json!({"path": own.path, "expected": null, "observed": "not captured"}));
        }
    }
    if overlapping.is_empty() && disjoint.is_empty() {
        return Ok(());
    }
    let disjoint: Vec<Value> = disjoint.into_iter().map(row).collect();
    let count = overlapping.len() + disjoint.len();
    let noun = if count == 1 { "path" } else { "paths" };
    let diagnostic = during.diagnostic(
        Code::SessionStaleBase,
        format!("{count} {noun} changed since the base of `{}`", session.id),
    );
    Err(diagnostic
        .with("overlapping", overlapping)
        .with("disjoint", disjoint)
        .into())
}
