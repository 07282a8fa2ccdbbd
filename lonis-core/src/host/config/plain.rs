//! `[tools."ID"]`: a plain CLI as a tool, with its arguments taken from validated input members.

use std::collections::BTreeMap;

use lonis_schema::{Cost, Determinism, ErrorKind, SideEffects, ToolId};
use serde_json::{Map, Value as Json, json};

use super::document::{Section, Value};
use super::provider::{checked_id, command};
use super::{Config, ConfigError, Execution};
use crate::declared::{Argument, StdinForm, ValueArgument};
use crate::{ExitMeaning, StdoutMapping, TextEncoding};

/// One plain CLI as its file has it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PlainTool {
    /// The program: absolute, or a bare name that is looked for on the child's `PATH`.
    pub command: String,
    /// Its arguments, in order.
    pub args: Vec<Argument>,
    /// What it does, for people and agents.
    pub description: String,
    /// Its version, `unknown` where none is given.
    pub version: String,
    /// How its output becomes blocks.
    pub mapping: StdoutMapping,
    /// What is done with bytes that are not UTF-8.
    pub encoding: TextEncoding,
    /// What it gets on stdin.
    pub stdin: StdinForm,
    /// What its exit codes mean, where they mean something.
    pub exit_codes: BTreeMap<u8, ExitMeaning>,
    /// The schema of its input; made from the references where none was given.
    pub input_json_schema: Option<Json>,
    /// The schema of each output.
    pub output_json_schema: Option<Json>,
    /// Whether the same input gives the same output.
    pub determinism: Determinism,
    /// What it changes.
    pub side_effects: SideEffects,
    /// What a call costs.
    pub cost: Cost,
    /// Free words of the contract.
    pub capabilities: Vec<String>,
    /// Execution keys.
    pub execution: Execution,
}

const MAPPINGS: &[(&str, StdoutMapping)] = &[
    ("text", StdoutMapping::Text),
    ("json", StdoutMapping::Json),
    ("lines", StdoutMapping::Lines),
    ("blocks", StdoutMapping::Blocks),
];
const ENCODINGS: &[(&str, TextEncoding)] = &[
    ("utf8", TextEncoding::Utf8),
    ("base64", TextEncoding::Base64),
    ("lossy", TextEncoding::Lossy),
];
const DETERMINISM: &[(&str, Determinism)] = &[
    ("deterministic", Determinism::Deterministic),
    (
        "bounded-nondeterministic",
        Determinism::BoundedNondeterministic,
    ),
    ("nondeterministic", Determinism::Nondeterministic),
];
const SIDE_EFFECTS: &[(&str, SideEffects)] = &[
    ("none", SideEffects::None),
    ("read-only", SideEffects::ReadOnly),
    ("writes-filesystem", SideEffects::WritesFilesystem),
    ("mutates-external", SideEffects::MutatesExternal),
    ("network", SideEffects::Network),
    ("destructive", SideEffects::Destructive),
];
const COSTS: &[(&str, Cost)] = &[
    ("low", Cost::Low),
    ("medium", Cost::Medium),
    ("high", Cost::High),
];

pub(super) fn read(mut section: Section<'_>) -> Result<(ToolId, PlainTool), ConfigError> {
    let id = checked_id(&section.place(), section.name())?;
    let (command, first) = command(section.require("command")?)?;
    let mut args: Vec<Argument> = first.into_iter().map(Argument::Fixed).collect();
    args.extend(section.read("args", arguments)?.unwrap_or_default());
    let input_json_schema = section
        .read("input_json_schema", schema)?
        .or_else(|| Argument::schema_of(&args));
    let tool = PlainTool {
        command,
        description: section.require("description")?.string()?,
        version: section
            .read("version", Value::string)?
            .unwrap_or_else(|| "unknown".to_owned()),
        mapping: section
            .read("mapping", |value| value.word(MAPPINGS))?
            .unwrap_or(StdoutMapping::Text),
        encoding: section
            .read("encoding", |value| value.word(ENCODINGS))?
            .unwrap_or_default(),
        stdin: section
            .read("stdin", stdin)?
            .unwrap_or_else(|| StdinForm::default_for(&args)),
        exit_codes: section.read("exit_codes", exit_codes)?.unwrap_or_default(),
        output_json_schema: section.read("output_json_schema", schema)?,
        determinism: section
            .read("determinism", |value| value.word(DETERMINISM))?
            .unwrap_or(Determinism::Nondeterministic),
        side_effects: section
            .read("side_effects", |value| value.word(SIDE_EFFECTS))?
            .unwrap_or(SideEffects::MutatesExternal),
        cost: section
            .read("cost", |value| value.word(COSTS))?
            .unwrap_or(Cost::Medium),
        capabilities: section
            .read("capabilities", Value::strings)?
            .unwrap_or_default(),
        execution: Execution::read(&mut section)?,
        args,
        input_json_schema,
    };
    references(&section, &tool)?;
    section.finish()?;
    Ok((id, tool))
}

