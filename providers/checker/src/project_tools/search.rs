//! `checker.search`: definitions of a project by their type.

use lonis::{Cost, SideEffects, ToolError, parse_input};
use serde::Deserialize;
use serde_json::{Value, json};
use soil::diagnostic::Code;
use soil::document;
use soil::print;
use soil::program::Program;
use soil::search::{Found, Goal, MAX_MATCHES, search};

use super::{Answer, ProjectTool, digest_of, refused};
use crate::failure::Failure;
use crate::payload::Document;
use crate::project::{Depends, Project, absolute, assemble};

pub(super) const TOOL: ProjectTool = ProjectTool {
    native: "checker.search",
    id: "checker:search",
    description: "Finds the definitions of a Soil project whose type matches, the best ones first.",
    cost: Cost::Low,
    side_effects: SideEffects::ReadOnly,
    capability: "search",
    input: input_schema,
    output: output_schema,
    answer,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    root: String,
    #[serde(rename = "type")]
    ty: String,
    limit: Option<usize>,
}

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "root": {"type": "string", "minLength": 1, "description": "Absolute path of the folder that holds soil.toml."},
            "type": {"type": "string", "minLength": 1, "description": "A type, as a signature has it behind its colon."},
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_MATCHES, "description": "The most matches; 50 without it."}
        },
        "required": ["root", "type"],
        "additionalProperties": false
    })
}

fn output_schema() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "properties": {
            "matches": {"type": "array", "items": {
                "type": "object",
                "properties": {
                    "name": text, "module": text, "type": text,
                    "how": {"enum": ["exact", "instance", "reordered", "partial"]}
                },
                "required": ["name", "module", "type", "how"],
                "additionalProperties": false
            }},
            "cut": {"type": "boolean"}
        },
        "required": ["matches", "cut"],
        "additionalProperties": false
    })
}

fn answer(input: Value) -> Result<Answer, ToolError> {
    let Input { root, ty, limit } = parse_input(input)?;
    let assembled = absolute(&root)
        .and_then(|root| Project::load(&root))
        .and_then(|project| assemble(&project, &Depends::Whole))
        .map_err(refused)?;
    let program = &assembled.program;
    let goal = Goal::read(program, &ty)
        .map_err(|error| refused(Failure::new(Code::Usage, format!("`type` {error}"))))?;
    let limit = limit.unwrap_or(MAX_MATCHES).clamp(1, MAX_MATCHES);
    let found = search(program, &goal, limit);
    Ok(Answer {
        document: Document::new(
            TOOL.native,
            &document::found(program, &found),
            shown(program, &found),
        ),
        warnings: Vec::new(),
        project: Some(digest_of(assembled.sources())),
    })
}

/// Shows each match on a line of its own.
fn shown(program: &Program, found: &Found) -> String {
    let names = &program.names;
    let matches = found.matches.iter().map(|one| {
        let definition = &program[one.id];
        let tree = &program.file_of(one.id).tree;
        let ty = print::ty(tree, names, program.written(one.id).signature);
        let (module, name) = (&names[definition.module], &names[definition.name]);
        format!("{module}/{name} : {ty} ({})", one.how.text())
    });
    let mut lines: Vec<String> = matches.collect();
    if found.is_cut {
        lines.push("and more".to_owned());
    }
    lines.join("\n")
}
