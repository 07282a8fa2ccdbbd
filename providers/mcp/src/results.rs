//! What a call came to, as the result of `tools/call`.

mod document;
mod envelope;
mod pages;

use serde_json::{Value, json};

pub(crate) use document::{document, failed_document, refused_document};
pub(crate) use envelope::{envelope, refused_envelope};
pub(crate) use pages::{Pages, RESULTS, sha256};

/// The most levels of a structure that stands in a frame.
const MAX_LEVELS: usize = 100;

fn levels(value: &Value) -> usize {
    let below = match value {
        Value::Array(items) => items.iter().map(levels).max(),
        Value::Object(members) => members.values().map(levels).max(),
        _ => return 0,
    };
    1 + below.unwrap_or_default()
}

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

    /// Whether its structure is nested too deeply for readers of frames, some of which stop at 128 levels.
    pub(crate) fn is_deep(&self) -> bool {
        self.structured
            .as_ref()
            .is_some_and(|structured| levels(structured) > MAX_LEVELS)
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
