//! A JSON-RPC error: what this face itself refuses.

use serde_json::{Map, Value, json};

use crate::code::McpCode;

/// One JSON-RPC error, with the members that `error.data` always has and those of its code.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refusal {
    code: McpCode,
    message: String,
    data: Map<String, Value>,
}

impl Refusal {
    pub(crate) fn new(code: McpCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: Map::new(),
        }
    }

    /// Adds a member to `error.data`.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn code(&self) -> McpCode {
        self.code
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns what `error.data` holds.
    pub(crate) fn data(&self) -> Value {
        let code = self.code.as_str();
        let mut data = self.data.clone();
        data.insert("code".into(), code.into());
        data.insert(
            "diagnostic_id".into(),
            format!("genesis/diagnostic/v1/{code}").into(),
        );
        data.insert("retryable".into(), self.code.is_retryable().into());
        Value::Object(data)
    }

    /// Returns the `error` member of an answer.
    pub(crate) fn to_value(&self) -> Value {
        json!({"code": self.code.number(), "message": self.message, "data": self.data()})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_always_says_code_entry_and_whether_to_try_again() {
        let refusal = Refusal::new(McpCode::QueueFull, "full").with("limit", 64);
        let expected = json!({
            "code": -32000,
            "message": "full",
            "data": {
                "code": "mcp/queue-full",
                "diagnostic_id": "genesis/diagnostic/v1/mcp/queue-full",
                "limit": 64,
                "retryable": true,
            },
        });
        assert_eq!(refusal.to_value(), expected);
    }
}
