//! `write_soil`: a draft is read, put into its one canonical form and stored.

use serde_json::{Value, json};
use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::document::{Detail, Writer, list};
use soil::print;
use soil::source::Sources;
use soil::syntax::{FileShape, Names, parse};

use super::input::{Input, word};
use super::{JobTool, Sort, Work, detail, schema};
use crate::failure::Failure;
use crate::job::{Citation, CitedScope, Draft, JobCall};
use crate::project::{InScope, Named, Project};

pub(super) const TOOL: JobTool = JobTool {
    native: "trellis.write_soil",
    id: "trellis:write_soil",
    description: "Reads a draft, stores it in canonical form, and gives that form. On any error the former draft stays.",
    sort: Sort::Writing,
    is_long: false,
    input,
    output,
    prepare,
};

fn input() -> Value {
    json!({
        "type": "object",
        "properties": {
            "soil": {"type": "string"},
            "decisions_applied": {"type": "array", "items": schema::citation()}
        },
        "required": ["soil", "decisions_applied"],
        "additionalProperties": false
    })
}

fn output() -> Value {
    json!({
        "type": "object",
        "properties": {
            "canonical": {"type": "string"},
            "draft": {"type": "string"},
            "warnings": schema::warnings()
        },
        "required": ["canonical"],
        "additionalProperties": false
    })
}

fn prepare(input: &mut Input<'_>) -> Option<Work> {
    let soil = input.text("soil").map(str::to_owned);
    let cited = citations(input);
    let (soil, cited) = soil.zip(cited)?;
    Some(Box::new(move |call| work(call, &soil, cited)))
}

fn citations(input: &mut Input<'_>) -> Option<Vec<Citation>> {
    let list = input.list("decisions_applied")?;
    let citations: Option<Vec<Citation>> = list.iter().map(citation).collect();
    if citations.is_none() {
        input.wrong("`decisions_applied` must hold decisions, each `{\"scope\":{\"tag\":\"Project\"|\"Module\"},\"label\":…}`");
    }
    citations
}

fn citation(value: &Value) -> Option<Citation> {
    let members = value.as_object().filter(|members| members.len() == 2)?;
    let scope = match word(members.get("scope")?)? {
        "Project" => CitedScope::Project,
        "Module" => CitedScope::Module,
        _ => return None,
    };
    let label = members.get("label")?.as_str()?.to_owned();
    Some(Citation { scope, label })
}

fn work(call: &mut JobCall, soil: &str, cited: Vec<Citation>) -> Result<String, Failure> {
    let path = format!("{}.soil", call.record.definition);
    let mut sources = Sources::new();
    let file = sources.add(path.as_str(), soil.as_bytes());
    let mut names = Names::new();
    let stem = call.record.name().to_owned();
    let shape = FileShape::Public { stem: &stem };
    let parsed = parse(file, soil.as_bytes(), shape, &mut names);
    let mut diagnostics = parsed.diagnostics;
    if !cited.is_empty() {
        let unknown = |project: &Project, target: Named<'_>| {
            Ok(unknown(&project.decisions(target.module), &cited))
        };
        diagnostics.append(call.judge("", unknown, |_| true)?);
    }
    if !diagnostics.is_empty() {
        return Err(Failure {
            diagnostics,
            sources,
        });
    }
    let canonical = print::file(&parsed.tree, &names);
    let draft = Draft::store(&call.directory, &canonical, cited)?;
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("canonical").string(&canonical);
        if detail(call) == Detail::Rich {
            writer.key("draft").string(&draft.facts.digest.to_string());
        }
        if parsed.has_comments {
            let message = "the text had comments, which canonical text has not";
            let warning = Diagnostic::new(Code::DraftCommentsDropped, message);
            // One warning is never cut off.
            let _ = list(
                writer.key("warnings"),
                warning.into(),
                &sources,
                detail(call),
            );
        }
    });
    Ok(writer.finish_document())
}

/// Reports the decisions that are cited and are not there.
fn unknown(decisions: &[InScope<'_>], cited: &[Citation]) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    for one in cited {
        let is_projects = one.scope == CitedScope::Project;
        let mut known = decisions
            .iter()
            .filter(|decision| decision.is_projects == is_projects);
        if known
            .clone()
            .any(|decision| decision.decision.label.value == one.label)
        {
            continue;
        }
        let scope = if is_projects { "project" } else { "module" };
        let message = format!("the {scope} has no decision `{}`", one.label);
        let diagnostic = Diagnostic::new(Code::UnknownDecision, message);
        let labels: Vec<String> = known
            .by_ref()
            .map(|decision| format!("`{}`", decision.decision.label.value))
            .collect();
        diagnostics.push(if labels.is_empty() {
            diagnostic.with_note(format!("the {scope} has no decisions"))
        } else {
            diagnostic.with_note(format!("the {scope} has {}", labels.join(", ")))
        });
    }
    diagnostics
}
