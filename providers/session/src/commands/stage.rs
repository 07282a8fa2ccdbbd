//! `stage`: a checked patch joins the chain, where the obligations hold on what it makes.

mod already;
mod asked;
mod locate;
mod refusal;

use lonis_diagnostics::{Code, Failure};
use serde_json::{Value, json};

use super::Surroundings;
use super::left_out::{Beside, LeftOut};
use super::opening::{Found, Opening};
use super::place::{Session, shown};
use super::proof::{Bench, Proof};
use crate::diagnose::During;
use crate::engine::{MAX_PATCHES, Record};
use crate::event::{Attempted, Candidate, Fact};
use crate::file_set::{Globs, POLICY_FILE};
use crate::identity::Domain;
use crate::obligation::Tell;
use crate::patch::engine::Rules;
use crate::patch::failure::Failure as Refusal;
use crate::patch::files::SnapshotFiles;
use crate::patch::outcome::Outcome;
use crate::path::WorkspacePath;
use crate::policy::Policy;
use crate::request::Request;
use crate::snapshot::manifest::update;
use crate::store::lock::Hold;
use crate::store::objects::ObjectMap;
use crate::store::stored::StoredObjects;
use asked::Asked;

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
    tell: &Tell<'_>,
    during: During<'_>,
) -> Result<Value, Failure> {
    let opening = Opening::of(request, surroundings, during)?;
    let place = &opening.place;
    let store_lock = place.lock_store(Hold::Shared)?;
    let found = opening.find(request, &["staged", "attempted"])?;
    let mut store = StoredObjects::open(&place.disk).map_err(|error| during.fail(error))?;
    let mut session = match found {
        Found::Open(session) => *session,
        Found::Answered(found) => {
            return already::answered(&found.0, &store, &found.1, during);
        }
    };
    let policy = place.policy(&session.record, &store)?;
    let asked = Asked::read(request, place, &store, during)?;
    if let Some(data) = already::applied(&session, &store, &asked.document, during)? {
        return Ok(data);
    }
    check_chain(&session, during)?;
    let rules = policy.file_rules().map_err(|error| during.fail(error))?;
    let left_out = LeftOut::new(&place.live, rules);
    let outcome = run_ops(
        &session,
        (&policy, surroundings),
        (&store, left_out),
        &asked,
        during,
    )?;
    let mut candidate = keep(&session, &mut store, &asked, &outcome, during)?;
    // No lock of the store is held while an obligation runs.
    drop(store_lock);
    let mut proof = None;
    if request.gate.as_deref() != Some("none") {
        let bench = Bench {
            place,
            surroundings,
            tell,
            request,
        };
        let ran = bench.prove(&session, &policy, &mut store, candidate.after)?;
        candidate.evidence = Some(ran.evidence.identity());
        candidate.obligations_ok = Some(ran.evidence.ok);
        proof = Some(ran);
    }
    let is_refused = candidate.obligations_ok == Some(false);
    let attempt = is_refused.then(|| session.record.attempt_count + 1);
    let fact = match attempt {
        Some(attempt) => Fact::Attempted(Attempted {
            candidate: candidate.clone(),
            attempt,
        }),
        None => Fact::Staged(candidate.clone()),
    };
    let (clock, call) = (&*surroundings.clock, request.call.clone());
    let record = place.append(&mut session.log, clock, call, fact)?;
    let data = answer(
        record.as_ref(),
        &candidate,
        &outcome,
        proof.as_ref(),
        attempt,
    );
    match proof.filter(|_| is_refused) {
        Some(proof) => Err(Proof::failure(&proof, during, attempt).with_result(data)),
        None => Ok(data),
    }
}

/// Refuses a patch beyond the most that a chain holds.
fn check_chain(session: &Session, during: During<'_>) -> Result<(), Failure> {
    if session.record.patch_count < MAX_PATCHES {
        return Ok(());
    }
    let message = format!("the chain holds {MAX_PATCHES} patches");
    let diagnostic = during
        .diagnostic(Code::SessionLimit, message)
        .with("key", "patches");
    Err(diagnostic
        .with("limit", MAX_PATCHES)
        .with("observed", MAX_PATCHES + 1)
        .into())
}

