//! `lonis:builtin:echo`: gives its input back.

use lonis::kind::ResultData;
use lonis::{
    Attribution, Block, BlockKind, BlockStream, Call, ErrorKind, Json, LonisCapabilities,
    ReplayProvenance, Tool, ToolError,
};
use serde_json::Value;

const ID: &str = "lonis:builtin:echo";

/// The tool.
#[derive(Debug, LonisCapabilities)]
#[lonis(
    tool_id = "lonis:builtin:echo",
    description = "Returns its input as the output of a result, with the hash of the input.",
    determinism = "deterministic",
    side_effects = "none",
    cost = "low"
)]
pub(super) struct Echo;

impl Tool<BlockKind> for Echo {
    fn invoke(&self, input: Value) -> Result<Vec<Block<BlockKind>>, ToolError> {
        self.start(Call::new(input))?.collect()
    }

    // Not through a `Value`, which would round a number of more than 64 bits.
    fn start(&self, call: Call) -> Result<BlockStream<BlockKind>, ToolError> {
        let input = call.input().clone();
        let block = echo(input)?;
        Ok(BlockStream::from_results(std::iter::once(Ok(block))))
    }
}

fn echo(input: Json) -> Result<Block<BlockKind>, ToolError> {
    if input.text() == "null" {
        return Err(ToolError::new(
            ErrorKind::BadInput,
            "the input is `null`, and there is nothing to echo",
        )
        .with_hint("give a JSON value as the last argument, as `@FILE`, or on stdin"));
    }
    let provenance = ReplayProvenance {
        tool_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        input_hash: Some(input.content_hash().to_string()),
        ..ReplayProvenance::default()
    };
    let result = ResultData::new(input);
    Ok(Block::new(Attribution::new(ID, ID), result.into()).with_provenance(provenance))
}
