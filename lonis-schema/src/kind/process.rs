//! Processes: how something is done, and what came of it.

use super::Evidence;
use crate::Json;
use crate::object_only::object_only;
use crate::wire_number::{count, optional_count, write_measure};
use crate::words::words;
use serde::{Deserialize, Serialize};

/// How something is to be done.
///
/// # Units and bounds
/// `goal`: at most 4096 Unicode scalar values. `steps`: at most 4096. `prerequisite_order`: at most 1024, of at most 1024
/// each. `plan_hash`: 128.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Plan {
    /// What is to be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// What to do, in order.
    pub steps: Vec<PlanStep>,
    /// What has to be there first, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prerequisite_order: Vec<String>,
    /// How the steps were brought into their form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalization: Option<Normalization>,
    /// Hash of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_hash: Option<String>,
}

/// One step of a plan.
///
/// # Units and bounds
/// `kind`: at most 256 Unicode scalar values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct PlanStep {
    /// What sort of step it is.
    pub kind: String,
    /// What it does.
    pub detail: Json,
}

/// How the steps of a plan were brought into their form.
///
/// # Units and bounds
/// `max_rewrites`: 1 to 4096 rewrites. `trace`: at most 4096.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Normalization {
    /// Whether no rule applies any more.
    pub normalized: bool,
    /// Most rewrites that were allowed.
    #[serde(deserialize_with = "count")]
    pub max_rewrites: u64,
    /// The rewrites done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<Rewrite>,
}

/// One rewrite of the steps of a plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Rewrite {
    /// The steps before.
    pub before: Vec<PlanStep>,
    /// The steps after.
    pub after: Vec<PlanStep>,
}

/// What a tool found.
///
/// # Units and bounds
/// `score`: any finite double. `evidence`: at most 1024. `validated_assumptions`, `refuted_assumptions`: at most 1024
/// each, of at most 1024 Unicode scalar values. `duration_micros`: microseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ResultData {
    /// What was found; `null` is a result too.
    pub output: Json,
    /// How good it is.
    #[serde(
        default,
        serialize_with = "write_measure",
        skip_serializing_if = "Option::is_none"
    )]
    pub score: Option<f64>,
    /// What speaks for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// Assumptions that turned out to hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub validated_assumptions: Vec<String>,
    /// Assumptions that turned out not to hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refuted_assumptions: Vec<String>,
    /// What the work used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Resources>,
    /// How long the work took.
    #[serde(
        default,
        deserialize_with = "optional_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub duration_micros: Option<u64>,
}

/// What some work used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Resources {
    /// Operations done.
    #[serde(deserialize_with = "count")]
    pub operations: u64,
    /// Nodes visited.
    #[serde(deserialize_with = "count")]
    pub nodes: u64,
    /// Rounds gone through.
    #[serde(deserialize_with = "count")]
    pub iterations: u64,
    /// Bytes handled.
    #[serde(deserialize_with = "count")]
    pub bytes: u64,
}

words! {
    /// How something ended.
    OutcomeStatus {
        /// It worked.
        Success = "success",
        /// It worked in part.
        Partial = "partial",
        /// Nothing fits.
        NoMatch = "no_match",
        /// Too little is known.
        InsufficientEvidence = "insufficient_evidence",
        /// Something stands in the way.
        Blocked = "blocked",
        /// It failed.
        Error = "error",
    }
}

/// How something ended.
///
/// # Units and bounds
/// `kind`: at most 256 Unicode scalar values. `message`: 4096. `exit_code`: 0 to 255.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Outcome {
    /// How it ended.
    pub status: OutcomeStatus,
    /// The kind of this end.
    pub kind: String,
    /// What there is to say.
    pub message: String,
    /// What else there is to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Json>,
    /// The exit code that goes with it.
    #[serde(
        default,
        deserialize_with = "optional_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub exit_code: Option<u8>,
}

object_only!(
    Plan,
    PlanStep,
    Normalization,
    Rewrite,
    ResultData,
    Resources,
    Outcome
);
