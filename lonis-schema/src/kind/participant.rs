//! The participant stream: what a transcript is made of.

use crate::Json;
use crate::finding::{Breach, Checker};
use crate::object_only::object_only;
use crate::wire_number::write_measure;
use crate::words::words;
use serde::{Deserialize, Serialize};

/// Something said.
///
/// # Wire shape
/// ```
/// use lonis_schema::kind::Message;
///
/// let text = r#"{"role":"user","content":"ping"}"#;
/// let message: Message = serde_json::from_str(text)?;
/// assert_eq!(message.role.as_deref(), Some("user"));
/// assert_eq!(serde_json::to_string(&message)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
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

impl Message {
    /// Makes a message.
    pub fn new(content: impl Into<String>) -> Self {
        Self {
            content: content.into(),
            ..Self::default()
        }
    }

    /// Sets the role of the speaker.
    pub fn with_role(mut self, role: impl Into<String>) -> Self {
        self.role = Some(role.into());
        self
    }

    /// Sets what it answers to.
    pub fn with_reply_to(mut self, reply_to: impl Into<String>) -> Self {
        self.reply_to = Some(reply_to.into());
        self
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.text("role", self.role.as_deref(), 256);
        checker.text("content", &*self.content, 16_384);
        checker.text("reply_to", self.reply_to.as_deref(), 4096);
    }
}

/// Something asked.
///
/// # Wire shape
/// ```
/// use lonis_schema::kind::Question;
///
/// let text = r#"{"text":"Ship it?","options":["yes","no"]}"#;
/// let question: Question = serde_json::from_str(text)?;
/// assert_eq!(question.options, ["yes", "no"]);
/// assert_eq!(serde_json::to_string(&question)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
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

impl Question {
    /// Makes a question.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Sets what one needs to know to answer.
    pub fn with_context(mut self, context: impl Into<Json>) -> Self {
        self.context = Some(context.into());
        self
    }

    /// Sets the answers offered.
    pub fn with_options<T: Into<String>>(mut self, options: impl IntoIterator<Item = T>) -> Self {
        self.options = options.into_iter().map(Into::into).collect();
        self
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.text("text", &*self.text, 4096);
        checker.texts("options", &self.options, 64, 1024);
    }
}

/// The answer to a question.
///
/// # Wire shape
/// ```
/// use lonis_schema::kind::Answer;
///
/// let text = r#"{"question":"Ship it?","text":"yes","confidence":0.75}"#;
/// let answer: Answer = serde_json::from_str(text)?;
/// assert_eq!(answer.confidence, Some(0.75));
/// assert_eq!(serde_json::to_string(&answer)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
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

impl Answer {
    /// Makes an answer.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Sets the question answered.
    pub fn with_question(mut self, question: impl Into<String>) -> Self {
        self.question = Some(question.into());
        self
    }

    /// Sets how sure the speaker is, 0 to 1.
    pub fn with_confidence(mut self, confidence: f64) -> Self {
        self.confidence = Some(confidence);
        self
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.text("question", self.question.as_deref(), 4096);
        checker.text("text", &*self.text, 16_384);
        if let Some(seen) = self
            .confidence
            .filter(|confidence| !(0.0..=1.0).contains(confidence))
        {
            checker.add(
                "confidence",
                Breach::Range {
                    range: "0 to 1",
                    seen: seen.to_string(),
                },
            );
        }
    }
}

/// Something decided.
///
/// # Wire shape
/// ```
/// use lonis_schema::kind::Decision;
///
/// let text = r#"{"statement":"ship","rationale":"the tests pass","alternatives":["wait"]}"#;
/// let decision: Decision = serde_json::from_str(text)?;
/// assert_eq!(decision.alternatives, ["wait"]);
/// assert_eq!(serde_json::to_string(&decision)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
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

impl Decision {
    /// Makes a decision.
    pub fn new(statement: impl Into<String>) -> Self {
        Self {
            statement: statement.into(),
            ..Self::default()
        }
    }

    /// Sets why.
    pub fn with_rationale(mut self, rationale: impl Into<String>) -> Self {
        self.rationale = Some(rationale.into());
        self
    }

    /// Sets what else was possible.
    pub fn with_alternatives<T: Into<String>>(
        mut self,
        alternatives: impl IntoIterator<Item = T>,
    ) -> Self {
        self.alternatives = alternatives.into_iter().map(Into::into).collect();
        self
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.text("statement", &*self.statement, 4096);
        checker.text("rationale", self.rationale.as_deref(), 16_384);
        checker.texts("alternatives", &self.alternatives, 64, 1024);
    }
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
/// # Wire shape
/// ```
/// use lonis_schema::kind::Action;
///
/// let text = r#"{"verb":"write","target":"notes.txt","status":"completed"}"#;
/// let action: Action = serde_json::from_str(text)?;
/// assert_eq!(action.target.as_deref(), Some("notes.txt"));
/// assert_eq!(serde_json::to_string(&action)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
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

impl Action {
    /// Makes an action.
    pub fn new(verb: impl Into<String>, status: ActionStatus) -> Self {
        Self {
            verb: verb.into(),
            target: None,
            parameters: None,
            status,
        }
    }

    /// Sets what it is done to.
    pub fn with_target(mut self, target: impl Into<String>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// Sets how it is done.
    pub fn with_parameters(mut self, parameters: impl Into<Json>) -> Self {
        self.parameters = Some(parameters.into());
        self
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.text("verb", &*self.verb, 256);
        checker.text("target", self.target.as_deref(), 4096);
    }
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
/// # Wire shape
/// ```
/// use lonis_schema::kind::Assumption;
///
/// let text = r#"{"statement":"the disk is local","status":"validated"}"#;
/// let assumption: Assumption = serde_json::from_str(text)?;
/// assert_eq!(assumption.statement, "the disk is local");
/// assert_eq!(serde_json::to_string(&assumption)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
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

impl Assumption {
    /// Makes an assumption.
    pub fn new(statement: impl Into<String>, status: AssumptionStatus) -> Self {
        Self {
            statement: statement.into(),
            status,
        }
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.text("statement", &*self.statement, 4096);
    }
}

/// Many things in short.
///
/// # Wire shape
/// ```
/// use lonis_schema::kind::Summary;
///
/// let text = r#"{"of":["first","second"],"text":"two items"}"#;
/// let summary: Summary = serde_json::from_str(text)?;
/// assert_eq!(summary.of.len(), 2);
/// assert_eq!(serde_json::to_string(&summary)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
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

impl Summary {
    /// Makes a summary.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            of: Vec::new(),
            text: text.into(),
        }
    }

    /// Sets what is summarised.
    pub fn with_of<T: Into<String>>(mut self, of: impl IntoIterator<Item = T>) -> Self {
        self.of = of.into_iter().map(Into::into).collect();
        self
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.texts("of", &self.of, 1024, 4096);
        checker.text("text", &*self.text, 16_384);
    }
}

object_only!(
    Message, Question, Answer, Decision, Action, Assumption, Summary
);
