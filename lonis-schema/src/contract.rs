//! What a tool promises: its contract.

mod inline_schema;
mod verification;

pub use verification::{Verification, VerificationTier};

use crate::finding::{Breach, Checker, Finding};
use crate::object_only::object_only;
use crate::read::{Document, Read, ReadError};
use crate::tool_id::{MAX_TOOL_ID_LENGTH, ToolIdError};
use crate::words::words;
use crate::{Json, ToolId};
use inline_schema::InlineSchema;
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
/// # Wire shape
/// An open object: unknown keys are ignored when it is read.
/// ```
/// use lonis_schema::{Cost, ToolContract};
/// let contract = ToolContract::new("acme:kv:get", "Reads one key.").with_cost(Cost::Low);
/// let text = serde_json::to_string(&contract).unwrap();
/// assert_eq!(
///     text,
///     concat!(
///         r#"{"name":"acme:kv:get","description":"Reads one key.","input_schema":"acme.kv.get.input/v1","#,
///         r#""output_schema":"acme.kv.get.output/v1","determinism":"nondeterministic","#,
///         r#""side_effects":"mutates-external","cost":"low"}"#,
///     )
/// );
/// assert_eq!(ToolContract::read(&text)?.value, contract);
/// # Ok::<(), lonis_schema::ReadError>(())
/// ```
///
/// # Units and bounds
/// `name`, `input_schema`, `output_schema`: at most 1024 Unicode scalar values. `description`: 4096. `capabilities`: at
/// most 64, of at most 256 each. `input_json_schema`, `output_json_schema`: at most 65536 bytes each as compact JSON.
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
    #[serde(default, skip_serializing_if = "is_unusable")]
    input_json_schema: Option<InlineSchema>,
    #[serde(default, skip_serializing_if = "is_unusable")]
    output_json_schema: Option<InlineSchema>,
}

object_only!(ToolContract);

impl ToolContract {
    /// Makes a contract whose schema references follow from the name.
    ///
    /// They are the name with dots for colons, then `.input/v1` or `.output/v1`.
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

    /// Sets the inline JSON Schema of the input, draft 2020-12.
    ///
    /// # Units and bounds
    /// An object of at most 65536 bytes as compact JSON, with references inside itself only. Another value is dropped,
    /// which [`check`](Self::check) tells.
    pub fn with_input_json_schema(mut self, schema: impl Into<Json>) -> Self {
        self.input_json_schema = Some(InlineSchema::new(schema.into()));
        self
    }

