//! What a call came to, as the result of `tools/call`.

mod document;
mod envelope;
mod pages;

use serde_json::{Value, json};

pub(crate) use document::{document, failed_document, refused_document};
pub(crate) use envelope::{envelope, refused_envelope};
pub(crate) use pages::{Pages, RESULTS, sha256};

/// The result of a call before it is sent: one text, and what is told beside it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolResult {
    /// The one text item.
    pub(crate) text: String,
    /// The same value, where the form has it.
    pub(crate) structured: Option<Value>,
    pub(crate) is_error: bool,
}

impl ToolResult {
    /// Makes the result of an envelope.
    pub(crate) fn of_envelope(envelope: Value) -> Self {
        Self {
            text: lonis::canonical::text(&envelope).expect("a value of JSON has a canonical text"),
            is_error: envelope["ok"] == false,
            structured: Some(envelope),
        }
    }

    /// Writes it as the `result` member of an answer.
    pub(crate) fn to_value(&self, audit: Option<&Value>, effect: &str) -> Value {
        let mut result = json!({
            "content": [{"type": "text", "text": self.text}],
            "isError": self.is_error,
            "_meta": {"genesis/sessionAudit": audit, "genesis/effect": effect},
        });
        if let Some(structured) = &self.structured {
            result["structuredContent"] = structured.clone();
        }
        result
    }
}
