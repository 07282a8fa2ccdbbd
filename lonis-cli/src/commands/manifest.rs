//! `lonis manifest`: what `lonis` says of itself as a provider.

use lonis::ToolError;
use serde_json::json;

use crate::catalog;
use crate::output::{DONE, Output};

pub(crate) fn run(output: &mut Output) -> Result<u8, ToolError> {
    let names: Vec<String> = catalog::rows(output)?
        .into_iter()
        .map(|row| row.name)
        .collect();
    output.document(&json!({
        "name": "lonis",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Finds, describes and calls tools that live in other programs.",
        "provider_type": "external-executable",
        "protocol_version": "lonis.provider/v1",
        "tools": names,
    }))?;
    Ok(DONE)
}
