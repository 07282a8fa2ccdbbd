//! `run_tests`: every sandboxed test, with the inputs of the final gate.

use serde_json::{Value, json};
use soil::document::Detail;

use super::input::Input;
use super::{JobTool, Sort, Work, detail, schema};
use crate::failure::Failure;
use crate::job::{Assembly, FoundValues, JobCall};
use crate::project::{Named, Project, run_checked};

pub(super) const TOOL: JobTool = JobTool {
    native: "trellis.run_tests",
    id: "trellis:run_tests",
    description: "Runs all cases and properties of the spec against the draft, as the final gate will.",
    sort: Sort::Testing,
    is_long: true,
    input: schema::nothing,
    output,
    prepare,
};

fn output() -> Value {
    let text = json!({"type": "string"});
    let details = schema::object(&json!({"expected": text, "actual": text}));
    json!({
        "type": "object",
        "properties": {
            "cases": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "name": text,
                    "result": {"enum": ["pass", "fail", "xfail", "xpass"]},
                    "details": schema::option(&details),
                    "difference": text,
                    "trace": {"type": "array", "items": text},
                    "counterexample": {"type": "object"}
                },
                "required": ["name", "result", "details"],
                "additionalProperties": false
            }},
            "warnings": schema::warnings()
        },
        "required": ["cases"],
        "additionalProperties": false
    })
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "a tool whose input can be wrong gives none here"
)]
fn prepare(_: &mut Input<'_>) -> Option<Work> {
    Some(Box::new(work))
}

fn work(call: &mut JobCall) -> Result<String, Failure> {
    let draft = call.draft()?;
    let detail = detail(call);
    let (found, _) = FoundValues::read(&call.directory)?;
    let record = call.record.clone();
    let options = found.options(record.limits);
    let judge = |project: &Project, named: Named<'_>| {
        let assembly = Assembly::of(project, named, &draft.text)?;
        let checked = assembly.check(detail == Detail::Rich)?;
        run_checked(&assembly.assembled, &checked, named, &options)
    };
    let run = call.judge(&draft.text, judge, |_| true)?;
    let document = run.document(detail);
    found.keep(&run, &call.directory)?;
    Ok(document)
}
