//! What a caller asks of one call.

use std::fmt;

use lonis_schema::Json;

/// One call of a tool: its input and how it is to run.
///
/// # Example
/// ```
/// use lonis_core::Call;
/// use serde_json::json;
///
/// let call = Call::new(json!({"key": "a"}));
/// assert_eq!(call.input().text(), r#"{"key":"a"}"#);
/// ```
pub struct Call {
    input: Json,
}

impl Call {
    /// Makes a call with an input, under the tool's own rules.
    pub fn new(input: impl Into<Json>) -> Self {
        Self {
            input: input.into(),
        }
    }

    /// Returns the input.
    pub fn input(&self) -> &Json {
        &self.input
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The input may hold a secret, so it is not shown.
        formatter.debug_struct("Call").finish_non_exhaustive()
    }
}
