//! What came before a failure, told with the failure.

use lonis_schema::{Block, BlockPayload, Json, ToolError};
use serde_json::{Map, Value};

/// Longest text of all blocks in the details of an error, in bytes.
const MAX_PARTIAL_BLOCKS_BYTES: usize = 64 << 10;

/// Adds the number of the blocks delivered and the first of them to the details of an error.
///
/// Blocks go in as text, so that nothing in their payloads changes. Where they are nested so deeply that the error around
/// them could not be read back, they are left out.
pub(super) fn with_blocks<P: BlockPayload>(error: ToolError, blocks: &[Block<P>]) -> ToolError {
    if blocks.is_empty() {
        return error;
    }
    let mut members = match error.details().map(Json::to_value) {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    members.insert("blocks".to_owned(), blocks.len().into());
    let own = Value::Object(members).to_string();
    let open = &own[..own.len() - 1];
    let details = format!("{open},\"partial_blocks\":[{}]}}", first_texts(blocks));
    // The error is one level more around its details.
    match Json::parse(&format!("[{details}]")).and_then(|_| Json::parse(&details)) {
        Ok(details) => error.with_details(details),
        Err(_) => error,
    }
}

fn first_texts<P: BlockPayload>(blocks: &[Block<P>]) -> String {
    let mut texts = String::new();
    for text in blocks
        .iter()
        .map_while(|block| serde_json::to_string(block).ok())
    {
        if texts.len() + text.len() + 1 > MAX_PARTIAL_BLOCKS_BYTES {
            break;
        }
        if !texts.is_empty() {
            texts.push(',');
        }
        texts.push_str(&text);
    }
    texts
}
