//! What hosts are offered: a tool for each command, over the same engine as the command line.

use lonis::limits::{Bound, Limits};
use lonis::{
    Attribution, Block, BlockKind, Capabilities, Cost, Determinism, Json, OutputMode, Provider,
    SchemaVersion, Tool, ToolContract, ToolError, ToolId, exit_code,
};
use serde_json::Value;

use crate::command::Command;
use crate::commands::{self, Surroundings};

/// Makes the provider `session`.
pub fn provider() -> Provider<BlockKind> {
    let provider = Provider::new("session", env!("CARGO_PKG_VERSION"))
        .description("Transactional edits of a directory tree, proved before they are applied.");
    Command::ALL.iter().fold(provider, |provider, command| {
        provider.tool_as(&command.native(), SessionTool(*command))
    })
}

/// One command as a tool.
#[derive(Debug)]
struct SessionTool(Command);

impl Capabilities for SessionTool {
    fn schema_version(&self) -> SchemaVersion {
        SchemaVersion::TOOL_V1
    }

    fn tool_version(&self) -> &'static str {
        env!("CARGO_PKG_VERSION")
    }

    fn output_formats(&self) -> &'static [OutputMode] {
        OutputMode::ALL
    }

    fn exit_code_map(&self) -> &'static [(&'static str, u8)] {
        exit_code::BASELINE
    }

    fn tool_id(&self) -> ToolId {
        ToolId::new(format!("session:{}", self.0.word()))
            .expect("a word of the table makes an id of two segments")
    }

    fn declared_contract(&self) -> Option<ToolContract> {
        let command = self.0;
        let contract = ToolContract::new(command.native(), command.description())
            .with_determinism(Determinism::Nondeterministic)
            .with_side_effects(command.side_effects())
            .with_cost(Cost::Medium)
            .with_input_json_schema(command.input_schema())
            .with_output_json_schema(command.output_schema());
        Some(contract)
    }
}

impl Tool<BlockKind> for SessionTool {
    fn invoke(&self, input: Value) -> Result<Vec<Block<BlockKind>>, ToolError> {
        let surroundings = Surroundings::of_process();
        let data =
            commands::run(self.0, &input, &surroundings).map_err(|failure| failure.tool_error())?;
        let id = self.tool_id().to_string();
        let payload = BlockKind::Extension {
            kind: self.0.native(),
            data: Json::from(data),
        };
        Ok(vec![Block::new(
            Attribution::new(id.as_str(), id.as_str()),
            payload,
        )])
    }

    fn suggested_limits(&self) -> Limits {
        Limits::new().with_nearest(Bound::TimeoutMillis, self.0.suggested_timeout_millis())
    }

    /// What is wrong with an input is said in the form of the catalog.
    fn judges_input(&self) -> bool {
        true
    }
}
