//! The participant stream: what a transcript is made of.

use crate::Json;
use crate::object_only::object_only;
use crate::wire_number::write_measure;
use crate::words::words;
use serde::{Deserialize, Serialize};

/// Something said.
///
/// # Units and bounds
/// `content`: at most 16384 Unicode scalar values. `role`: 256. `reply_to`: 4096.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Message {
    /// The role of the speaker, such as `user`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// What is said.
    pub content: String,
    /// What it answers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
}

/// Something asked.
///
/// # Units and bounds
/// `text`: at most 4096 Unicode scalar values. `options`: at most 64, of at most 1024 each.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Question {
    /// What is asked.
    pub text: String,
    /// What one needs to know to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Json>,
    /// The answers offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// The answer to a question.
///
/// # Units and bounds
/// `text`: at most 16384 Unicode scalar values. `question`: 4096. `confidence`: 0 to 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Answer {
    /// The question answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The answer.
    pub text: String,
    /// How sure the speaker is.
    #[serde(
        default,
        serialize_with = "write_measure",
        skip_serializing_if = "Option::is_none"
    )]
    pub confidence: Option<f64>,
}

/// Something decided.
///
/// # Units and bounds
/// `statement`: at most 4096 Unicode scalar values. `rationale`: 16384. `alternatives`: at most 64, of at most 1024 each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Decision {
    /// What is decided.
    pub statement: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// What else was possible.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
}

words! {
    /// How far an action is.
    ActionStatus {
        /// Not begun.
        Pending = "pending",
        /// Begun.
        Running = "running",
        /// Done.
        Completed = "completed",
        /// Ended without being done.
        Failed = "failed",
    }
}

/// Something done.
///
/// # Units and bounds
/// `verb`: at most 256 Unicode scalar values. `target`: 4096.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Action {
    /// What is done.
    pub verb: String,
    /// What it is done to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// How it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Json>,
    /// How far it is.
    pub status: ActionStatus,
}

words! {
    /// What became of an assumption.
    AssumptionStatus {
        /// Nobody knows yet.
        Open = "open",
        /// It holds.
        Validated = "validated",
        /// It does not hold.
        Refuted = "refuted",
    }
}

/// Something taken to be true.
///
/// # Units and bounds
/// `statement`: at most 4096 Unicode scalar values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Assumption {
    /// What is taken to be true.
    pub statement: String,
    /// What became of it.
    pub status: AssumptionStatus,
}

/// Many things in short.
///
/// # Units and bounds
/// `text`: at most 16384 Unicode scalar values. `of`: at most 1024, of at most 4096 each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Summary {
    /// What is summarised, usually content hashes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of: Vec<String>,
    /// The summary.
    pub text: String,
}

object_only!(
    Message, Question, Answer, Decision, Action, Assumption, Summary
);
