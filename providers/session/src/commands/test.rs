//! `test`: the obligations run on the current snapshot, and the log says what they showed.

use lonis_diagnostics::{Code, Diagnostic, Failure};
use serde_json::{Value, json};

use super::Surroundings;
use super::opening::{Found, Opening};
use super::place::{Place, Session, shown};
use crate::diagnose::During;
use crate::engine::Record;
use crate::event::{Event, Fact, Tested};
use crate::evidence::{About, Evidence};
use crate::identity::{Domain, Identity};
use crate::obligation::{self, Ran, Site};
use crate::policy::Policy;
use crate::request::Request;
use crate::store::objects::ObjectMap;
use crate::store::stored::StoredObjects;

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
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
    let proof = prove(place, &session, &policy, &mut store, snapshot, request)?;
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
    let proof = Proof {
        evidence,
        ran: Ran::default(),
    };
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

/// What a run showed.
#[derive(Debug)]
pub(super) struct Proof {
    pub(super) evidence: Evidence,
    ran: Ran,
}

/// What evidence of a snapshot of this session is about.
pub(super) fn about(record: &Record, snapshot: Identity) -> About {
    About {
        snapshot,
        policy: record.policy,
        obligation_set: record.obligation_set,
    }
}

/// Runs the obligations on a stored snapshot, and stores what they showed.
pub(super) fn prove(
    place: &Place<'_>,
    session: &Session,
    policy: &Policy,
    store: &mut StoredObjects<'_>,
    snapshot: Identity,
    request: &Request,
) -> Result<Proof, Failure> {
    let during = place.during;
    let site = Site {
        live: &place.live,
        disk: &place.disk,
        store,
        session: session.id.as_str(),
    };
    let ran = obligation::run(
        &site,
        policy,
        &snapshot,
        request.only.as_deref(),
        request.fresh,
    )
    .map_err(|error| during.fail(error))?;
    let failures = session.log.events().iter().filter(|event| {
        matches!(&event.fact, Fact::Tested(tested) if tested.snapshot == snapshot && !tested.obligations_ok)
    });
    let evidence = Evidence::new(
        about(&session.record, snapshot),
        ran.results.clone(),
        failures.count() as u64,
    );
    let mut objects: ObjectMap = ran.objects.clone();
    objects.add(Domain::Evidence, evidence.canonical());
    store.add(&objects).map_err(|error| during.fail(error))?;
    Ok(Proof { evidence, ran })
}

impl Proof {
    /// The members of a result that tell of the run.
    pub(super) fn data(&self, record: Option<&Record>) -> Value {
        json!({
            "transaction": record.map(shown),
            "evidence": self.evidence.identity(),
            "obligations_ok": self.evidence.ok,
            "obligation_count": self.evidence.results.len(),
            "results": self.evidence.results,
            "reused": 0,
        })
    }

    /// The failure of a run in which not all passed: one entry for the run, then one for each code.
    pub(super) fn failure(&self, during: During<'_>, attempt: Option<u64>) -> Failure {
        let failed: Vec<_> = self
            .evidence
            .results
            .iter()
            .filter(|result| !result.ok)
            .collect();
        let names: Vec<&str> = failed.iter().map(|result| result.name.as_str()).collect();
        let tail = |name: &str| self.ran.tails.get(name).cloned().unwrap_or_default();
        let list: Vec<Value> = failed
            .iter()
            .map(|result| {
                json!({"name": result.name, "code": result.code, "exit": result.exit, "tail": tail(&result.name)})
            })
            .collect();
        let message = format!("obligations failed: `{}`", names.join("`, `"));
        let cause = during
            .diagnostic(Code::SessionObligationsFailed, message)
            .with("failed", list)
            .with("evidence", self.evidence.identity().to_string())
            .with("attempt", json!(attempt));
        failed.iter().fold(Failure::from(cause), |failure, result| {
            let code = result
                .code
                .as_deref()
                .and_then(|code| code.parse::<Code>().ok());
            let Some(code) = code else {
                return failure;
            };
            let diagnostic = Diagnostic::new(
                code,
                during.0,
                format!("obligation `{}` did not pass", result.name),
            );
            failure.and(diagnostic.with("name", result.name.as_str()))
        })
    }
}
