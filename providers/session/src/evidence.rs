//! Evidence: what a run of obligations showed, as an object that an apply opens and checks again.

mod check;
mod result;
pub mod reuse;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::identity::{Domain, Identity, canonical_bytes};
use crate::store::objects::{ObjectError, ReadObjects};

pub use result::{Enforcement, Kind, ObligationResult, Output, RanTool, Scratch};

/// Everything that a run of obligations showed.
///
/// # Wire shape
/// Closed; stored as exactly the bytes that its identity hashes, so without `identity`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    schema: String,
    /// What the obligations ran on.
    pub snapshot: Identity,
    /// The policy in force.
    pub policy: Identity,
    /// Its obligations.
    pub obligation_set: Identity,
    /// What ran them.
    engine: Engine,
    /// Where.
    platform: Platform,
    /// One for each obligation, in the order of the policy.
    pub results: Vec<ObligationResult>,
    /// Whether all passed.
    pub ok: bool,
    /// Whether there was none.
    pub vacuous: bool,
    /// Whether no scratch was warm and nothing was reused.
    pub hermetic: bool,
    /// How many runs on this snapshot failed before.
    pub failures_before: u64,
    /// The identity of the outcome without its circumstances.
    pub verdict: Identity,
}

/// What ran the obligations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Engine {
    name: String,
    version: String,
}

/// Where the obligations ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Platform {
    os: String,
    arch: String,
}

/// The engine's name in evidence.
const ENGINE: &str = "lonis-session";

/// Evidence that does not say what it has to (`session/evidence-invalid`).
#[derive(Debug, thiserror::Error)]
#[error("evidence `{evidence}` has another `{field}`: expected {expected}, seen {observed}")]
pub struct EvidenceError {
    /// The evidence.
    pub evidence: Identity,
    /// The member.
    pub field: String,
    /// What it has to be.
    pub expected: String,
    /// What it is.
    pub observed: String,
}

/// What evidence is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// The snapshot.
    pub snapshot: Identity,
    /// The policy.
    pub policy: Identity,
    /// Its obligations.
    pub obligation_set: Identity,
}

impl Evidence {
    /// Makes the evidence of a run.
    pub fn new(about: About, results: Vec<ObligationResult>, failures_before: u64) -> Self {
        let mut evidence = Self {
            schema: Domain::Evidence.schema(),
            snapshot: about.snapshot,
            policy: about.policy,
            obligation_set: about.obligation_set,
            engine: Engine {
                name: ENGINE.to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            platform: Platform {
                os: std::env::consts::OS.to_owned(),
                arch: std::env::consts::ARCH.to_owned(),
            },
            ok: results.iter().all(|result| result.ok),
            vacuous: results.is_empty(),
            hermetic: is_hermetic(&results),
            results,
            failures_before,
            verdict: about.snapshot,
        };
        evidence.verdict = evidence.outcome();
        evidence
    }

    /// The identity of the outcome: equal ones mean equal outcomes.
    pub fn outcome(&self) -> Identity {
        let mut value = json!(self);
        for member in ["verdict", "hermetic", "failures_before"] {
            value.as_object_mut().map(|object| object.remove(member));
        }
        for result in value["results"].as_array_mut().into_iter().flatten() {
            for member in [
                "duration_micros",
                "stdout",
                "stderr",
                "scratch",
                "enforcement",
                "reused_from",
            ] {
                result.as_object_mut().map(|object| object.remove(member));
            }
        }
        Identity::of(Domain::Verdict, &canonical_bytes(&value))
    }

    /// The bytes that are stored and hashed.
    pub fn canonical(&self) -> Vec<u8> {
        canonical_bytes(self)
    }

    /// The identity.
    pub fn identity(&self) -> Identity {
        Identity::of(Domain::Evidence, &self.canonical())
    }

    /// Reads evidence as it is stored.
    ///
    /// # Errors
    /// An object that cannot be had, or that is no evidence.
    pub fn read(objects: &impl ReadObjects, identity: &Identity) -> Result<Self, ObjectError> {
        let bytes = objects.read(Domain::Evidence, identity)?;
        serde_json::from_slice(&bytes).map_err(|error| ObjectError::Mismatch {
            domain: Domain::Evidence,
            identity: *identity,
            observed: error.to_string(),
        })
    }

    /// The evidence as results show it, with its identity.
    pub fn to_value(&self) -> Value {
        let mut value = json!(self);
        value["identity"] = json!(self.identity());
        value
    }
}

/// Whether no scratch was warm and nothing was taken over.
fn is_hermetic(results: &[ObligationResult]) -> bool {
    results
        .iter()
        .all(|result| !result.scratch.warm && result.reused_from.is_none())
}
