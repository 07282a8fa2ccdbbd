//! `read_spec`: a section of the documents that this checker was built with.

use serde_json::{Value, json};

use super::input::Input;
use super::{JobTool, Sort, Work, schema};
use crate::documents::section;

pub(super) const TOOL: JobTool = JobTool {
    native: "trellis.read_spec",
    id: "trellis:read_spec",
    description: "Gives a section of the rules, by a reference such as those of diagnostics: `soil-syntax-spec#5.9`.",
    sort: Sort::Reading,
    is_long: false,
    input,
    output,
    prepare,
};

fn input() -> Value {
    schema::object(
        &json!({"ref": {"type": "string", "pattern": "^[a-z0-9-]+#[0-9]+(\\.[0-9]+)*$"}}),
    )
}

fn output() -> Value {
    schema::object(&json!({"title": {"type": "string"}, "text": {"type": "string"}}))
}

fn prepare(input: &mut Input<'_>) -> Option<Work> {
    let reference = input.text("ref")?.to_owned();
    Some(Box::new(move |_| Ok(section(&reference)?.document())))
}
