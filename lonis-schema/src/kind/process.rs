//! Processes: how something is done, and what came of it.

use super::Evidence;
use crate::Json;
use crate::finding::{Breach, Checker};
use crate::object_only::object_only;
use crate::wire_number::{count, optional_count, write_measure};
use crate::words::words;
use serde::{Deserialize, Serialize};

/// Most steps of a plan, and most rewrites of a trace.
const MAX_STEPS: usize = 4096;

/// Most rewrites that a normalization may allow.
const MAX_REWRITES: u64 = 4096;

/// How something is to be done.
///
/// # Wire shape
/// ```
/// use lonis_schema::kind::Plan;
///
/// let text = r#"{"goal":"release","steps":[{"kind":"run","detail":{"command":"test"}}]}"#;
/// let plan: Plan = serde_json::from_str(text)?;
/// assert_eq!(plan.steps[0].kind, "run");
/// assert_eq!(serde_json::to_string(&plan)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
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

impl Plan {
    /// Makes a plan.
    pub fn new(steps: Vec<PlanStep>) -> Self {
        Self {
            steps,
            ..Self::default()
        }
    }

    /// Sets what is to be reached.
    pub fn with_goal(mut self, goal: impl Into<String>) -> Self {
        self.goal = Some(goal.into());
        self
    }

    /// Sets what has to be there first, in order.
    pub fn with_prerequisite_order<T: Into<String>>(
        mut self,
        prerequisite_order: impl IntoIterator<Item = T>,
    ) -> Self {
        self.prerequisite_order = prerequisite_order.into_iter().map(Into::into).collect();
        self
    }

    /// Sets how the steps were brought into their form.
    pub fn with_normalization(mut self, normalization: Normalization) -> Self {
        self.normalization = Some(normalization);
        self
    }

    /// Sets the hash of the plan.
    pub fn with_plan_hash(mut self, plan_hash: impl Into<String>) -> Self {
        self.plan_hash = Some(plan_hash.into());
        self
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.text("goal", self.goal.as_deref(), 4096);
        check_steps("steps", &self.steps, checker);
        checker.texts("prerequisite_order", &self.prerequisite_order, 1024, 1024);
        if let Some(normalization) = &self.normalization {
            checker.inside("normalization", |checker| normalization.check(checker));
        }
        checker.text("plan_hash", self.plan_hash.as_deref(), 128);
    }
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

impl PlanStep {
    /// Makes a step.
    pub fn new(kind: impl Into<String>, detail: impl Into<Json>) -> Self {
        Self {
            kind: kind.into(),
            detail: detail.into(),
        }
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.text("kind", &*self.kind, 256);
    }
}

/// How the steps of a plan were brought into their form.
///
/// # Wire shape
/// ```
/// use lonis_schema::kind::Normalization;
///
/// let text = r#"{"normalized":true,"max_rewrites":16}"#;
/// let normalization: Normalization = serde_json::from_str(text)?;
/// assert_eq!(normalization.max_rewrites, 16);
/// assert_eq!(serde_json::to_string(&normalization)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
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

impl Normalization {
    /// Makes a normalization without a trace.
    pub fn new(normalized: bool, max_rewrites: u64) -> Self {
        Self {
            normalized,
            max_rewrites,
            trace: Vec::new(),
        }
    }

