//! `apply`: the proved result is written back, and nothing else.

use lonis_diagnostics::{Code, Failure};
use serde_json::{Value, json};

use super::Surroundings;
use super::place::{Place, Session, shown};
use super::recover::{applied, unfinished};
use super::test::about;
use crate::apply::plan::{is_free, steps};
use crate::apply::swap;
use crate::diagnose::During;
use crate::event::Fact;
use crate::evidence::Evidence;
use crate::policy::Policy;
use crate::request::Request;
use crate::snapshot::capture;
use crate::snapshot::change::{Change, ChangeSet, difference};
use crate::snapshot::stat_cache::StatCache;
use crate::store::journal::Journal;
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
    let change_set = ChangeSet::new(changes.clone()).identity();
    let snapshots = (record.base_snapshot, record.current_snapshot);
    let mut journal = Journal::new(
        session.id.clone(),
        request.call.clone(),
        snapshots,
        change_set,
    );
    journal.paths = steps(session.id.as_str(), &changes);
    let written = if changes.is_empty() {
        swap::Written::default()
    } else {
        swap::write(&place.disk, &store, &mut journal).map_err(|error| during.fail(error))?
    };
    let event = applied(&journal);
    let mut data = json!({"paths": written.paths, "written": event.written, "removed": event.removed, "rebased": false});
    session
        .log
        .append(
            &place.disk,
            &*surroundings.clock,
            request.call.clone(),
            Fact::Applied(event),
        )
        .map_err(|error| during.fail(error))?;
    // The result is written and the log says so: what is left is cleaned up by the next command where it fails here.
    let kept = if changes.is_empty() {
        Ok(Vec::new())
    } else {
        swap::finish(&place.disk, &journal)
    };
    data["kept"] = json!(kept.unwrap_or_default());
    let vacuous = is_vacuous.then(
        || json!({"name": "vacuous", "path": null, "detail": "the policy declares no obligation"}),
    );
    let warnings = written
        .warnings
        .iter()
        .map(|(name, path)| json!({"name": name, "path": path, "detail": "see the path"}));
    data["warnings"] = warnings.chain(vacuous).collect();
    data["transaction"] = json!(place.fold(&session.log)?.as_ref().map(shown));
    Ok(data)
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
    let diagnostic = during.diagnostic(
        Code::SessionStaleBase,
        format!("{count} paths changed since the base of `{}`", session.id),
    );
    Err(diagnostic
        .with("overlapping", overlapping)
        .with("disjoint", disjoint)
        .into())
}
