//! `lonis providers list`: every registration with its source, its state and its tools.

use lonis::ToolError;
use lonis::host::{Host, ProviderRow};
use serde_json::json;

use crate::counted::counted;
use crate::output::{DONE, Output};
use crate::surroundings;

pub(super) fn run(output: &mut Output) -> Result<u8, ToolError> {
    let host = Host::load(&surroundings::read()?)?;
    let rows = host.providers();
    for note in host.notes() {
        output.note(note);
    }
    if output.mode().is_machine() {
        let rows: Vec<_> = rows.iter().map(document).collect();
        output.document(&json!({ "providers": rows }))?;
        return Ok(DONE);
    }
    for row in rows {
        let source = format!("{} {}", row.source.word(), row.source.path().display());
        let reason = row
            .reason
            .as_ref()
            .map(|error| format!("{}: {}", error.kind(), error.message()));
        let tools = counted(row.tools, "tool");
        let fields = [&row.name, row.state.word(), &tools, &source]
            .into_iter()
            .chain(reason.as_deref());
        output.fields(&fields.collect::<Vec<_>>())?;
    }
    Ok(DONE)
}

fn document(row: &ProviderRow) -> serde_json::Value {
    let mut document = json!({
        "name": row.name,
        "source": row.source.word(),
        "path": row.source.path().to_string_lossy(),
        "state": row.state.word(),
        "tools": row.tools,
    });
    if let Some(reason) = &row.reason {
        document["reason"] = json!(reason);
    }
    document
}
