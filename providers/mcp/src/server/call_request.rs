//! What `tools/call` asks for, and the input that is made of it.

use std::collections::BTreeMap;
use std::path::Path;

use lonis::diagnostics::{Code, Diagnostic};
use lonis::{Json, SchemaCheck};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::requests::{bad_params, type_of};
use crate::code::McpCode;
use crate::exposure::PATH_MARK;
use crate::offer::Offered;
use crate::refusal::Refusal;
use crate::roots::is_inner;

/// The longest deadline that a client may ask for, in milliseconds: a day.
const MAX_DEADLINE_MILLIS: u64 = 86_400_000;
/// The longest token of a progress that is a text, in bytes.
const MAX_TOKEN_BYTES: usize = 256;

/// What `tools/call` asks for.
#[derive(Debug)]
pub(super) struct CallRequest {
    pub(super) name: String,
    pub(super) arguments: BTreeMap<String, Json>,
    pub(super) progress: Option<Value>,
    pub(super) deadline_millis: Option<u64>,
}

#[derive(Deserialize)]
struct Params<'a> {
    name: Option<Value>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(default, rename = "_meta")]
    meta: Value,
    task: Option<Value>,
}

impl CallRequest {
    /// Reads the parameters.
    ///
    /// # Errors
    /// `mcp/params`, `mcp/task` and `mcp/progress-token`.
    pub(super) fn read(params: Option<&Json>) -> Result<Self, Refusal> {
        let text = params.map_or("{}", Json::text);
        let params: Params<'_> =
            serde_json::from_str(text).map_err(|_| bad_params("", "an object", None))?;
        if params.task.is_some() {
            let message = "`task` is set, and no tool runs as a task";
            return Err(Refusal::new(McpCode::Task, message));
        }
        let name = match params.name {
            Some(Value::String(name)) => name,
            other => return Err(bad_params("/name", "a text", other.as_ref())),
        };
        if !(params.meta.is_null() || params.meta.is_object()) {
            return Err(bad_params("/_meta", "an object", Some(&params.meta)));
        }
        Ok(Self {
            name,
            arguments: params
                .arguments
                .map_or_else(|| Ok(BTreeMap::new()), members)?,
            progress: progress_token(&params.meta)?,
            deadline_millis: deadline(&params.meta)?,
        })
    }

    /// The arguments as one value.
    pub(super) fn value(&self) -> Value {
        let members = self.arguments.iter();
        Value::Object(
            members
                .map(|(name, json)| (name.clone(), json.to_value()))
                .collect(),
        )
    }

