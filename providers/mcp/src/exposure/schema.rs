//! The input schema that a client is shown: that of the contract, less what is fixed, with the root as a URI.

use lonis::ToolError;
use serde_json::{Map, Value, json};

use super::Expose;
use crate::failure;

/// The longest URI of a root, in bytes.
pub(crate) const MAX_ROOT_URI_BYTES: usize = 16_384;
/// The annotation of a member that names the tree which a tool works in.
pub(crate) const PATH_MARK: &str = "x-lonis-path";
const WORKSPACE_ROOT: &str = "workspace-root";
/// Keywords beside which a schema cannot be closed by `additionalProperties` alone.
const COMPOSITION: [&str; 7] = [
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "patternProperties",
    "unevaluatedProperties",
];

/// The schema that is shown, and the member that takes the root, if one does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InputSchema {
    pub(crate) schema: Value,
    pub(crate) root: Option<String>,
}

/// Makes the schema that is shown of the schema that the tool takes.
///
/// # Errors
/// `mcp/exposure-schema` for one that is not of an object; `mcp/exposure-field` for a member that it lacks;
/// `mcp/exposure-required` for a member that the tool needs and nobody would give.
pub(crate) fn input_schema(
    taken: &Value,
    expose: Option<&Expose>,
    offers_root: bool,
    tool: &str,
) -> Result<InputSchema, ToolError> {
    let mut schema = object_schema(taken, tool)?;
    let mut properties = match schema.remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    };
    let mut required = texts(schema.remove("required"));
    let root = properties
        .iter()
        .find(|(_, member)| offers_root && member[PATH_MARK] == WORKSPACE_ROOT)
        .map(|(name, _)| name.clone())
        .filter(|name| expose.is_none_or(|expose| !expose.fixed.contains_key(name)));
    if let Some(expose) = expose {
        narrow(
            &mut properties,
            &mut required,
            expose,
            root.as_deref(),
            tool,
        )?;
    }
    if let Some(name) = &root {
        properties.insert(name.clone(), root_member());
        required.retain(|member| member != name);
    }
    let is_open = schema.contains_key("additionalProperties")
        || COMPOSITION
            .iter()
            .any(|keyword| schema.contains_key(*keyword));
    if !is_open {
        schema.insert("additionalProperties".into(), false.into());
    }
    required.sort_unstable();
    required.dedup();
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    let mut schema = Value::Object(schema);
    spell_out(&mut schema);
    Ok(InputSchema { schema, root })
}

fn object_schema(taken: &Value, tool: &str) -> Result<Map<String, Value>, ToolError> {
    let refused = |what: &str| {
        let message = format!("the input schema of `{tool}` {what}; a client sends an object");
        failure::exposure("schema", message)
    };
    let Value::Object(schema) = taken else {
        return Err(refused("is no object"));
    };
    let mut schema = schema.clone();
    match schema.get("type") {
        None if schema.contains_key("properties") => {
            schema.insert("type".into(), "object".into());
        }
        Some(Value::String(name)) if name == "object" => {}
        _ => return Err(refused("is not of type `object`")),
    }
    Ok(schema)
}

/// Leaves the members that are offered.
fn narrow(
    properties: &mut Map<String, Value>,
    required: &mut Vec<String>,
    expose: &Expose,
    root: Option<&str>,
    tool: &str,
) -> Result<(), ToolError> {
    let fields = expose.fields.as_deref().unwrap_or_default();
    let named = fields
        .iter()
        .chain(&expose.force_required)
        .chain(expose.fixed.keys());
    for name in named {
        if !properties.contains_key(name) {
            let message = format!("the tool `{tool}` has no input member `{name}`");
            return Err(failure::exposure("field", message));
        }
    }
    let is_offered = |name: &str| {
        !expose.fixed.contains_key(name)
            && (expose.fields.is_none()
                || root == Some(name)
                || fields.iter().any(|field| field == name))
    };
    for name in required.iter().chain(&expose.force_required) {
        if !is_offered(name) && !expose.fixed.contains_key(name) {
            let message =
                format!("the tool `{tool}` needs the input member `{name}`, which nobody gives");
            return Err(failure::exposure("required", message));
        }
    }
    properties.retain(|name, _| is_offered(name));
    required.extend(expose.force_required.iter().cloned());
    required.retain(|name| is_offered(name));
    Ok(())
}

fn root_member() -> Value {
    json!({
        "description": "the root that the call is about, as its `file:` URI; the only root where it is left out",
        "maxLength": MAX_ROOT_URI_BYTES,
        "type": "string",
    })
}

