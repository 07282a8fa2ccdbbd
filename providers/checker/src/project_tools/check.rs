//! `checker.check`: what is right and wrong in a project.

use lonis::{Cost, SideEffects, ToolError, parse_input};
use serde::Deserialize;
use serde_json::{Value, json};
use soil::diagnostic::MAX_IN_DOCUMENT;
use soil::document::{self, Detail, Writer};

use super::{Answer, ProjectTool, diagnostic_schema, digest_of, refused};
use crate::face::{Severity, labelled};
use crate::payload::Document;
use crate::project::{Project, Report, absolute, judge};

pub(super) const TOOL: ProjectTool = ProjectTool {
    native: "checker.check",
    id: "checker:check",
    description: "Checks a Soil project, or one module of it: soil.toml, specs, locks and bodies.",
    cost: Cost::Medium,
    side_effects: SideEffects::ReadOnly,
    capability: "check",
    input: input_schema,
    output: output_schema,
    answer,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    root: String,
    package: Option<String>,
}

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "root": {"type": "string", "minLength": 1, "description": "Absolute path of the folder that holds soil.toml."},
            "package": {"type": "string", "minLength": 1, "description": "A module; all of them without it."}
        },
        "required": ["root"],
        "additionalProperties": false
    })
}

fn output_schema() -> Value {
    let count = json!({"type": "integer", "minimum": 0});
    let list = json!({"type": "array", "items": diagnostic_schema()});
    json!({
        "type": "object",
        "properties": {
            "ok": {"type": "boolean"}, "definitions": count, "checked": count,
            "errors": list, "warnings": list, "suppressed": count
        },
        "required": ["ok", "definitions", "checked", "errors", "warnings"],
        "additionalProperties": false
    })
}

fn answer(input: Value) -> Result<Answer, ToolError> {
    let Input { root, package } = parse_input(input)?;
    let report = absolute(&root)
        .and_then(|root| Project::load(&root))
        .and_then(|project| judge(&project, package.as_deref()))
        .map_err(refused)?;
    Ok(Answer {
        document: Document::new(
            TOOL.native,
            &document(&report, Detail::Rich),
            shown(&report),
        ),
        warnings: warnings(&report),
        project: Some(digest_of(&report.sources)),
    })
}

/// Writes the document of a check.
///
/// # Wire shape
/// `{"ok":…,"definitions":…,"checked":…,"errors":[…],"warnings":[…]}`, and `suppressed` where diagnostics were cut off.
pub(crate) fn document(report: &Report, detail: Detail) -> String {
    let mut writer = Writer::new();
    let sources = &report.sources;
    writer.object(|writer| {
        writer.key("ok").boolean(report.is_ok());
        writer.key("definitions").number(report.definitions as u64);
        writer.key("checked").number(report.checked as u64);
        let errors = report.errors.clone();
        let cut = document::list(writer.key("errors"), errors, sources, detail);
        let warnings = report.warnings.clone();
        let cut = cut + document::list(writer.key("warnings"), warnings, sources, detail);
        if cut > 0 {
            writer.key("suppressed").number(cut as u64);
        }
    });
    writer.finish_document()
}

/// Shows a check to people: each report in its source, then a line that counts.
pub(crate) fn shown(report: &Report) -> String {
    let mut text = String::new();
    for (found, severity) in [
        (&report.errors, Severity::Error),
        (&report.warnings, Severity::Warning),
    ] {
        if !found.is_empty() {
            text += &labelled(found, &report.sources, severity);
            text.push('\n');
        }
    }
    let (checked, all) = (report.checked, report.definitions);
    let noun = if all == 1 {
        "definition"
    } else {
        "definitions"
    };
    let verdict = if report.is_ok() { "fine" } else { "not fine" };
    text + &format!("{checked} of {all} {noun} checked, {verdict}\n")
}

fn warnings(report: &Report) -> Vec<String> {
    let sorted = report.warnings.clone().into_sorted();
    let shown = sorted.iter().take(MAX_IN_DOCUMENT);
    shown
        .map(|warning| format!("{}: {}", warning.code, warning.message))
        .collect()
}
