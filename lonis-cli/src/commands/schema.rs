//! `lonis schema`: the JSON Schemas of the wire contract.

use lonis::schemas::{self, Schema};
use lonis::{ErrorKind, ToolError};
use serde_json::json;

use crate::output::{DONE, Output};

pub(crate) fn run(name: Option<&str>, output: &mut Output) -> Result<u8, ToolError> {
    match name {
        Some(name) => {
            let schema = find(name)?;
            output.text(schema.text().trim_end())?;
            output.text("\n")?;
        }
        None if output.mode().is_machine() => {
            let rows: Vec<_> = schemas::ALL
                .iter()
                .map(|schema| json!({ "name": schema.name(), "id": schema.id() }))
                .collect();
            output.document(&json!({ "schemas": rows }))?;
        }
        None => {
            for schema in schemas::ALL {
                output.fields(&[schema.name(), schema.id()])?;
            }
        }
    }
    Ok(DONE)
}

/// The schema of a name.
pub(super) fn find(name: &str) -> Result<&'static Schema, ToolError> {
    schemas::find(name).ok_or_else(|| {
        let names: Vec<&str> = schemas::ALL.iter().map(Schema::name).collect();
        ToolError::new(
            ErrorKind::NotFound,
            format!("no schema is called `{}`", name.escape_debug()),
        )
        .with_hint(format!("the schemas are {}", names.join(", ")))
    })
}
