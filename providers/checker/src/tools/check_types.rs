//! `check_types`: the whole static pipeline over the draft.

use serde_json::{Value, json};
use soil::document::{Writer, checked_definition};

use super::input::Input;
use super::{JobTool, Sort, Work, detail, schema};
use crate::failure::Failure;
use crate::job::{Assembly, Draft, JobCall};
use crate::project::{InScope, Named, Project};
use soil::document::Detail;

pub(super) const TOOL: JobTool = JobTool {
    native: "trellis.check_types",
    id: "trellis:check_types",
    description: "Checks names, types, effects and matches of the draft, and gives what is known of it, its holes among it.",
    sort: Sort::Judging,
    is_long: false,
    input: schema::nothing,
    output,
    prepare,
};

fn output() -> Value {
    json!({
        "type": "object",
        "properties": {
            "defs": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "type": {"type": "object"},
                    "row": {"type": "object"},
                    "checks": {"type": "object", "required": ["termination", "panic_obligations"]}
                },
                "required": ["name", "type", "row", "checks"],
                "additionalProperties": false
            }},
            "uncited": {"type": "array", "items": schema::citation()}
        },
        "required": ["defs"],
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
    let is_rich = detail(call) == Detail::Rich;
    let judge = |project: &Project, named: Named<'_>| {
        let assembly = Assembly::of(project, named, &draft.text)?;
        let checked = assembly.check(is_rich)?;
        let uncited = uncited(&project.decisions(named.module), &draft);
        Ok(assembly.target().map_or_else(Judged::default, |id| Judged {
            document: with_uncited(checked_definition(&checked, id), &uncited),
            has_holes: checked
                .definitions
                .iter()
                .any(|one| one.id == id && one.hole_count() > 0),
        }))
    };
    // What could fill a hole may be anything of the project.
    let judged = call.judge(&draft.text, judge, |judged| !judged.has_holes)?;
    Ok(judged.document)
}

/// What is known of a draft that checks.
#[derive(Default)]
struct Judged {
    document: String,
    has_holes: bool,
}

/// Gives the decisions in scope that a draft does not cite, each by whether it is the project's, and its label.
fn uncited(decisions: &[InScope<'_>], draft: &Draft) -> Vec<(bool, String)> {
    let mut uncited = Vec::new();
    for one in decisions {
        let is_projects = one.is_projects;
        let label = &one.decision.label.value;
        let cited = &draft.facts.decisions_applied;
        if !cited.iter().any(|cited| cited.names(is_projects, label)) {
            uncited.push((is_projects, label.clone()));
        }
    }
    uncited
}

/// Adds the member `uncited` behind the others, where there is anything to say.
fn with_uncited(mut document: String, uncited: &[(bool, String)]) -> String {
    if uncited.is_empty() {
        return document;
    }
    let mut writer = Writer::new();
    writer.array(|writer| {
        for (is_projects, label) in uncited {
            writer.object(|writer| {
                let tag = if *is_projects { "Project" } else { "Module" };
                writer.key("scope").tag(tag);
                writer.key("label").string(label);
            });
        }
    });
    document.truncate(document.trim_end().len().saturating_sub(1));
    format!("{document},\"uncited\":{}}}\n", writer.finish())
}
