//! `lonis hash`: the content hash of a block, the canonical hash of any other JSON value.

use std::path::Path;

use lonis::{ErrorKind, SeedBlock, ToolError};
use serde_json::{Value, json};

use crate::input;
use crate::output::{DONE, Output};

pub(crate) fn run(file: Option<&Path>, output: &mut Output) -> Result<u8, ToolError> {
    let document = input::document(file.map(Path::as_os_str))?;
    let (hash, of) = if is_block(&document.to_value()) {
        let block = SeedBlock::read(document.text())
            .map_err(|error| {
                ToolError::new(
                    ErrorKind::InvalidInput,
                    format!("the block cannot be read: {error}"),
                )
            })?
            .value;
        let hash = block.content_hash().map_err(|error| {
            ToolError::new(
                ErrorKind::InvalidInput,
                format!("the block has no hash: {error}"),
            )
        })?;
        (hash, "block")
    } else {
        (document.content_hash(), "json")
    };
    if output.mode().is_machine() {
        output.document(&json!({ "hash": hash.to_string(), "of": of }))?;
    } else {
        output.text(&format!("{hash}\n"))?;
    }
    Ok(DONE)
}

/// An object with both keys means to be a block.
fn is_block(value: &Value) -> bool {
    ["schema_version", "payload"]
        .iter()
        .all(|key| value.get(key).is_some())
}
