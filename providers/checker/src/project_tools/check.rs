//! `checker.check`: what is right and wrong in a project.

use lonis::{Cost, SideEffects, ToolError, parse_input};
use serde::Deserialize;
use serde_json::{Value, json};
use soil::diagnostic::MAX_IN_DOCUMENT;
use soil::document::{self, Detail, Writer};

use super::{
    Answer, ProjectTool, diagnostic_schema, digest_of, judge_all, refused, unwritten_line,
};
use crate::face::{Severity, labelled};
use crate::payload::Document;
use crate::project::{Project, Report, absolute};

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

/// How much of a check people see through a host.
///
/// # Units and bounds
/// Bytes: 64 KiB, as much as the diagnostics of one document may take, a sixteenth of what a host takes of a call.
const MAX_RENDERED_BYTES: usize = 64 << 10;

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
            "unwritten": {"type": "array", "items": {"type": "string"}},
            "errors": list, "warnings": list, "suppressed": count, "rendered": {"type": "string"}
        },
        "required": ["ok", "definitions", "checked", "errors", "warnings"],
        "additionalProperties": false
    })
}

fn answer(input: Value) -> Result<Answer, ToolError> {
    let Input { root, package } = parse_input(input)?;
    let report = absolute(&root)
        .and_then(|root| Project::load(&root))
        .and_then(|project| judge_all(&project, package.as_deref()))
        .map_err(refused)?;
    let text = bounded(&headed(&report));
    Ok(Answer {
        document: Document::new(
            TOOL.native,
            &written(&report, Detail::Rich, Some(&text)),
            text,
        ),
        warnings: warnings(&report),
        project: Some(digest_of(&report.sources)),
    })
}

/// Writes the document of a check.
///
/// # Wire shape
/// `{"ok":…,"definitions":…,"checked":…,"errors":[…],"warnings":[…]}`, and after `checked` the names of specs without a
/// body as `unwritten` where there are any, at the end `suppressed` where diagnostics were cut off; the block of the tool
/// ends with `rendered`, the text for people.
pub(crate) fn document(report: &Report, detail: Detail) -> String {
    written(report, detail, None)
}

/// Writes the document, and `rendered` at its end: what people see of it, wherever the block is shown.
fn written(report: &Report, detail: Detail, rendered: Option<&str>) -> String {
    let mut writer = Writer::new();
    let sources = &report.sources;
    writer.object(|writer| {
        writer.key("ok").boolean(report.is_ok());
        writer.key("definitions").number(report.definitions as u64);
        writer.key("checked").number(report.checked as u64);
        if !report.unwritten.is_empty() {
            writer.key("unwritten").array(|writer| {
                for name in &report.unwritten {
                    writer.string(name);
                }
            });
        }
        let errors = report.errors.clone();
        let cut = document::list(writer.key("errors"), errors, sources, detail);
        let warnings = report.warnings.clone();
        let cut = cut + document::list(writer.key("warnings"), warnings, sources, detail);
        if cut > 0 {
            writer.key("suppressed").number(cut as u64);
        }
        if let Some(rendered) = rendered {
            writer.key("rendered").string(rendered);
        }
    });
    writer.finish_document()
}

/// Shows a check to people: each report in its source, then a line that counts.
pub(crate) fn shown(report: &Report) -> String {
    reports(report) + &verdict(report)
}

/// Shows a check to people with its verdict first, as a host puts the kind of the block before it.
fn headed(report: &Report) -> String {
    let reports = reports(report);
    let verdict = verdict(report);
    if reports.is_empty() {
        return verdict;
    }
    format!("{verdict}\n{}\n", reports.trim_end())
}

/// Cuts a text behind a line, so that long lines of a project do not fill what a host takes of a call.
fn bounded(text: &str) -> String {
    if text.len() <= MAX_RENDERED_BYTES {
        return text.to_owned();
    }
    let kept = &text[..text.floor_char_boundary(MAX_RENDERED_BYTES)];
    let end = kept.rfind('\n').map_or(0, |end| end + 1);
    let left = text.len() - end;
    format!("{}… {left} more bytes\n", &kept[..end])
}

fn reports(report: &Report) -> String {
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
    text
}

fn verdict(report: &Report) -> String {
    let (checked, all) = (report.checked, report.definitions);
    let noun = if all == 1 {
        "definition"
    } else {
        "definitions"
    };
    let verdict = if report.is_ok() { "fine" } else { "not fine" };
    let unwritten = unwritten_line(&report.unwritten, "only the spec was looked at");
    format!("{checked} of {all} {noun} checked, {verdict}\n{unwritten}")
}

fn warnings(report: &Report) -> Vec<String> {
    let sorted = report.warnings.clone().into_sorted();
    let shown = sorted.iter().take(MAX_IN_DOCUMENT);
    shown
        .map(|warning| format!("{}: {}", warning.code, warning.message))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_behind_a_line() {
        let line = "ä".repeat(30) + "\n";
        let count = MAX_RENDERED_BYTES / line.len();
        let whole = line.repeat(count);
        assert_eq!(bounded(&whole), whole);
        let cut = bounded(&line.repeat(count + 3));
        assert_eq!(cut, format!("{whole}… {} more bytes\n", 3 * line.len()));
        let one = bounded(&"ä".repeat(MAX_RENDERED_BYTES));
        assert_eq!(one, format!("… {} more bytes\n", 2 * MAX_RENDERED_BYTES));
    }
}
