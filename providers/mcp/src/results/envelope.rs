//! The envelope form: one canonical object, the same members whatever the tool.

use lonis::diagnostics::{DIAGNOSTICS_SCHEMA, Diagnostic, ERROR_KIND, Failure, success};
use lonis::{Json, RawBlock, ToolError};
use serde_json::{Value, json};

use super::ToolResult;
use crate::runner::Finished;

/// The kind of an envelope that holds the blocks of a call.
const CALL_KIND: &str = "lonis/call-v0.1";
/// The schema of the details that a provider of ours gives an error.
const ERROR_DETAILS: &str = "genesis/error-details-v0.2";
/// Where sessions keep the kind of their own envelopes.
const SESSION_SCHEMAS: &str = "genesis/agent-session-";

/// Makes the result of a call of a registered tool.
pub(crate) fn envelope(id: &str, finished: &Finished) -> ToolResult {
    let envelope = match &finished.error {
        None => session(finished).unwrap_or_else(|| success(CALL_KIND, data(id, finished))),
        Some(error) => failed(error, id, finished),
    };
    ToolResult::of_envelope(envelope)
}

/// Makes the result of arguments that were refused.
pub(crate) fn refused_envelope(diagnostic: Diagnostic) -> ToolResult {
    ToolResult::of_envelope(Failure::from(diagnostic).envelope(None))
}

/// The envelope that the session provider itself would print.
fn session(finished: &Finished) -> Option<Value> {
    let [text] = &finished.blocks[..] else {
        return None;
    };
    let block = RawBlock::read(text).ok()?.value;
    if !block.kind().starts_with("session.") {
        return None;
    }
    let data = value_of(block.data());
    let schema = data["schema"].as_str()?;
    if !schema.starts_with(SESSION_SCHEMAS) {
        return None;
    }
    let kind = schema.to_owned();
    Some(success(&kind, data))
}

/// Reads a text that was received, as deep as anything may be that is received.
fn value_of(text: &str) -> Value {
    Json::parse(text).map_or(Value::Null, |json| json.to_value())
}

fn data(id: &str, finished: &Finished) -> Value {
    let blocks: Vec<Value> = finished.blocks.iter().map(|text| value_of(text)).collect();
    let micros = u64::try_from(finished.wall.as_micros()).unwrap_or(u64::MAX);
    json!({"tool": id, "blocks": blocks, "duration_micros": micros})
}

fn failed(error: &ToolError, id: &str, finished: &Finished) -> Value {
    let details = error.details().map(Json::to_value);
    if let Some(details) = details.filter(|details| details["schema"] == ERROR_DETAILS) {
        return of_details(error, &details);
    }
    let mut failure = Failure::of_tool_error(error, "tool/call");
    if !finished.blocks.is_empty() {
        failure = failure.with_result(data(id, finished));
    }
    failure.envelope(Some(CALL_KIND))
}

/// Puts the diagnostics that a provider gave with its error where an envelope has them.
fn of_details(error: &ToolError, details: &Value) -> Value {
    let mut envelope = json!({
        "ok": false,
        "kind": ERROR_KIND,
        "error": {
            "code": error.kind().as_str(),
            "message": error.message(),
            "context": details["context"],
        },
        "diagnostics_schema": DIAGNOSTICS_SCHEMA,
        "diagnostic_catalog": details["diagnostic_catalog"],
        "diagnostics": details["diagnostics"],
    });
    if let Some(result) = details.get("result") {
        if let Some(schema) = result["schema"].as_str() {
            envelope["kind"] = schema.into();
        }
        envelope["data"] = result.clone();
    }
    envelope
}
