//! What a tool promises: its contract.

use crate::Json;
use crate::object_only::object_only;
use crate::words::words;
use serde::{Deserialize, Serialize};

words! {
    /// Whether the same input gives the same result.
    Determinism {
        /// The same input gives the same result.
        Deterministic = "deterministic",
        /// Results vary within stated limits.
        BoundedNondeterministic = "bounded-nondeterministic",
        /// Results may vary in any way.
        Nondeterministic = "nondeterministic",
    }
}

words! {
    /// What a call changes outside the tool.
    SideEffects {
        /// Nothing is read or changed but the input.
        None = "none",
        /// Files or systems are read.
        ReadOnly = "read-only",
        /// Files are written.
        WritesFilesystem = "writes-filesystem",
        /// Other systems are changed.
        MutatesExternal = "mutates-external",
        /// The network is used.
        Network = "network",
        /// Something may be lost for good.
        Destructive = "destructive",
    }
}

words! {
    /// How much a call costs, relative to others.
    Cost {
        /// Cheap enough to call at will.
        Low = "low",
        /// Worth a thought.
        Medium = "medium",
        /// To be called on purpose only.
        High = "high",
    }
}

/// What a tool promises about its input, output and effects.
///
/// The object is open: unknown keys are ignored when it is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct ToolContract {
    name: String,
    description: String,
    input_schema: String,
    output_schema: String,
    determinism: Determinism,
    side_effects: SideEffects,
    cost: Cost,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    capabilities: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verification: Option<Verification>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input_json_schema: Option<Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_json_schema: Option<Json>,
}

object_only!(ToolContract);

/// Where the promises of a contract come from.
///
/// # Wire shape
/// `{"tier":"curated"}`, `{"tier":"auto_extracted","source":…,"extracted_at":…}` or
/// `{"tier":"probed","evidence_hash":…}`. Extra keys are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tier", rename_all = "snake_case")]
pub enum Verification {
    /// A person wrote or checked them.
    Curated,
    /// A program derived them from the tool's own documents.
    AutoExtracted {
        /// What they were derived from.
        source: String,
        /// When that was done.
        extracted_at: String,
    },
    /// A program observed the tool.
    Probed {
        /// Hash of what was observed.
        evidence_hash: String,
    },
}

impl ToolContract {
    /// Makes a contract whose schema references follow from the name: dots for colons, then `.input/v1` or
    /// `.output/v1`.
    ///
    /// Without further calls it promises what holds for a tool without a contract: `nondeterministic`,
    /// `mutates-external`, `medium`.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        let name = name.into();
        let base = name.replace(':', ".");
        Self {
            description: description.into(),
            input_schema: format!("{base}.input/v1"),
            output_schema: format!("{base}.output/v1"),
            determinism: Determinism::Nondeterministic,
            side_effects: SideEffects::MutatesExternal,
            cost: Cost::Medium,
            capabilities: Vec::new(),
            verification: None,
            input_json_schema: None,
            output_json_schema: None,
            name,
        }
    }

    /// Sets the reference of the input schema.
    pub fn with_input_schema(mut self, reference: impl Into<String>) -> Self {
        self.input_schema = reference.into();
        self
    }

    /// Sets the reference of the output schema.
    pub fn with_output_schema(mut self, reference: impl Into<String>) -> Self {
        self.output_schema = reference.into();
        self
    }

    /// Sets whether the same input gives the same result.
    pub fn with_determinism(mut self, determinism: Determinism) -> Self {
        self.determinism = determinism;
        self
    }

    /// Sets what a call changes outside the tool.
    pub fn with_side_effects(mut self, side_effects: SideEffects) -> Self {
        self.side_effects = side_effects;
        self
    }

    /// Sets how much a call costs.
    pub fn with_cost(mut self, cost: Cost) -> Self {
        self.cost = cost;
        self
    }

    /// Sets the capability words.
    pub fn with_capabilities<T: Into<String>>(
        mut self,
        capabilities: impl IntoIterator<Item = T>,
    ) -> Self {
        self.capabilities = capabilities.into_iter().map(Into::into).collect();
        self
    }

    /// Sets where the promises come from.
    pub fn with_verification(mut self, verification: Verification) -> Self {
        self.verification = Some(verification);
        self
    }

    /// Sets the inline JSON Schema of the input.
    pub fn with_input_json_schema(mut self, schema: impl Into<Json>) -> Self {
        self.input_json_schema = Some(schema.into());
        self
    }

    /// Sets the inline JSON Schema of the output.
    pub fn with_output_json_schema(mut self, schema: impl Into<Json>) -> Self {
        self.output_json_schema = Some(schema.into());
        self
    }

    /// Returns the name: the text of a tool id, or the provider's own name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the reference of the input schema.
    pub fn input_schema(&self) -> &str {
        &self.input_schema
    }

    /// Returns the reference of the output schema.
    pub fn output_schema(&self) -> &str {
        &self.output_schema
    }

    /// Returns whether the same input gives the same result.
    pub fn determinism(&self) -> Determinism {
        self.determinism
    }

    /// Returns what a call changes outside the tool.
    pub fn side_effects(&self) -> SideEffects {
        self.side_effects
    }

    /// Returns how much a call costs.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Returns the capability words.
    pub fn capabilities(&self) -> &[String] {
        &self.capabilities
    }

    /// Returns where the promises come from.
    pub fn verification(&self) -> Option<&Verification> {
        self.verification.as_ref()
    }

    /// Returns the inline JSON Schema of the input.
    pub fn input_json_schema(&self) -> Option<&Json> {
        self.input_json_schema.as_ref()
    }

    /// Returns the inline JSON Schema of the output.
    pub fn output_json_schema(&self) -> Option<&Json> {
        self.output_json_schema.as_ref()
    }
}
