//! The document form: exactly the bytes of one JSON document, for tools whose contract is that document.

use lonis::{RawBlock, ToolError};
use serde_json::{Value, json};

use super::ToolResult;
use crate::refusal::Refusal;
use crate::runner::Finished;

/// Makes the result of a call: the data of its one block, or the details of its error.
pub(crate) fn document(finished: &Finished) -> ToolResult {
    let Some(error) = &finished.error else {
        return match &finished.blocks[..] {
            [text] => match RawBlock::read(text) {
                Ok(block) => ToolResult {
                    text: block.value.data().to_owned(),
                    structured: None,
                    is_error: false,
                },
                Err(error) => failed("internal", &format!("invalid_output: {error}")),
            },
            blocks => {
                let message = format!(
                    "invalid_output: {} blocks came where one is due",
                    blocks.len()
                );
                failed("internal", &message)
            }
        };
    };
    if let Some(details) = error.details()
        && details.to_value()["errors"].is_array()
    {
        return ToolResult {
            text: details.text().to_owned(),
            structured: None,
            is_error: true,
        };
    }
    failed(
        code_of(error),
        &format!("{}: {}", error.kind(), error.message()),
    )
}

/// Makes the result of arguments that were refused before anything ran.
pub(crate) fn refused_document(refusal: &Refusal) -> ToolResult {
    failed("usage", &format!("invalid_input: {}", refusal.message()))
}

/// Makes the result of a call that could not be made.
pub(crate) fn failed_document(message: &str) -> ToolResult {
    failed("internal", message)
}

fn code_of(error: &ToolError) -> &'static str {
    match error.kind().as_str() {
        "invalid_input" | "bad_input" => "usage",
        _ => "internal",
    }
}

/// One diagnostic, in the shape that all documents of the checker have.
fn failed(code: &str, message: &str) -> ToolResult {
    let (class, reference) = match code {
        "usage" => ("fix-call", "soil0-cli#1"),
        _ => ("fix-config", "soil0-cli#2"),
    };
    let none = json!({"tag": "None"});
    let diagnostic = Ordered {
        code,
        message,
        file: &none,
        span: &none,
        notes: [],
        repair_class: class,
        spec_ref: reference,
    };
    let document = Document {
        errors: [diagnostic],
    };
    ToolResult {
        text: serde_json::to_string(&document).expect("texts can be written"),
        structured: None,
        is_error: true,
    }
}

/// The members in the order of every other diagnostic of the checker.
#[derive(serde::Serialize)]
struct Ordered<'a> {
    code: &'a str,
    message: &'a str,
    file: &'a Value,
    span: &'a Value,
    notes: [(); 0],
    repair_class: &'static str,
    spec_ref: &'static str,
}

#[derive(serde::Serialize)]
struct Document<'a> {
    errors: [Ordered<'a>; 1],
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lonis::{ErrorKind, Json};

    use super::*;

    fn finished(blocks: &[&str], error: Option<ToolError>) -> Finished {
        Finished {
            blocks: blocks.iter().map(|text| (*text).to_owned()).collect(),
            error,
            outcome: None,
            wall: Duration::ZERO,
            has_crashed: false,
        }
    }

    const BLOCK: &str = r#"{"schema_version":"lonis.block/v1","attribution":{"identity":"a:b","provenance":{"when":"2026-01-01T00:00:00Z","producer":"a:b"}},"payload":{"kind":"a.b","data":{"z":1.50,"a":[]}}}"#;

    #[test]
    fn the_bytes_of_the_one_block_arrive() {
        let result = document(&finished(&[BLOCK], None));
        assert_eq!(result.text, r#"{"z":1.50,"a":[]}"#);
        assert!(!result.is_error && result.structured.is_none());
    }

    #[test]
    fn an_error_is_its_details_or_one_diagnostic() {
        let given = ToolError::new(ErrorKind::from("checker/no-draft"), "no")
            .with_details(Json::parse(r#"{"errors":[{"code":"no-draft"}]}"#).expect("it is JSON"));
        let result = document(&finished(&[], Some(given)));
        assert_eq!(result.text, r#"{"errors":[{"code":"no-draft"}]}"#);
        for (error, code) in [
            (ToolError::new(ErrorKind::InvalidInput, "no"), "usage"),
            (ToolError::new(ErrorKind::from("bad_input"), "no"), "usage"),
            (ToolError::new(ErrorKind::Timeout, "no"), "internal"),
        ] {
            let message = format!("{}: no", error.kind());
            let result = document(&finished(&[], Some(error)));
            assert!(result.is_error);
            let start = format!(
                r#"{{"errors":[{{"code":"{code}","message":"{message}","file":{{"tag":"None"}},"#
            );
            assert!(result.text.starts_with(&start), "{}", result.text);
        }
        for blocks in [&[][..], &[BLOCK, BLOCK]] {
            let result = document(&finished(blocks, None));
            assert!(
                result.is_error && result.text.contains("internal"),
                "{}",
                result.text
            );
        }
    }
}
