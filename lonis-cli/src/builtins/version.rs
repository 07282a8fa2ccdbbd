//! `lonis:builtin:version`: says which versions this program speaks.

use lonis::kind::ResultData;
use lonis::{Attribution, Block, BlockKind, LonisCapabilities, SchemaVersion, Tool, ToolError};
use serde_json::{Value, json};

const ID: &str = "lonis:builtin:version";

/// The tool.
#[derive(Debug, LonisCapabilities)]
#[lonis(
    tool_id = "lonis:builtin:version",
    description = "Returns the version of this program and of the tool schema that it speaks.",
    determinism = "deterministic",
    side_effects = "none",
    cost = "low"
)]
pub(super) struct Version;

impl Tool<BlockKind> for Version {
    fn invoke(&self, _input: Value) -> Result<Vec<Block<BlockKind>>, ToolError> {
        let output = json!({ "lonis": env!("CARGO_PKG_VERSION"), "schema": SchemaVersion::TOOL_V1.to_string() });
        Ok(vec![Block::new(
            Attribution::new(ID, ID),
            ResultData::new(output).into(),
        )])
    }
}
