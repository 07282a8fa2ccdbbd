//! The tools over whole projects: for other providers and for people. They need no job and write nothing.

mod check;
mod definitions;
mod search;
mod unwritten;

use lonis::limits::{Bound, Limits};
use lonis::{
    Attribution, Block, Capabilities, Cost, Determinism, OutputMode, Provider, Replay,
    ReplayProvenance, SchemaVersion, SideEffects, Tool, ToolContract, ToolError, ToolId, exit_code,
    json_content_hash,
};
use serde_json::{Value, json};
use soil::document::Detail;
use soil::hash::Digest;
use soil::source::Sources;

use crate::failure::Failure;
use crate::payload::Document;

pub(crate) use check::{document as check_document, shown as check_shown};
pub(crate) use unwritten::{judge_all, line as unwritten_line, unwritten};

/// Adds the tools to a provider.
pub(crate) fn offer(provider: Provider<Document>) -> Provider<Document> {
    let tools = [check::TOOL, definitions::TOOL, search::TOOL];
    tools.into_iter().fold(provider, |provider, tool| {
        provider.tool_as(tool.native, tool)
    })
}

/// What a tool gives.
struct Answer {
    document: Document,
    warnings: Vec<String>,
    /// The digest of the files that were read; none where the input is all that counts.
    project: Option<Digest>,
}

/// A tool over a project.
#[derive(Clone, Copy)]
struct ProjectTool {
    /// `checker.<verb>`; its blocks have the same kind.
    native: &'static str,
    id: &'static str,
    description: &'static str,
    cost: Cost,
    side_effects: SideEffects,
    capability: &'static str,
    input: fn() -> Value,
    output: fn() -> Value,
    answer: fn(Value) -> Result<Answer, ToolError>,
}

impl Capabilities for ProjectTool {
    fn schema_version(&self) -> SchemaVersion {
        SchemaVersion::TOOL_V1
    }

    #[expect(clippy::unnecessary_literal_bound, reason = "the trait says so")]
    fn tool_version(&self) -> &str {
        env!("CARGO_PKG_VERSION")
    }

    fn output_formats(&self) -> &'static [OutputMode] {
        OutputMode::ALL
    }

    fn exit_code_map(&self) -> &'static [(&'static str, u8)] {
        exit_code::BASELINE
    }

    fn tool_id(&self) -> ToolId {
        ToolId::new(self.id).expect("ids of the table have two segments")
    }

    fn declared_contract(&self) -> Option<ToolContract> {
        let contract = ToolContract::new(self.native, self.description)
            .with_determinism(Determinism::Deterministic)
            .with_side_effects(self.side_effects)
            .with_cost(self.cost)
            .with_capabilities([self.capability])
            .with_input_json_schema((self.input)())
            .with_output_json_schema((self.output)());
        Some(contract)
    }
}

impl Tool<Document> for ProjectTool {
    fn suggested_limits(&self) -> Limits {
        let millis = if self.cost == Cost::Medium {
            30_000
        } else {
            10_000
        };
        Limits::new().with_nearest(Bound::TimeoutMillis, millis)
    }

    fn invoke(&self, input: Value) -> Result<Vec<Block<Document>>, ToolError> {
        let input_hash = json_content_hash(&input);
        let answer = (self.answer)(input)?;
        let mut provenance = ReplayProvenance::default()
            .with_tool_version(self.tool_version())
            .with_input_hash(input_hash.as_str());
        let mut required = vec!["input_hash"];
        if let Some(project) = answer.project {
            let hex = project.to_string();
            let hex = hex.strip_prefix("sha256:").unwrap_or(&hex);
            provenance = provenance.with_project_hash(hex);
            required.push("project_hash");
        }
        let block = Block::new(Attribution::new(self.id, self.id), answer.document)
            .with_provenance(provenance.with_replay(Replay::replayable(required)))
            .with_warnings(answer.warnings);
        Ok(vec![block])
    }
}

/// Gives a failure as tools give it: with all that programs can use.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it is the function of `map_err`, which hands the failure on"
)]
fn refused(failure: Failure) -> ToolError {
    failure.tool_error(Detail::Rich)
}

/// Gives the digest of texts with their paths.
fn digest_of(sources: &Sources) -> Digest {
    let mut texts: Vec<(&str, &[u8])> = sources
        .iter()
        .map(|(_, source)| (&*source.path, &*source.bytes))
        .collect();
    texts.sort_unstable();
    texts.dedup();
    Digest::of(
        texts
            .into_iter()
            .flat_map(|(path, bytes)| [path.as_bytes(), bytes]),
    )
}

/// Gives the schema of a diagnostic, which may have further members.
fn diagnostic_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "code": {"type": "string"},
            "message": {"type": "string"},
            "file": option_schema(&json!({"type": "string"})),
            "span": option_schema(&span_schema()),
            "notes": {"type": "array", "items": {"type": "object"}},
            "repair_class": {"type": "string"},
            "spec_ref": {"type": "string"}
        },
        "required": ["code", "message", "file", "span", "notes", "repair_class", "spec_ref"]
    })
}

fn span_schema() -> Value {
    let number = json!({"type": "integer", "minimum": 0});
    json!({
        "type": "object",
        "properties": {"start": number, "end": number, "line": number, "col": number},
        "required": ["start", "end", "line", "col"],
        "additionalProperties": false
    })
}

fn option_schema(of: &Value) -> Value {
    json!({"oneOf": [
        {"type": "object", "properties": {"tag": {"const": "None"}}, "required": ["tag"], "additionalProperties": false},
        {"type": "object", "properties": {"tag": {"const": "Some"}, "value": of}, "required": ["tag", "value"],
         "additionalProperties": false}
    ]})
}
