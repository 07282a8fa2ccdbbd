//! Moving a session onto a live tree that changed beside it: the union is proved anew before anything is written.

use lonis_diagnostics::{Code, Failure, PolicyProposal};
use serde_json::{Value, json};

use super::live::Live;
use crate::commands::Surroundings;
use crate::commands::place::{Place, Session};
use crate::commands::proof::Bench;
use crate::diagnose::During;
use crate::event::{Fact, RebaseMode, Rebased};
use crate::policy::{Policy, RebaseWord};
use crate::request::Request;
use crate::snapshot::change::Change;
use crate::snapshot::manifest::update;
use crate::store::objects::ObjectMap;
use crate::store::stored::StoredObjects;

/// A session whose live tree changed beside what it changes.
#[derive(Debug)]
pub(super) struct Moved {
    pub(super) session: Session,
    pub(super) changes: Vec<Change>,
    pub(super) live: Live,
}

/// Refuses an apply that asks for more than the frozen policy allows.
pub(super) fn check_bound(
    asked: RebaseWord,
    policy: &Policy,
    during: During<'_>,
) -> Result<(), Failure> {
    let most = policy.session.rebase;
    if asked <= most {
        return Ok(());
    }
    let (asked, most) = (json!(asked), json!(most));
    let proposal = PolicyProposal::Bound {
        key: "session.rebase".to_owned(),
        from: most.clone(),
        to: asked.clone(),
        policy_file: Vec::new(),
    };
    let message = format!("a rebase of {asked} is asked for, and the policy allows {most}");
    let diagnostic = during.diagnostic(Code::PolicyBound, message);
    Err(diagnostic
        .with("key", "session.rebase")
        .with("limit", most)
        .with("asked", asked)
        .proposing(proposal)
        .into())
}

/// Proves the union of the live tree and the session's changes, and gives the session that stands on it.
///
/// The caller holds the session's lock, and the store's no longer. A run that fails leaves the session as it was.
pub(super) fn run(
    place: &Place<'_>,
    moved: Moved,
    surroundings: &Surroundings,
    request: &Request,
    round: u64,
) -> Result<Session, Failure> {
    let during = place.during;
    let Moved {
        mut session,
        changes,
        live,
    } = moved;
    let mut store = StoredObjects::open(&place.disk).map_err(|error| during.fail(error))?;
    let policy = place.policy(&session.record, &store)?;
    let mut objects = ObjectMap::new();
    let (current, _) = update(&store, &mut objects, &live.snapshot, &changes)
        .map_err(|error| during.fail(error))?;
    store.add(&objects).map_err(|error| during.fail(error))?;
    let bench = Bench {
        place,
        surroundings,
        tell: &|_| {},
        request,
    };
    let proof = bench.prove(&session, &policy, &mut store, current)?;
    if !proof.evidence.ok {
        let message = format!("`{}` does not hold on the live tree", session.id);
        let diagnostic = during.diagnostic(Code::SessionRebaseFailed, message);
        let failure = diagnostic
            .with("evidence", proof.evidence.identity().to_string())
            .with("paths", paths(&live))
            .with("round", round);
        return Err(Failure::from(failure).with_result(proof.data(Some(&session.record))));
    }
    let fact = Fact::Rebased(Rebased {
        mode: RebaseMode::Disjoint,
        from_base: session.record.base_snapshot,
        base: live.snapshot,
        from_current: session.record.current_snapshot,
        current,
        evidence: proof.evidence.identity(),
    });
    // Without the call: it is answered once the result is written.
    if let Some(record) = place.append(&mut session.log, &*surroundings.clock, None, fact)? {
        session.record = record;
    }
    Ok(session)
}

/// The failure of an apply whose live tree changed in every round.
pub(super) fn gave_up(during: During<'_>, moved: &Moved, rounds: u64) -> Failure {
    let message = format!(
        "the live tree kept changing, `{}` was moved onto it {rounds} times",
        moved.session.id
    );
    let diagnostic = during.diagnostic(Code::SessionRebaseFailed, message);
    diagnostic
        .with("evidence", Value::Null)
        .with("paths", paths(&moved.live))
        .with("round", rounds)
        .into()
}

fn paths(live: &Live) -> Vec<Value> {
    live.disjoint
        .iter()
        .map(|change| json!(change.path))
        .collect()
}
