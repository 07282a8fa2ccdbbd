//! `check_refinements`: whether clauses are proven, of which nothing can be said without a prover.

use serde_json::{Value, json};

use super::input::Input;
use super::{JobTool, Sort, Work, schema};

pub(super) const TOOL: JobTool = JobTool {
    native: "trellis.check_refinements",
    id: "trellis:check_refinements",
    description: "Says which clauses are proven: without a prover none, and each is checked when the definition runs.",
    sort: Sort::Reading,
    is_long: false,
    input: schema::nothing,
    output,
    prepare,
};

fn output() -> Value {
    let assurance = schema::words(&["Proven", "Runtime", "Trusted"]);
    let clause = schema::object(&json!({"key": {"type": "string"}, "value": assurance}));
    schema::option(&schema::object(
        &json!({"clauses": {"type": "array", "items": clause}}),
    ))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "a tool whose input can be wrong gives none here"
)]
fn prepare(_: &mut Input<'_>) -> Option<Work> {
    Some(Box::new(|_| Ok("{\"tag\":\"None\"}\n".to_owned())))
}