fn arguments(value: Value<'_>) -> Result<Vec<Argument>, ConfigError> {
    value.elements()?.into_iter().map(argument).collect()
}

fn argument(value: Value<'_>) -> Result<Argument, ConfigError> {
    if !value.is_table() {
        return value.string().map(Argument::Fixed);
    }
    let mut section = value.section("args")?;
    let flag = section.read("flag", Value::string)?;
    let argument = if let Some(when) = section.read("when", Value::string)? {
        let flag = flag.ok_or_else(|| section.error("`when` stands beside a `flag`"))?;
        Argument::Switch { flag, when }
    } else {
        Argument::Value(ValueArgument {
            from: section.require("from")?.string()?,
            flag,
            each: section.read("each", Value::boolean)?.unwrap_or(false),
            optional: section.read("optional", Value::boolean)?.unwrap_or(false),
            path: section.read("path", Value::boolean)?.unwrap_or(false),
            dash: section.read("dash", Value::boolean)?.unwrap_or(false),
        })
    };
    section.finish()?;
    Ok(argument)
}

fn stdin(value: Value<'_>) -> Result<StdinForm, ConfigError> {
    if !value.is_table() {
        return value.word(&[("json", true), ("none", false)]).map(|whole| {
            if whole {
                StdinForm::Json
            } else {
                StdinForm::None
            }
        });
    }
    let mut section = value.section("stdin")?;
    let member = section.require("from")?.string()?;
    section.finish()?;
    Ok(StdinForm::Member(member))
}

fn exit_codes(value: Value<'_>) -> Result<BTreeMap<u8, ExitMeaning>, ConfigError> {
    let section = value.section("exit_codes")?;
    let mut codes = BTreeMap::new();
    for (code, value) in section.entries() {
        let place = value.place();
        let number: u8 = code
            .parse()
            .map_err(|_| place.error(&format!("`{code}` is no exit code from 0 to 255")))?;
        let meaning = match value.string()?.as_str() {
            "success" => ExitMeaning::Success,
            "no_match" => ExitMeaning::NoMatch,
            "" => return Err(place.error("an exit code has a meaning")),
            kind => ExitMeaning::Error(ErrorKind::from(kind)),
        };
        codes.insert(number, meaning);
    }
    Ok(codes)
}

/// A schema as a table, or the path of a JSON file; it has to compile.
fn schema(value: Value<'_>) -> Result<Json, ConfigError> {
    let place = value.place();
    let schema = if value.is_table() {
        value.json()?
    } else {
        schema_file(value)?
    };
    if !schema.is_object() {
        return Err(place.error("a schema is an object"));
    }
    crate::SchemaCheck::compile(&schema)
        .map_err(|error| place.error(&format!("the schema does not compile: {error}")))?;
    Ok(schema)
}

fn schema_file(value: Value<'_>) -> Result<Json, ConfigError> {
    let place = value.place();
    let path = value.path()?;
    let bytes = Config::bytes(&path).map_err(|error| place.error(&error.to_string()))?;
    let text = str::from_utf8(&bytes)
        .map_err(|_| place.error(&format!("`{}` is not UTF-8", path.display())))?;
    let json = lonis_schema::Json::parse(text)
        .map_err(|error| place.error(&format!("`{}`: {error}", path.display())))?;
    Ok(json.to_value())
}

/// A reference to a member that the schema does not name is an error of the file.
fn references(section: &Section<'_>, tool: &PlainTool) -> Result<(), ConfigError> {
    let Some(properties) = tool.input_json_schema.as_ref().map(properties) else {
        return Ok(());
    };
    let members = tool
        .args
        .iter()
        .filter_map(Argument::member)
        .chain(tool.stdin.member());
    for member in members {
        if !properties.contains_key(member) {
            return Err(section.error(&format!(
                "`{member}` is referred to, but `input_json_schema` does not name it"
            )));
        }
    }
    Ok(())
}

fn properties(schema: &Json) -> Map<String, Json> {
    schema
        .get("properties")
        .unwrap_or(&json!({}))
        .as_object()
        .cloned()
        .unwrap_or_default()
}
