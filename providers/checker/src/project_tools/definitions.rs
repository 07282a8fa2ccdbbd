//! `checker.definitions`: where the definitions of a text stand.

use lonis::{Cost, SideEffects, ToolError, parse_input};
use serde::Deserialize;
use serde_json::{Value, json};
use soil::diagnostic::{Code, Diagnostics};
use soil::document::Writer;
use soil::source::{FileId, Span};
use soil::spec::{BlockKind, Container};
use soil::syntax::{FileShape, Names, parse};

use super::{Answer, ProjectTool, refused};
use crate::failure::Failure;
use crate::payload::Document;

pub(super) const TOOL: ProjectTool = ProjectTool {
    native: "checker.definitions",
    id: "checker:definitions",
    description: "Locates the definitions of a .soil text, or the reserved blocks of a .tr text.",
    cost: Cost::Low,
    side_effects: SideEffects::None,
    capability: "definitions",
    input: input_schema,
    output: output_schema,
    answer,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    text: String,
    path: String,
}

/// One place of a text.
struct Found {
    path: Vec<String>,
    kind: &'static str,
    span: Span,
}

fn input_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "path": {"type": "string", "description": "The path of the text, which ends in .soil or .tr; nothing is read there."}
        },
        "required": ["text", "path"],
        "additionalProperties": false
    })
}

fn output_schema() -> Value {
    let offset = json!({"type": "integer", "minimum": 0});
    json!({
        "type": "object",
        "properties": {"definitions": {"type": "array", "items": {
            "type": "object",
            "properties": {
                "path": {"type": "array", "items": {"type": "string"}},
                "kind": {"type": "string"}, "start": offset, "end": offset
            },
            "required": ["path", "kind", "start", "end"],
            "additionalProperties": false
        }}},
        "required": ["definitions"],
        "additionalProperties": false
    })
}

fn answer(input: Value) -> Result<Answer, ToolError> {
    let Input { text, path } = parse_input(input)?;
    let found = match path.rsplit_once('.') {
        Some((_, "soil")) => definitions(&text, &path),
        Some((_, "tr")) => blocks(&text),
        _ => {
            let message = format!("`path` is `{path}`, which ends in neither `.soil` nor `.tr`");
            return Err(refused(Failure::new(Code::Usage, message)));
        }
    };
    let shown: Vec<String> = found
        .iter()
        .map(|one| {
            format!(
                "{} {}..{}",
                one.path.join(" "),
                one.span.start,
                one.span.end
            )
        })
        .collect();
    Ok(Answer {
        document: Document::new(TOOL.native, &document(&found), shown.join("\n")),
        warnings: Vec::new(),
        project: None,
    })
}

/// Finds the definitions that read, whatever stands between them.
fn definitions(text: &str, path: &str) -> Vec<Found> {
    let mut names = Names::new();
    let shape = FileShape::of_path(path);
    let parsed = parse(FileId::new(0), text.as_bytes(), shape, &mut names);
    let definitions = parsed.tree.definitions.iter();
    let found = definitions
        .filter(|definition| definition.is_read)
        .map(|definition| {
            let name = &names[definition.name.name];
            Found {
                path: vec![name.to_owned()],
                kind: if name.starts_with('_') {
                    "private"
                } else {
                    "function"
                },
                span: definition.span,
            }
        });
    found.collect()
}

/// Finds the reserved blocks, fences included.
fn blocks(text: &str) -> Vec<Found> {
    let mut unreported = Diagnostics::new();
    let container = Container::read(FileId::new(0), text.as_bytes(), &mut unreported);
    let fences = container.map(|container| container.fences);
    let found = fences.into_iter().flatten().filter_map(|fence| {
        let kind = BlockKind::from_text(&fence.info.lang)?;
        let name = fence.info.name.map(|name| name.value);
        Some(Found {
            path: std::iter::once(kind.text().to_owned())
                .chain(name)
                .collect(),
            kind: kind.text(),
            span: fence.span,
        })
    });
    found.collect()
}

fn document(found: &[Found]) -> String {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("definitions").array(|writer| {
            for one in found {
                writer.object(|writer| {
                    writer.key("path").array(|writer| {
                        one.path.iter().for_each(|part| writer.string(part));
                    });
                    writer.key("kind").string(one.kind);
                    writer.key("start").number(u64::from(one.span.start));
                    writer.key("end").number(u64::from(one.span.end));
                });
            }
        });
    });
    writer.finish_document()
}
