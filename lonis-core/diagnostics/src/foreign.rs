//! Errors that others report, as failures of the catalog.

use lonis_schema::ToolError;
use serde_json::{Value, json};

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::failure::Failure;

/// The longest part of a reported text that is kept, in characters.
const MAX_REPORTED_CHARS: usize = 512;

/// Families whose codes are ours: one that the catalog lacks is a bug of ours.
fn is_our_family(kind: &str) -> bool {
    let Some((family, _)) = kind.split_once('/') else {
        return false;
    };
    crate::entries()
        .iter()
        .any(|entry| entry.code.family() == family)
}

impl Failure {
    /// Makes a failure of an error that a tool of another program reported.
    ///
    /// A kind of the wire contract is the code that stands for it, a code of ours that the catalog lacks is
    /// `diagnostic/catalog-miss`, and any other kind is `tool/foreign-error`. Reported text is bounded and holds no control
    /// character.
    pub fn of_tool_error(error: &ToolError, operation: &str) -> Self {
        let kind = error.kind().as_str();
        let message = reported(error.message());
        if let Ok(code) = kind.parse::<Code>() {
            return Diagnostic::new(code, operation, message)
                .exiting(error.exit_code())
                .into();
        }
        if is_our_family(kind) {
            return Diagnostic::new(Code::DiagnosticCatalogMiss, operation, message)
                .with("reported_code", reported(kind))
                .into();
        }
        let code = Code::of_wire_kind(kind).unwrap_or(Code::ToolForeignError);
        let mut diagnostic = Diagnostic::new(code, operation, message);
        if code.family() == "tool" && matches!(code, Code::ToolForeignError | Code::ToolFailed) {
            let details = error
                .details()
                .map(lonis_schema::Json::to_value)
                .unwrap_or_default();
            let of = |name: &str| details.get(name).cloned().unwrap_or(Value::Null);
            diagnostic = diagnostic
                .with("reported_kind", reported(kind))
                .with("exit", json!(error.exit_code()))
                .with("signal", of("signal"));
        }
        diagnostic.exiting(error.exit_code()).into()
    }
}

/// Bounds a reported text, and removes its control characters.
fn reported(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(MAX_REPORTED_CHARS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lonis_schema::ErrorKind;

    #[test]
    fn a_reported_kind_is_the_code_that_stands_for_it() {
        for (kind, exit, expected) in [
            ("timeout", 7, "tool/timeout"),
            ("not_found", 3, "tool/not-found"),
            ("session/stale-base", 31, "session/stale-base"),
            ("session/invented", 1, "diagnostic/catalog-miss"),
            ("no_such_key", 12, "tool/foreign-error"),
            ("acme/odd", 12, "tool/foreign-error"),
            ("internal", 70, "error/internal"),
        ] {
            let error =
                ToolError::new(ErrorKind::from(kind), "wrong\u{1b}[2J").with_exit_code(exit);
            let failure = Failure::of_tool_error(&error, "tool/call");
            assert_eq!(failure.code().as_str(), expected, "{kind}");
            assert!(!failure.cause().message().contains('\u{1b}'), "{kind}");
            if expected != "diagnostic/catalog-miss" {
                assert_eq!(failure.exit_code(), exit, "{kind}");
            }
        }
    }
}
