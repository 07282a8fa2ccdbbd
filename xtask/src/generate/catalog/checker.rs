//! The family of a provider that has a registry of its own: the checker's codes, from its registry, examples and schemas.

use std::path::Path;

use serde_json::Value as Json;
use toml::{Table, Value};

use super::{Entry, Failure};
use crate::command::read;

const FOLDER: &str = "providers/checker/registry";

/// Reads the codes of the checker as entries of the catalog.
pub(super) fn entries(root: &Path) -> Result<Vec<Entry>, Failure> {
    let registry = json(root, "diagnostics.json")?;
    let params = json(root, "params.json")?;
    let summary = |class: &str| -> Option<String> {
        let classes = registry["repair_classes"].as_array()?;
        let class = classes.iter().find(|one| one["name"] == class)?;
        Some(class["summary"].as_str()?.to_owned())
    };
    let codes = registry["codes"].as_array().into_iter().flatten();
    let entries = codes.map(|row| {
        let word = |key: &str| row[key].as_str().unwrap_or_default();
        let (code, class) = (word("code"), word("repair_class"));
        let fix = summary(class).ok_or_else(|| {
            Failure::Found(format!("registry: `{code}` has no class that is there"))
        })?;
        let cause = means(root, code)?
            .unwrap_or_else(|| format!("the rule of `{}` is broken", word("spec_ref")));
        let mut table = Table::new();
        let mut set = |key: &str, value: Value| table.insert(key.to_owned(), value);
        set("phase", phase(code, class).into());
        set("exit", exit(code).into());
        set("domain", domain(phase(code, class)).into());
        set(
            "facts",
            Table::from_iter([("errors".to_owned(), "list".into())]).into(),
        );
        set("parameters", parameters(&params[code]).into());
        set("causes", vec![cause].into());
        set("fix", fix.clone().into());
        let action = [("id", class), ("kind", kind(class)), ("text", &fix)];
        let action = action.map(|(key, word)| (key.to_owned(), word.into()));
        set(
            "actions",
            vec![Value::from(Table::from_iter(action))].into(),
        );
        Ok(Entry {
            text: format!("checker/{code}"),
            table,
        })
    });
    entries.collect()
}

fn json(root: &Path, name: &str) -> Result<Json, Failure> {
    let path = format!("{FOLDER}/{name}");
    let text = read(&root.join(&path))?;
    serde_json::from_str(&text).map_err(|error| Failure::Found(format!("{path}: {error}")))
}

/// Gives what a code says by its example, without the full stop; none where it has no example.
fn means(root: &Path, code: &str) -> Result<Option<String>, Failure> {
    let path = format!("{FOLDER}/examples/{code}.toml");
    if !root.join(&path).exists() {
        return Ok(None);
    }
    let example: Table = read(&root.join(&path))?
        .parse()
        .map_err(|error| Failure::Found(format!("{path}: {error}")))?;
    let means = example.get("means").and_then(Value::as_str);
    Ok(means.map(|means| means.trim_end_matches('.').to_owned()))
}

/// The part of the product that a code is about, by where in the work it happens.
fn domain(phase: &str) -> &'static str {
    match phase {
        "parse" => "parser",
        "semantic-edit" => "typechecker",
        "storage" => "package",
        "session" => "session",
        "io" => "transport",
        _ => "tool",
    }
}

/// The exit code of a tool whose first diagnostic has the code, as the provider's own table has it.
fn exit(code: &str) -> i64 {
    match code {
        "usage" => 2,
        "no-draft" | "unknown-decision" | "unknown-spec-ref" | "bundle-not-found" => 3,
        "job-cap-exceeded" => 7,
        "io" => 8,
        "unimplemented" => 69,
        "internal" => 70,
        _ => 1,
    }
}

fn phase(code: &str, class: &str) -> &'static str {
    match (code, class) {
        ("io", _) => "io",
        ("internal" | "unimplemented", _) => "internal",
        (_, "fix-syntax" | "split-comparison" | "fix-spec") => "parse",
        (_, "fix-call") => "invocation",
        (_, "write-draft" | "end-job") => "session",
        (_, "fix-config") => "storage",
        _ => "semantic-edit",
    }
}

/// Says what kind of step mends it: what is not the agent's own to change is looked at.
fn kind(class: &str) -> &'static str {
    match class {
        "fix-spec" | "fix-config" | "end-job" => "inspect",
        _ => "source-patch",
    }
}

/// Gives the facts of a code by the schema of its `params`.
fn parameters(schema: &Json) -> Table {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let members = properties.map(|(name, property)| {
        let kind = match property["type"].as_str() {
            Some("integer") => "count",
            Some("array") => "list",
            Some("object") => "object",
            _ => "text",
        };
        (name.clone(), kind.into())
    });
    members.collect()
}
