//! Documents that several tests start from.

use golden::Family;
use serde_json::{Value, json};

/// The golden block of a kind, which has every optional member of its data.
pub(crate) fn golden_block(kind: &str) -> Value {
    Family::named("blocks").case(kind).parse()
}

/// The smallest block around a payload.
pub(crate) fn block_with(payload: &Value) -> Value {
    json!({
        "schema_version": "lonis.block/v1",
        "attribution": {
            "identity": "tool:a",
            "provenance": {"when": "2026-03-01T12:00:00Z", "producer": "acme:a"},
        },
        "payload": payload,
    })
}

/// The text of the smallest block around a kind and its data as they are spelled, in the order of the wire contract.
pub(crate) fn block_text(kind: &str, data: &str) -> String {
    let attribution =
        r#"{"identity":"tool:a","provenance":{"when":"2026-03-01T12:00:00Z","producer":"acme:a"}}"#;
    format!(
        r#"{{"schema_version":"lonis.block/v1","attribution":{attribution},"payload":{{"kind":"{kind}","data":{data}}}}}"#
    )
}

/// A message block with one member of the envelope set.
pub(crate) fn message_with(place: &str, value: Value) -> String {
    let mut block = block_with(&json!({"kind": "message", "data": {"content": "a"}}));
    let (parent, key) = place.rsplit_once('/').expect("a place below the root");
    block.pointer_mut(parent).expect("the parent is there")[key] = value;
    block.to_string()
}
