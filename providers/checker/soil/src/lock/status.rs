//! What a lock says when it is compared with the present files.

use std::collections::BTreeMap;
use std::fmt;

use super::{Lock, LockBody, Lowering, Oracle};
use crate::hash::Digest;
use crate::spec::Hashes;

/// The present state of what a lock speaks of.
#[derive(Clone, Debug)]
pub struct Current<'a> {
    /// The hashes of the spec.
    pub hashes: Hashes,
    /// The body, if there is one.
    pub body: Option<CurrentBody>,
    /// The hash of the decisions in scope.
    pub scope_hash: Digest,
    /// The hash of each entry in scope, by scope and label.
    pub entries: &'a BTreeMap<(String, String), Digest>,
    /// What the results are compared with as it is now; none where there is none, or it is gone.
    pub oracle: Option<Oracle>,
}

/// The present hashes of a body.
#[derive(Clone, Copy, Debug)]
pub struct CurrentBody {
    /// With the present hashes of what it refers to.
    pub soil_hash: Digest,
    /// With the hashes of callees that the lock holds.
    pub with_stored_edges: Digest,
}

/// One thing that is not as the lock says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flag {
    /// There is no lock.
    NoLock,
    /// The formal blocks changed.
    FormalStale,
    /// The tests changed, or what the results are compared with.
    TestStale,
    /// The prose changed.
    ProseStale,
    /// A change of the prose waits for a look.
    ReviewSuggested,
    /// The lock speaks of a body that is not there.
    SoilMissing,
    /// The body was changed.
    SoilDrift,
    /// Something that the body calls was changed.
    StaleCallees,
    /// A body is there that no lock speaks of.
    SoilUntracked,
    /// A decision was made or dropped.
    DecisionScopeStale,
    /// A decision that the body cites was changed.
    DecisionStale(String),
}

impl fmt::Display for Flag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NoLock => "no-lock",
            Self::FormalStale => "formal-stale",
            Self::TestStale => "test-stale",
            Self::ProseStale => "prose-stale",
            Self::ReviewSuggested => "review-suggested",
            Self::SoilMissing => "soil-missing",
            Self::SoilDrift => "soil-drift",
            Self::StaleCallees => "stale-callees",
            Self::SoilUntracked => "soil-untracked",
            Self::DecisionScopeStale => "decision-scope-stale",
            Self::DecisionStale(label) => return write!(formatter, "decision-stale:{label}"),
        })
    }
}

/// Compares a lock with the present files, and lists what differs in a fixed order.
pub fn flags(lock: Option<&Lock>, current: &Current<'_>) -> Vec<Flag> {
    let Some(lock) = lock else {
        let untracked = current.body.map(|_| Flag::SoilUntracked);
        return std::iter::once(Flag::NoLock).chain(untracked).collect();
    };
    let (spec, now) = (&lock.spec, current.hashes);
    let (lowering, oracles) = match &lock.body {
        LockBody::Function {
            lowering, oracles, ..
        } => (lowering.as_deref(), oracles.as_slice()),
        _ => (None, &[][..]),
    };
    // Definitions that serve as oracles are named by their own hashes and not looked at here.
    let mut known = oracles
        .iter()
        .filter(|oracle| !matches!(oracle, Oracle::Definition { .. }));
    let is_oracle_stale = lowering.is_some() && known.next() != current.oracle.as_ref();
    let spec_flags = [
        (spec.formal != now.formal, Flag::FormalStale),
        (spec.test != now.test || is_oracle_stale, Flag::TestStale),
        (spec.prose != now.prose, Flag::ProseStale),
        (spec.is_review_suggested, Flag::ReviewSuggested),
    ];
    let mut found: Vec<Flag> = spec_flags
        .into_iter()
        .filter_map(|(is_so, flag)| is_so.then_some(flag))
        .collect();
    found.extend(body_flag(lowering, current.body));
    if let Some(lowering) = lowering {
        found.extend(decision_flags(lowering, current));
    }
    found
}

/// Tells a changed body from changed callees by hashing it with the edges of the lock.
fn body_flag(lowering: Option<&Lowering>, body: Option<CurrentBody>) -> Option<Flag> {
    match (lowering, body) {
        (Some(_), None) => Some(Flag::SoilMissing),
        (None, Some(_)) => Some(Flag::SoilUntracked),
        (Some(lowering), Some(body)) if body.with_stored_edges != lowering.soil_hash => {
            Some(Flag::SoilDrift)
        }
        (Some(lowering), Some(body)) if body.soil_hash != lowering.soil_hash => {
            Some(Flag::StaleCallees)
        }
        _ => None,
    }
}

fn decision_flags(lowering: &Lowering, current: &Current<'_>) -> Vec<Flag> {
    let scope = (lowering.scope_hash != current.scope_hash).then_some(Flag::DecisionScopeStale);
    let stale = lowering.applied.iter().filter(|applied| {
        let key = (applied.scope.clone(), applied.label.clone());
        current.entries.get(&key) != Some(&applied.hash)
    });
    let stale = stale.map(|applied| Flag::DecisionStale(applied.label.clone()));
    scope.into_iter().chain(stale).collect()
}