    /// Sets the rewrites done.
    pub fn with_trace(mut self, trace: Vec<Rewrite>) -> Self {
        self.trace = trace;
        self
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        if !(1..=MAX_REWRITES).contains(&self.max_rewrites) {
            let seen = self.max_rewrites.to_string();
            checker.add(
                "max_rewrites",
                Breach::Range {
                    range: "1 to 4096",
                    seen,
                },
            );
        }
        checker.list("trace", &self.trace, MAX_STEPS, |checker, rewrite| {
            check_steps("before", &rewrite.before, checker);
            check_steps("after", &rewrite.after, checker);
        });
    }
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
/// # Wire shape
/// ```
/// use lonis_schema::kind::ResultData;
///
/// let text = r#"{"output":{"words":120},"score":0.5,"duration_micros":1500}"#;
/// let result: ResultData = serde_json::from_str(text)?;
/// assert_eq!(result.output.to_value()["words"], 120);
/// assert_eq!(serde_json::to_string(&result)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
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

impl ResultData {
    /// Makes a result from its output.
    pub fn new(output: impl Into<Json>) -> Self {
        Self {
            output: output.into(),
            score: None,
            evidence: Vec::new(),
            validated_assumptions: Vec::new(),
            refuted_assumptions: Vec::new(),
            resources: None,
            duration_micros: None,
        }
    }

    /// Sets how good it is.
    pub fn with_score(mut self, score: f64) -> Self {
        self.score = Some(score);
        self
    }

    /// Sets what speaks for it.
    pub fn with_evidence(mut self, evidence: Vec<Evidence>) -> Self {
        self.evidence = evidence;
        self
    }

    /// Sets the assumptions that turned out to hold.
    pub fn with_validated_assumptions<T: Into<String>>(
        mut self,
        validated_assumptions: impl IntoIterator<Item = T>,
    ) -> Self {
        self.validated_assumptions = validated_assumptions.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the assumptions that turned out not to hold.
    pub fn with_refuted_assumptions<T: Into<String>>(
        mut self,
        refuted_assumptions: impl IntoIterator<Item = T>,
    ) -> Self {
        self.refuted_assumptions = refuted_assumptions.into_iter().map(Into::into).collect();
        self
    }

    /// Sets what the work used.
    pub fn with_resources(mut self, resources: Resources) -> Self {
        self.resources = Some(resources);
        self
    }

    /// Sets how long the work took, in microseconds.
    pub fn with_duration_micros(mut self, duration_micros: u64) -> Self {
        self.duration_micros = Some(duration_micros);
        self
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.list("evidence", &self.evidence, 1024, |checker, evidence| {
            evidence.check(checker);
        });
        checker.texts(
            "validated_assumptions",
            &self.validated_assumptions,
            1024,
            1024,
        );
        checker.texts("refuted_assumptions", &self.refuted_assumptions, 1024, 1024);
    }
}

/// What some work used.
///
/// # Wire shape
/// ```
/// use lonis_schema::kind::Resources;
///
/// let text = r#"{"operations":3,"nodes":2,"iterations":1,"bytes":4096}"#;
/// let resources: Resources = serde_json::from_str(text)?;
/// assert_eq!(resources.bytes, 4096);
/// assert_eq!(serde_json::to_string(&resources)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
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
/// # Wire shape
/// ```
/// use lonis_schema::kind::Outcome;
///
/// let text = r#"{"status":"no_match","kind":"no_match","message":"nothing was found","exit_code":1}"#;
/// let outcome: Outcome = serde_json::from_str(text)?;
/// assert_eq!(outcome.exit_code, Some(1));
/// assert_eq!(serde_json::to_string(&outcome)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
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

impl Outcome {
    /// Makes an outcome.
    pub fn new(status: OutcomeStatus, kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            status,
            kind: kind.into(),
            message: message.into(),
            details: None,
            exit_code: None,
        }
    }

    /// Sets what else there is to know.
    pub fn with_details(mut self, details: impl Into<Json>) -> Self {
        self.details = Some(details.into());
        self
    }

    /// Sets the exit code that goes with it.
    pub fn with_exit_code(mut self, exit_code: u8) -> Self {
        self.exit_code = Some(exit_code);
        self
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.text("kind", &*self.kind, 256);
        checker.text("message", &*self.message, 4096);
    }
}

fn check_steps(key: &'static str, steps: &[PlanStep], checker: &mut Checker) {
    checker.list(key, steps, MAX_STEPS, |checker, step| step.check(checker));
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
