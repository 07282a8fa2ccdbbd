//! Keeps secret values out of what is said of a call: a failing program may have printed them to stderr.

use std::ffi::OsString;

use lonis_schema::{Json, ToolError};
use serde_json::Value;

/// What stands in place of a secret.
const MASK: &str = "***";
/// A shorter value is found in innocent words, and masking it would tell where it stands.
const SHORTEST: usize = 4;

/// The secret values of one call's environment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Secrets(Vec<Secret>);

#[derive(Clone)]
struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(MASK)
    }
}

impl Secrets {
    /// Takes the values that are texts; others cannot stand in a message.
    pub(crate) fn of(values: &[OsString]) -> Self {
        let mut secrets: Vec<Secret> = values
            .iter()
            .filter_map(|value| value.to_str())
            // A program that prints a value line by line, or without the space around it, prints it all the same.
            .flat_map(|value| std::iter::once(value).chain(value.lines()))
            .map(str::trim)
            .filter(|value| value.len() >= SHORTEST)
            .map(|value| Secret(value.to_owned()))
            .collect();
        // The longest first, so that no part of it is left when a shorter one stands inside.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.0.len()));
        Self(secrets)
    }

    /// The text without them, also where they stand escaped in it.
    pub(crate) fn masked(&self, mut text: String) -> String {
        for Secret(secret) in &self.0 {
            let escaped = secret.escape_debug().to_string();
            for spelling in [secret.as_str(), escaped.as_str()] {
                if text.contains(spelling) {
                    text = text.replace(spelling, MASK);
                }
            }
        }
        text
    }

    /// An error of the host without them.
    pub(crate) fn masked_error(&self, error: ToolError) -> ToolError {
        if self.0.is_empty() {
            return error;
        }
        let details = error.details().map(Json::to_value);
        let masked = ToolError::new(
            error.kind().clone(),
            self.masked(error.message().to_owned()),
        )
        .with_exit_code(error.exit_code());
        match details {
            Some(details) => masked.with_details(self.masked_value(details)),
            None => masked,
        }
    }

    /// A value without them; one that has none keeps its text.
    pub(crate) fn masked_json(&self, value: Json) -> Json {
        let whole = value.to_value();
        let masked = self.masked_value(whole.clone());
        if masked == whole {
            return value;
        }
        Json::from(masked)
    }

    fn masked_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.masked(text)),
            Value::Array(values) => values
                .into_iter()
                .map(|value| self.masked_value(value))
                .collect(),
            Value::Object(members) => members
                .into_iter()
                .map(|(name, value)| (self.masked(name), self.masked_value(value)))
                .collect(),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use lonis_schema::ErrorKind;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_is_nowhere_in_what_is_said() {
        let secrets = Secrets::of(&["hunter22".into(), "top\nsecret\n".into(), "abc".into()]);
        for (text, wanted) in [
            ("token hunter22!", "token ***!"),
            ("hunter22hunter22", "******"),
            ("a top\nsecret b", "a *** b"),
            ("only secret", "only ***"),
            ("abc is too short to mask", "abc is too short to mask"),
            ("", ""),
        ] {
            assert_eq!(secrets.masked(text.to_owned()), wanted);
        }
        let error = ToolError::new(ErrorKind::ToolFailed, "hunter22")
            .with_exit_code(3)
            .with_details(json!({ "stderr_tail": "x hunter22", "list": [1, "hunter22"] }));
        let masked = secrets.masked_error(error);
        assert_eq!(masked.exit_code(), 3);
        assert!(!format!("{masked:?} {secrets:?}").contains("hunter22"));
    }
}
