//! A patch that was staged before: answered from the log, with nothing done again.

use lonis_diagnostics::{Code, Failure};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::commands::place::{Session, shown};
use crate::commands::proof::Proof;
use crate::diagnose::During;
use crate::event::{Attempted, Candidate, Event, Fact};
use crate::evidence::Evidence;
use crate::identity::{Domain, Identity};
use crate::patch::files::{Files as _, PathState, SnapshotFiles};
use crate::snapshot::change::ChangeSet;
use crate::store::objects::ReadObjects as _;
use crate::store::stored::StoredObjects;

/// The answer to a document that a line of the log staged, if every path still stands as that line left it.
pub(super) fn applied(
    session: &Session,
    store: &StoredObjects<'_>,
    document: &Identity,
    during: During<'_>,
) -> Result<Option<Value>, Failure> {
    let staged = session
        .log
        .events()
        .iter()
        .rev()
        .find_map(|event| match &event.fact {
            Fact::Staged(candidate) if candidate.document == *document => Some(candidate),
            _ => None,
        });
    let Some(staged) = staged else {
        return Ok(None);
    };
    let changes = changes(store, staged, during)?;
    let files = SnapshotFiles::open(store, &session.record.current_snapshot)
        .map_err(|error| during.fail(error))?;
    for change in changes.changes() {
        let stands = match files.state(&change.path) {
            Ok(PathState::Leaf(entry)) => Some(entry),
            Ok(_) => None,
            Err(error) => return Err(during.fail(error)),
        };
        if stands != change.after {
            return Ok(None);
        }
    }
    answer(session, store, staged, &changes, during).map(Some)
}

/// The answer to a call whose line the log holds.
pub(super) fn answered(
    session: &Session,
    store: &StoredObjects<'_>,
    event: &Event,
    during: During<'_>,
) -> Result<Value, Failure> {
    match &event.fact {
        Fact::Staged(staged) => {
            let changes = changes(store, staged, during)?;
            answer(session, store, staged, &changes, during)
        }
        Fact::Attempted(attempted) => {
            let candidate = &attempted.candidate;
            let changes = changes(store, candidate, during)?;
            let mut data = answer(session, store, candidate, &changes, during)?;
            data["attempt"] = json!(attempted.attempt);
            data["already_applied"] = false.into();
            let failure = match proof(store, candidate, during)? {
                Some(proof) => proof.failure(during, Some(attempted.attempt)),
                None => unproved(attempted, during),
            };
            Err(failure.with_result(data))
        }
        _ => Ok(json!({"transaction": shown(&session.record), "already_applied": true})),
    }
}

fn changes(
    store: &StoredObjects<'_>,
    candidate: &Candidate,
    during: During<'_>,
) -> Result<ChangeSet, Failure> {
    stored(store, Domain::ChangeSet, &candidate.change_set, during)
}

/// The identity of each op of a stored patch.
fn op_identities(
    store: &StoredObjects<'_>,
    patch: &Identity,
    during: During<'_>,
) -> Result<Vec<Identity>, Failure> {
    let normal: Value = stored(store, Domain::Patch, patch, during)?;
    let ops = normal["ops"].as_array().into_iter().flatten();
    ops.map(|op| Identity::of_json(Domain::PatchOp, op))
        .collect::<Result<_, _>>()
        .map_err(|error| damaged(patch, &error.to_string(), during))
}

fn stored<T: DeserializeOwned>(
    store: &StoredObjects<'_>,
    domain: Domain,
    identity: &Identity,
    during: During<'_>,
) -> Result<T, Failure> {
    let bytes = store
        .read(domain, identity)
        .map_err(|error| during.fail(error))?;
    serde_json::from_slice(&bytes).map_err(|error| damaged(identity, &error.to_string(), during))
}

fn damaged(identity: &Identity, observed: &str, during: During<'_>) -> Failure {
    let message = format!("the stored object `{identity}` cannot be read: {observed}");
    let diagnostic = during.diagnostic(Code::SessionSnapshotMismatch, message);
    diagnostic
        .with("identity", identity.to_string())
        .with("observed", observed)
        .into()
}

/// What the run on a candidate showed.
fn proof(
    store: &StoredObjects<'_>,
    candidate: &Candidate,
    during: During<'_>,
) -> Result<Option<Proof>, Failure> {
    let read = |identity| Evidence::read(store, &identity).map(Proof::of);
    let proof = candidate.evidence.map(read).transpose();
    proof.map_err(|error| during.fail(error))
}

/// An attempt of which the log names no evidence.
fn unproved(attempted: &Attempted, during: During<'_>) -> Failure {
    let message = format!("attempt {} failed its obligations", attempted.attempt);
    let diagnostic = during.diagnostic(Code::SessionObligationsFailed, message);
    diagnostic
        .with("evidence", json!(attempted.candidate.evidence))
        .with("attempt", json!(attempted.attempt))
        .into()
}

fn answer(
    session: &Session,
    store: &StoredObjects<'_>,
    staged: &Candidate,
    changes: &ChangeSet,
    during: During<'_>,
) -> Result<Value, Failure> {
    let record = Some(&session.record);
    let mut data = match proof(store, staged, during)? {
        Some(proof) => proof.data(record),
        None => json!({"transaction": record.map(shown)}),
    };
    data["patch"] = json!(staged.patch);
    data["change_set"] = json!(staged.change_set);
    data["op_identities"] = json!(op_identities(store, &staged.patch, during)?);
    data["changes"] = json!(changes.changes());
    data["obligations_ok"] = json!(staged.obligations_ok);
    data["evidence"] = json!(staged.evidence);
    data["attempt"] = Value::Null;
    data["already_applied"] = true.into();
    data["warnings"] = json!([]);
    Ok(data)
}
