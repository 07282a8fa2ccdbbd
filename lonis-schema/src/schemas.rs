//! The JSON Schemas of the wire contract, draft 2020-12.
//!
//! The documents are part of the program and parsed on demand. They say the same as the types: a document is read without
//! a limit finding exactly when its schema accepts it.

use serde_json::Value;

/// One JSON Schema of the wire contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    name: &'static str,
    id: &'static str,
    text: &'static str,
}

macro_rules! catalogue {
    ($($name:literal = $id:literal,)+) => {
        /// Every schema: the envelope, the fourteen seed kinds and the extension, then the other documents.
        pub const ALL: &[Schema] = &[$(Schema {
            name: $name,
            id: concat!("https://industrialalgebra.com/schemas/", $id),
            text: include_str!(concat!("../schemas/", $name, ".json")),
        },)+];
    };
}

catalogue! {
    "block" = "lonis.block/v1",
    "message" = "lonis.block/message/v1",
    "question" = "lonis.block/question/v1",
    "answer" = "lonis.block/answer/v1",
    "decision" = "lonis.block/decision/v1",
    "action" = "lonis.block/action/v1",
    "assumption" = "lonis.block/assumption/v1",
    "summary" = "lonis.block/summary/v1",
    "evidence" = "lonis.block/evidence/v1",
    "definition" = "lonis.block/definition/v1",
    "capability" = "lonis.block/capability/v1",
    "intent" = "lonis.block/intent/v1",
    "plan" = "lonis.block/plan/v1",
    "result" = "lonis.block/result/v1",
    "outcome" = "lonis.block/outcome/v1",
    "extension" = "lonis.block/extension/v1",
    "error" = "lonis.error/v1",
    "contract" = "lonis.contract/v1",
    "manifest" = "lonis.manifest/v1",
    "tools_list" = "lonis.tools_list/v1",
}

/// Finds a schema by its name, such as `message`.
///
/// # Example
/// ```
/// let schema = lonis_schema::schemas::find("message").expect("a seed kind");
/// assert_eq!(schema.id(), "https://industrialalgebra.com/schemas/lonis.block/message/v1");
/// assert_eq!(schema.to_value()["properties"]["kind"]["const"], "message");
/// ```
pub fn find(name: &str) -> Option<&'static Schema> {
    ALL.iter().find(|schema| schema.name == name)
}

impl Schema {
    /// Returns the name by which it is asked for.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns its `$id`.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Returns the document as text.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// Parses the document.
    ///
    /// # Panics
    /// Never: the documents are part of the program, and a test parses each.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(self.text).expect("a test parses every schema of the catalogue")
    }
}
