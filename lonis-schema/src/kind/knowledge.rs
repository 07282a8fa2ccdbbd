//! Knowledge: what is the case, and what things are.
//!
//! The fourth kind of this category, `capability`, is a [`ToolContract`](crate::ToolContract).

use crate::Json;
use crate::finding::Checker;
use crate::object_only::object_only;
use crate::wire_number::write_measure;
use serde::{Deserialize, Serialize};

/// Something that speaks for or against a statement.
///
/// # Wire shape
/// ```
/// use lonis_schema::kind::Evidence;
///
/// let text = r#"{"kind":"observation","summary":"the log has no error","source":"app.log","weight":0.5}"#;
/// let evidence: Evidence = serde_json::from_str(text)?;
/// assert_eq!(evidence.weight, Some(0.5));
/// assert_eq!(serde_json::to_string(&evidence)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Units and bounds
/// `kind`: at most 256 Unicode scalar values. `summary` and `source`: 4096. `hash`: 128. `weight`: any finite double.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Evidence {
    /// What sort of evidence it is, such as `observation`.
    pub kind: String,
    /// What was seen.
    pub summary: String,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Hash of what was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// How much it counts.
    #[serde(
        default,
        serialize_with = "write_measure",
        skip_serializing_if = "Option::is_none"
    )]
    pub weight: Option<f64>,
}

impl Evidence {
    /// Makes a piece of evidence.
    pub fn new(kind: impl Into<String>, summary: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            summary: summary.into(),
            ..Self::default()
        }
    }

    /// Sets where it comes from.
    pub fn with_source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Sets the hash of what was seen.
    pub fn with_hash(mut self, hash: impl Into<String>) -> Self {
        self.hash = Some(hash.into());
        self
    }

    /// Sets how much it counts.
    pub fn with_weight(mut self, weight: f64) -> Self {
        self.weight = Some(weight);
        self
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.text("kind", &*self.kind, 256);
        checker.text("summary", &*self.summary, 4096);
        checker.text("source", self.source.as_deref(), 4096);
        checker.text("hash", self.hash.as_deref(), 128);
    }
}

/// What a thing is.
///
/// # Wire shape
/// ```
/// use lonis_schema::kind::Definition;
///
/// let text = r#"{"id":"app:parse","name":"parse","kind":"function","path":"src/parse.rs","signature":"fn(&str) -> Tree"}"#;
/// let definition: Definition = serde_json::from_str(text)?;
/// assert_eq!(definition.kind, "function");
/// assert_eq!(serde_json::to_string(&definition)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Units and bounds
/// `id`: at most 1024 Unicode scalar values. `name`: 512. `kind`: 128. `path`, `signature`, `summary`: 4096. `docs`: 65536.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Definition {
    /// The id of the thing.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What sort of thing it is, such as `struct`.
    pub kind: String,
    /// Where it is defined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// What it is, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Its documentation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs: Option<String>,
    /// What else is known about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlay: Option<Json>,
}

impl Definition {
    /// Makes a definition.
    pub fn new(id: impl Into<String>, name: impl Into<String>, kind: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            kind: kind.into(),
            ..Self::default()
        }
    }

    /// Sets where it is defined.
    pub fn with_path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Sets the signature.
    pub fn with_signature(mut self, signature: impl Into<String>) -> Self {
        self.signature = Some(signature.into());
        self
    }

    /// Sets what it is, in a sentence.
    pub fn with_summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = Some(summary.into());
        self
    }

    /// Sets the documentation.
    pub fn with_docs(mut self, docs: impl Into<String>) -> Self {
        self.docs = Some(docs.into());
        self
    }

    /// Sets what else is known.
    pub fn with_overlay(mut self, overlay: impl Into<Json>) -> Self {
        self.overlay = Some(overlay.into());
        self
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.text("id", &*self.id, 1024);
        checker.text("name", &*self.name, 512);
        checker.text("kind", &*self.kind, 128);
        checker.text("path", self.path.as_deref(), 4096);
        checker.text("signature", self.signature.as_deref(), 4096);
        checker.text("summary", self.summary.as_deref(), 4096);
        checker.text("docs", self.docs.as_deref(), 65_536);
    }
}

/// What somebody wants.
///
/// # Wire shape
/// ```
/// use lonis_schema::kind::Intent;
///
/// let text = r#"{"statement":"halve the start-up time","constraints":["no new dependency"]}"#;
/// let intent: Intent = serde_json::from_str(text)?;
/// assert_eq!(intent.constraints, ["no new dependency"]);
/// assert_eq!(serde_json::to_string(&intent)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Units and bounds
/// `statement`: at most 4096 Unicode scalar values. `constraints`: at most 64, of at most 1024 each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Intent {
    /// What is wanted.
    pub statement: String,
    /// What has to hold all the while.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
}

impl Intent {
    /// Makes an intent.
    pub fn new(statement: impl Into<String>) -> Self {
        Self {
            statement: statement.into(),
            constraints: Vec::new(),
        }
    }

    /// Sets what has to hold all the while.
    pub fn with_constraints<T: Into<String>>(
        mut self,
        constraints: impl IntoIterator<Item = T>,
    ) -> Self {
        self.constraints = constraints.into_iter().map(Into::into).collect();
        self
    }

    pub(super) fn check(&self, checker: &mut Checker) {
        checker.text("statement", &*self.statement, 4096);
        checker.texts("constraints", &self.constraints, 64, 1024);
    }
}

object_only!(Evidence, Definition, Intent);