    /// Sets the inline JSON Schema of the output, draft 2020-12.
    ///
    /// # Units and bounds
    /// An object of at most 65536 bytes as compact JSON, with references inside itself only. Another value is dropped,
    /// which [`check`](Self::check) tells.
    pub fn with_output_json_schema(mut self, schema: impl Into<Json>) -> Self {
        self.output_json_schema = Some(InlineSchema::new(schema.into()));
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

    /// Returns the inline JSON Schema of the input, where there is one that can be used.
    pub fn input_json_schema(&self) -> Option<&Json> {
        self.input_json_schema
            .as_ref()
            .and_then(InlineSchema::usable)
    }

    /// Returns the inline JSON Schema of the output, where there is one that can be used.
    pub fn output_json_schema(&self) -> Option<&Json> {
        self.output_json_schema
            .as_ref()
            .and_then(InlineSchema::usable)
    }

    /// Returns whether this is the contract of the tool that its provider calls `native` and the registry `id`.
    pub fn is_of(&self, native: &str, id: &ToolId) -> bool {
        self.name == native || self.name == id.as_str()
    }

    /// Reads a contract, and tells which limits and formats it breaks.
    ///
    /// # Errors
    /// [`ReadError`], where the text is not strict JSON, or a key is missing or of the wrong type.
    pub fn read(text: &str) -> Result<Read<Self>, ReadError> {
        let (contract, _) = Document::read::<Self>(text)?;
        let findings = contract.check();
        Ok(Read {
            value: contract,
            findings,
        })
    }

    /// Returns the limits and formats that the contract breaks.
    pub fn check(&self) -> Vec<Finding> {
        let mut checker = Checker::new();
        self.look(&mut checker);
        checker.into_findings()
    }

    pub(crate) fn has_inline_schema(&self) -> bool {
        self.input_json_schema.is_some() || self.output_json_schema.is_some()
    }

    /// Returns the contract without what older readers ignore, which is not hashed.
    pub(crate) fn without_inline_schemas(&self) -> Self {
        Self {
            input_json_schema: None,
            output_json_schema: None,
            ..self.clone()
        }
    }

    pub(crate) fn look(&self, checker: &mut Checker) {
        if let Err(error) = check_name(&self.name) {
            checker.add("name", Breach::Grammar(error.to_string()));
        }
        checker.text("name", &*self.name, MAX_TOOL_ID_LENGTH);
        checker.text("description", &*self.description, 4096);
        checker.text("input_schema", &*self.input_schema, 1024);
        checker.text("output_schema", &*self.output_schema, 1024);
        checker.texts("capabilities", &self.capabilities, 64, 256);
        let inline = [
            ("input_json_schema", &self.input_json_schema),
            ("output_json_schema", &self.output_json_schema),
        ];
        for (key, schema) in inline {
            if let Some(breach) = schema.as_ref().and_then(InlineSchema::breach) {
                checker.add(key, breach.clone());
            }
        }
    }
}

/// Checks that a name is a tool id, or would be one with colons for dots, as providers write their own names.
fn check_name(name: &str) -> Result<(), ToolIdError> {
    match ToolId::new(name) {
        Err(ToolIdError::OneSegment(_)) if ToolId::new(name.replace('.', ":")).is_ok() => Ok(()),
        other => other.map(|_| ()),
    }
}

#[expect(
    clippy::ref_option,
    reason = "serde hands `skip_serializing_if` a reference to the field"
)]
fn is_unusable(schema: &Option<InlineSchema>) -> bool {
    schema.as_ref().and_then(InlineSchema::usable).is_none()
}

#[cfg(test)]
mod tests {
    use super::{Cost, Determinism, SideEffects, ToolContract};
    use crate::ToolId;
    use serde_json::json;

    #[test]
    fn a_bare_contract_promises_what_holds_without_one() {
        let contract = ToolContract::new("acme:kv:get", "Reads one key.");
        assert_eq!(contract.determinism(), Determinism::Nondeterministic);
        assert_eq!(contract.side_effects(), SideEffects::MutatesExternal);
        assert_eq!(contract.cost(), Cost::Medium);
        assert_eq!(contract.check(), []);
    }

    #[test]
    fn it_belongs_to_a_tool_by_either_of_its_names() {
        let id = ToolId::new("acme:kv:get").expect("three segments");
        for (name, is_of) in [
            ("acme.kv.get", true),
            ("acme:kv:get", true),
            ("acme.kv:get", false),
            ("get", false),
        ] {
            assert_eq!(
                ToolContract::new(name, "").is_of("acme.kv.get", &id),
                is_of,
                "{name}"
            );
        }
    }

    #[test]
    fn an_inline_schema_that_cannot_be_used_is_dropped_and_told() {
        let inside = json!({"$defs": {"a": {"type": "string"}}, "items": {"$ref": "#/$defs/a"}});
        let contract = ToolContract::new("a:b", "c").with_input_json_schema(inside.clone());
        assert_eq!(
            contract.input_json_schema().map(crate::Json::to_value),
            Some(inside)
        );
        assert_eq!(contract.check(), []);
        let unusable = [
            (json!([]), "is no object and was dropped", true),
            (
                json!({"items": [{"$ref": "other.json"}]}),
                "refers to `other.json`",
                false,
            ),
            (
                json!({"title": "x".repeat(65_536)}),
                "is a schema of 65548 bytes",
                false,
            ),
        ];
        for (schema, message, is_limit) in unusable {
            let contract = ToolContract::new("a:b", "c").with_output_json_schema(schema);
            assert_eq!(contract.output_json_schema(), None);
            let findings = contract.check();
            let [finding] = &findings[..] else {
                panic!("{findings:?}")
            };
            assert_eq!(
                (finding.pointer(), finding.is_limit()),
                ("/output_json_schema", is_limit)
            );
            assert!(finding.to_string().contains(message), "{finding}");
            assert!(
                !serde_json::to_string(&contract)
                    .expect("plain data")
                    .contains("json_schema")
            );
        }
    }
}
