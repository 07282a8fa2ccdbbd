//! `test`: the obligations run on the current snapshot, and the log says what they showed.

use lonis_diagnostics::{Code, Failure};
use serde_json::{Value, json};

use super::Surroundings;
use super::opening::{Found, Opening};
use super::place::{Session, shown};
use super::proof::{Bench, Proof};
use crate::diagnose::During;
use crate::event::{Event, Fact, Tested};
use crate::evidence::Evidence;
use crate::obligation::Tell;
use crate::policy::Policy;
use crate::request::Request;
use crate::store::stored::StoredObjects;

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
    tell: &Tell<'_>,
    during: During<'_>,
) -> Result<Value, Failure> {
    let opening = Opening::of(request, surroundings, during)?;
    let place = &opening.place;
    let found = opening.find(request, &["tested"])?;
    let mut store = StoredObjects::open(&place.disk).map_err(|error| during.fail(error))?;
    let mut session = match found {
        Found::Open(session) => *session,
        Found::Answered(found) => return answered(&found.0, &store, &found.1, during),
    };
    let policy = place.policy(&session.record, &store)?;
    if let Some(only) = &request.only {
        declared(&policy, only, during)?;
    }
    let snapshot = session.record.current_snapshot;
    let bench = Bench {
        place,
        surroundings,
        tell,
        request,
    };
    let proof = bench.prove(&session, &policy, &mut store, snapshot)?;
    let fact = Fact::Tested(Tested {
        snapshot,
        evidence: proof.evidence.identity(),
        obligations_ok: proof.evidence.ok,
        only: request.only.clone(),
    });
    let (clock, call) = (&*surroundings.clock, request.call.clone());
    let record = place.append(&mut session.log, clock, call, fact)?;
    let data = proof.data(record.as_ref());
    if proof.evidence.ok {
        Ok(data)
    } else {
        Err(proof.failure(during, None).with_result(data))
    }
}

/// The answer to a call whose line the log holds, as its evidence tells it.
fn answered(
    session: &Session,
    store: &StoredObjects<'_>,
    event: &Event,
    during: During<'_>,
) -> Result<Value, Failure> {
    let Fact::Tested(tested) = &event.fact else {
        return Ok(json!({"transaction": shown(&session.record)}));
    };
    let evidence = Evidence::read(store, &tested.evidence).map_err(|error| during.fail(error))?;
    let proof = Proof::of(evidence);
    let data = proof.data(Some(&session.record));
    if proof.evidence.ok {
        Ok(data)
    } else {
        Err(proof.failure(during, None).with_result(data))
    }
}

fn declared(policy: &Policy, only: &[String], during: During<'_>) -> Result<(), Failure> {
    let known: Vec<&str> = policy
        .obligations
        .iter()
        .map(|obligation| obligation.name.as_str())
        .collect();
    let Some(unknown) = only.iter().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    let diagnostic = during.diagnostic(
        Code::ObligationUndeclared,
        format!("the policy declares no obligation `{unknown}`"),
    );
    Err(diagnostic
        .with("name", unknown.as_str())
        .with("known", json!(known))
        .into())
}