fn texts(value: Option<Value>) -> Vec<String> {
    let list = match value {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    };
    list.into_iter()
        .filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}

/// Writes a schema that is `true` or `false` as an object, which every client reads.
fn spell_out(schema: &mut Value) {
    let members = match schema {
        Value::Bool(true) => {
            *schema = json!({});
            return;
        }
        Value::Bool(false) => {
            *schema = json!({"not": {}});
            return;
        }
        Value::Object(members) => members,
        _ => return,
    };
    for (keyword, value) in members {
        match (keyword.as_str(), value) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(named),
            ) => {
                named.values_mut().for_each(spell_out);
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(list)) => {
                list.iter_mut().for_each(spell_out);
            }
            // `additionalProperties: false` is what closes an object, and read by all.
            ("items" | "not" | "if" | "then" | "else" | "contains" | "propertyNames", one)
            | ("additionalProperties" | "unevaluatedProperties", one @ Value::Object(_)) => {
                spell_out(one);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expose(text: &str) -> Expose {
        toml::from_str(&format!("tool = \"a:b\"\n{text}")).expect("it is an exposure")
    }

    fn taken() -> Value {
        json!({
            "type": "object",
            "properties": {
                "root": {"type": "string", "x-lonis-path": "workspace-root"},
                "name": {"type": "string"},
                "more": true,
            },
            "required": ["root", "name"],
        })
    }

    #[test]
    fn without_a_file_all_is_offered_and_the_root_is_a_uri() {
        let shown = input_schema(&taken(), None, true, "a:b").expect("it fits");
        assert_eq!(shown.root.as_deref(), Some("root"));
        assert_eq!(shown.schema["required"], json!(["name"]));
        assert_eq!(shown.schema["additionalProperties"], false);
        assert_eq!(shown.schema["properties"]["more"], json!({}));
        assert_eq!(shown.schema["properties"]["root"], root_member());
        let plain = input_schema(&taken(), None, false, "a:b").expect("it fits");
        assert_eq!(plain.root, None);
        assert_eq!(plain.schema["required"], json!(["name", "root"]));
    }

    #[test]
    fn what_is_fixed_is_not_offered() {
        let fixed = expose("fields = [\"name\"]\nfixed = { root = \"/x\" }\n");
        let shown = input_schema(&taken(), Some(&fixed), true, "a:b").expect("it fits");
        assert_eq!(shown.root, None);
        assert_eq!(
            shown.schema,
            json!({
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
                "additionalProperties": false,
            })
        );
        let forced = expose("force_required = [\"more\"]");
        let shown = input_schema(&taken(), Some(&forced), true, "a:b").expect("it fits");
        assert_eq!(shown.schema["required"], json!(["more", "name"]));
    }

    #[test]
    fn what_does_not_fit_the_contract_is_refused() {
        for (text, kind) in [
            ("fields = [\"nome\"]", "mcp/exposure-field"),
            ("force_required = [\"nome\"]", "mcp/exposure-field"),
            ("fixed = { nome = 1 }", "mcp/exposure-field"),
            ("fields = [\"more\"]", "mcp/exposure-required"),
            (
                "fields = [\"name\"]\nforce_required = [\"more\"]",
                "mcp/exposure-required",
            ),
        ] {
            let error = input_schema(&taken(), Some(&expose(text)), true, "a:b").expect_err(text);
            assert_eq!(
                (error.kind().as_str(), error.exit_code()),
                (kind, 41),
                "{text}"
            );
        }
        for schema in [
            json!(true),
            json!({}),
            json!({"type": "string"}),
            json!({"type": ["object", "null"]}),
        ] {
            let error = input_schema(&schema, None, true, "a:b").expect_err("no object");
            assert_eq!(error.kind().as_str(), "mcp/exposure-schema", "{schema}");
        }
    }

    #[test]
    fn a_schema_that_says_how_open_it_is_stays_as_it_is() {
        for schema in [
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "object", "additionalProperties": true}),
        ] {
            let shown = input_schema(&schema, None, true, "a:b").expect("it fits");
            assert_eq!(
                shown.schema["additionalProperties"],
                schema["additionalProperties"]
            );
        }
        let composed = json!({"type": "object", "allOf": [true]});
        let shown = input_schema(&composed, None, true, "a:b").expect("it fits");
        assert_eq!(
            shown.schema,
            json!({"type": "object", "allOf": [{}], "properties": {}})
        );
    }
}
