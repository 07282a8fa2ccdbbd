//! What a command prints in its machine form: one object, the same members for every command.

use serde_json::{Value, json};

use crate::catalog::{CATALOG_IDENTITY, CATALOG_PATH, CATALOG_VERSION};

/// The schema id of the diagnostics in an envelope.
pub const DIAGNOSTICS_SCHEMA: &str = "genesis/diagnostics-schema-v1";
/// The kind of an envelope that has no result.
pub const ERROR_KIND: &str = "genesis/error-v0.2";

/// Returns the envelope of a command that succeeded.
///
/// # Wire shape
/// ```
/// let envelope = lonis_diagnostics::success("genesis/agent-session-list-v0.2", serde_json::json!({"sessions": []}));
/// assert_eq!(envelope["ok"], true);
/// assert_eq!(envelope["diagnostics"], serde_json::json!([]));
/// ```
pub fn success(kind: &str, data: Value) -> Value {
    let mut envelope = json!({
        "ok": true,
        "kind": kind,
        "diagnostics_schema": DIAGNOSTICS_SCHEMA,
        "diagnostic_catalog": catalog(),
        "diagnostics": [],
    });
    // Set apart, so that the data is moved and not copied.
    envelope["data"] = data;
    envelope
}

/// Names the catalog that the diagnostics are of.
pub(crate) fn catalog() -> Value {
    json!({"path": CATALOG_PATH, "version": CATALOG_VERSION, "identity_sha256": CATALOG_IDENTITY})
}
