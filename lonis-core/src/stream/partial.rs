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

#[cfg(test)]
mod tests {
    use lonis_schema::{ErrorKind, SeedBlock};
    use serde_json::json;

    use super::*;
    use crate::fixture::said;

    fn details(blocks: &[SeedBlock]) -> Option<Value> {
        let error = ToolError::new(ErrorKind::Timeout, "late").with_details(json!({"hint": "h"}));
        with_blocks(error, blocks).details().map(Json::to_value)
    }

    #[test]
    fn as_many_whole_blocks_are_told_as_64_kibibytes_hold() {
        assert_eq!(details(&[]), Some(json!({"hint": "h"})));
        let block = said(&"a".repeat(5_000));
        let length = serde_json::to_string(&block).unwrap().len();
        let details = details(&vec![block.clone(); 100]).unwrap();
        assert_eq!(
            (&details["blocks"], &details["hint"]),
            (&json!(100), &json!("h"))
        );
        let told = details["partial_blocks"].as_array().unwrap();
        assert_eq!(told.len(), (64 << 10) / (length + 1));
        assert!(told.iter().all(|told| *told == json!(block)));
    }

    #[test]
    fn a_block_that_is_too_long_is_only_counted() {
        let details = details(&[said(&"a".repeat(70_000))]).unwrap();
        assert_eq!(
            (&details["blocks"], &details["partial_blocks"]),
            (&json!(1), &json!([]))
        );
    }
}