    /// Turns a call by id into the call of a tool, and returns the tool that it names.
    pub(super) fn take_call(&mut self) -> String {
        let name = self.arguments.remove("tool").map(|name| name.to_value());
        let input = self.arguments.remove("input");
        let input = input.map(|input| {
            let raw: &RawValue = serde_json::from_str(input.text()).expect("it is JSON");
            members(raw).unwrap_or_default()
        });
        self.arguments = input.unwrap_or_default();
        name.and_then(|name| name.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

fn members(raw: &RawValue) -> Result<BTreeMap<String, Json>, Refusal> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(raw.get()).map_err(|_| {
        let value: Value = serde_json::from_str(raw.get()).unwrap_or_default();
        bad_params("/arguments", "an object", Some(&value))
    })?;
    let json = |raw: &RawValue| {
        Json::parse(raw.get()).expect("a part of a text that was read is strict JSON")
    };
    Ok(members
        .into_iter()
        .map(|(name, raw)| (name, json(raw)))
        .collect())
}

fn deadline(meta: &Value) -> Result<Option<u64>, Refusal> {
    let Some(value) = meta.get("genesis/deadlineMs") else {
        return Ok(None);
    };
    let millis = value
        .as_u64()
        .filter(|millis| (1..=MAX_DEADLINE_MILLIS).contains(millis));
    millis.map(Some).ok_or_else(|| {
        let expected = format!("an integer of 1 to {MAX_DEADLINE_MILLIS}");
        bad_params("/_meta/genesis~1deadlineMs", &expected, Some(value))
    })
}

fn progress_token(meta: &Value) -> Result<Option<Value>, Refusal> {
    match meta.get("progressToken") {
        None => Ok(None),
        Some(token @ Value::String(text)) if (1..=MAX_TOKEN_BYTES).contains(&text.len()) => {
            Ok(Some(token.clone()))
        }
        Some(token @ Value::Number(number)) if number.is_i64() || number.is_u64() => {
            Ok(Some(token.clone()))
        }
        Some(_) => {
            let message = format!(
                "`progressToken` is neither an integer nor a text of 1 to {MAX_TOKEN_BYTES} bytes"
            );
            Err(Refusal::new(McpCode::ProgressToken, message))
        }
    }
}

/// Holds arguments against the schema that was shown.
///
/// # Errors
/// `mcp/arguments` with the place.
pub(super) fn check(schema: &SchemaCheck, arguments: &Value) -> Result<(), Refusal> {
    schema.check(arguments).map_err(|breach| {
        let received = arguments
            .pointer(&breach.pointer)
            .map_or("nothing", type_of);
        let place = if breach.pointer.is_empty() {
            "the arguments".to_owned()
        } else {
            format!("the argument `{}`", breach.pointer)
        };
        Refusal::new(McpCode::Arguments, format!("{place}: {}", breach.problem))
            .with("pointer", breach.pointer)
            .with("expected", breach.problem)
            .with("received", received)
    })
}

/// Returns the whole diagnostic of arguments that were refused.
pub(super) fn diagnostic(refusal: &Refusal) -> Diagnostic {
    let data = refusal.data();
    let diagnostic = Diagnostic::new(Code::McpArguments, "mcp/call", refusal.message());
    ["pointer", "expected", "received"]
        .into_iter()
        .fold(diagnostic, |diagnostic, name| {
            diagnostic.with(name, data[name].clone())
        })
}

/// Looks at the arguments that are paths beneath the root.
///
/// # Errors
/// `mcp/path-escape` for one that would leave it.
pub(super) fn check_paths(offered: &Offered, arguments: &Value) -> Result<(), Refusal> {
    let Some(schema) = offered.contract.input_json_schema() else {
        return Ok(());
    };
    let mut escaped = None;
    escapes(&schema.to_value(), arguments, String::new(), &mut escaped);
    match escaped {
        None => Ok(()),
        Some(pointer) => {
            let message = format!("the argument `{pointer}` leaves the root");
            Err(Refusal::new(McpCode::PathEscape, message)
                .with("pointer", pointer)
                .with("expected", "a relative path without `..`")
                .with("received", "a text"))
        }
    }
}

fn escapes(schema: &Value, value: &Value, pointer: String, found: &mut Option<String>) {
    if found.is_some() {
        return;
    }
    match value {
        Value::String(text)
            if schema[PATH_MARK] == "workspace"
                && (text.contains('\0') || !is_inner(Path::new(text))) =>
        {
            *found = Some(pointer);
        }
        Value::Object(members) => {
            for (name, value) in members {
                let step = name.replace('~', "~0").replace('/', "~1");
                escapes(
                    &schema["properties"][name],
                    value,
                    format!("{pointer}/{step}"),
                    found,
                );
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                escapes(&schema["items"], value, format!("{pointer}/{at}"), found);
            }
        }
        _ => {}
    }
}

/// Makes the input of a tool: what the client gave, what the file sets, and the root.
pub(super) fn input(
    offered: &Offered,
    arguments: &BTreeMap<String, Json>,
    root: Option<&Path>,
) -> Json {
    let mut members = arguments.clone();
    members.extend(offered.fixed.iter().cloned());
    if let (Some(member), Some(root)) = (&offered.root, root) {
        members.insert(member.clone(), Json::from(json!(root.to_string_lossy())));
    }
    let mut text = String::from("{");
    for (name, value) in &members {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&json!(name).to_string());
        text.push(':');
        text.push_str(value.text());
    }
    text.push('}');
    Json::parse(&text).expect("members of strict JSON make an object of it")
}