/// The data of the result.
fn answer(
    record: Option<&Record>,
    candidate: &Candidate,
    outcome: &Outcome,
    proof: Option<&Proof>,
    attempt: Option<u64>,
) -> Value {
    let without = || json!({"transaction": record.map(shown)});
    let mut data = proof.map_or_else(without, |proof| proof.data(record));
    data["patch"] = json!(candidate.patch);
    data["change_set"] = json!(candidate.change_set);
    data["op_identities"] = json!(outcome.op_identities);
    data["changes"] = json!(outcome.changes);
    data["obligations_ok"] = json!(candidate.obligations_ok);
    data["evidence"] = json!(candidate.evidence);
    data["attempt"] = json!(attempt);
    data["already_applied"] = false.into();
    let mut warnings = proof.map(Proof::warnings).unwrap_or_default();
    warnings.extend(outcome.warnings.iter().map(|warning| json!(warning)));
    data["warnings"] = warnings.into();
    data
}

fn run_ops(
    session: &Session,
    (policy, surroundings): (&Policy, &Surroundings),
    (store, left_out): (&StoredObjects<'_>, LeftOut<'_>),
    asked: &Asked,
    during: During<'_>,
) -> Result<Outcome, Failure> {
    let files = SnapshotFiles::open(store, &session.record.current_snapshot)
        .map_err(|error| during.fail(error))?;
    let files = Beside { files, left_out };
    let globs = Globs::new(policy.files.protect.iter()).map_err(|error| during.fail(error))?;
    let protects = |path: &WorkspacePath| {
        if path.as_str() == POLICY_FILE && !policy.files.allow_policy_edit {
            return Some(Refusal::PolicyFileEdit {
                path: POLICY_FILE.to_owned(),
            });
        }
        // What a run keeps there is no part of any snapshot.
        let kept = policy.obligations.iter().flat_map(|one| &one.scratch);
        if let Some(scratch) = kept.into_iter().find(|scratch| path.is_within(scratch)) {
            return Some(Refusal::ProtectedPath {
                path: path.to_string(),
                glob: format!("{scratch}/"),
            });
        }
        globs.matches(path.as_str()).then(|| {
            // One by one only for a path that is refused.
            let mut all = policy.files.protect.iter();
            let is_its =
                |glob: &&str| Globs::new([glob]).is_ok_and(|one| one.matches(path.as_str()));
            Refusal::ProtectedPath {
                path: path.to_string(),
                glob: all.find(is_its).map_or_else(String::new, str::to_owned),
            }
        })
    };
    let rules = Rules {
        max_file_bytes: policy.files.max_file_bytes.get(),
        protects: &protects,
        locate: Some(&locate::Tools {
            languages: &policy.languages,
            surroundings,
        }),
    };
    asked.run(&files, &rules, during)
}

/// Stores what the patch made, and says what the log will say.
fn keep(
    session: &Session,
    store: &mut StoredObjects<'_>,
    asked: &Asked,
    outcome: &Outcome,
    during: During<'_>,
) -> Result<Candidate, Failure> {
    let before = session.record.current_snapshot;
    let mut objects = ObjectMap::new();
    for (_, bytes) in &outcome.blobs {
        objects.add(Domain::Blob, bytes.to_vec());
    }
    objects.add(Domain::Patch, outcome.normal_form.clone().into_bytes());
    let change_set = objects.add(Domain::ChangeSet, outcome.change_set.canonical());
    let changes = outcome.change_set.changes();
    let (after, _) =
        update(store, &mut objects, &before, changes).map_err(|error| during.fail(error))?;
    store.add(&objects).map_err(|error| during.fail(error))?;
    Ok(Candidate {
        document: asked.document,
        patch: outcome.patch,
        change_set,
        before,
        after,
        intent: asked.intent.clone(),
        provenance: asked.provenance.clone(),
        evidence: None,
        obligations_ok: None,
    })
}
