//! A provider as its author writes it with the facade, to be called by the benchmark.

use std::process::ExitCode;

use lonis::{
    Attribution, Block, BlockPayload, BlockStream, Capabilities, LonisCapabilities, OutputMode,
    Provider, SchemaVersion, Tool, ToolContract, ToolError, ToolId, parse_input,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// What the tools say.
#[derive(Debug, BlockPayload)]
#[lonis_payload(namespace = "bench")]
enum Said {
    Text { text: String },
    Number { number: u64 },
}

#[derive(Deserialize, JsonSchema)]
struct EchoInput {
    text: String,
}

#[derive(LonisCapabilities)]
#[lonis(
    tool_id = "bench:echo",
    description = "Gives its text back.",
    determinism = "deterministic",
    side_effects = "none",
    cost = "low",
    input = EchoInput
)]
struct Echo;

impl Tool<Said> for Echo {
    fn invoke(&self, input: Value) -> Result<Vec<Block<Said>>, ToolError> {
        let EchoInput { text } = parse_input(input)?;
        Ok(vec![Block::new(
            Attribution::new("tool:bench:echo", "bench:echo"),
            Said::Text { text },
        )])
    }
}

#[derive(Deserialize, JsonSchema)]
struct CountInput {
    blocks: u64,
}

#[derive(LonisCapabilities)]
#[lonis(
    tool_id = "bench:count",
    description = "Counts, a block for each number.",
    determinism = "deterministic",
    side_effects = "none",
    cost = "low",
    input = CountInput
)]
struct Count;

impl Tool<Said> for Count {
    fn invoke(&self, input: Value) -> Result<Vec<Block<Said>>, ToolError> {
        self.invoke_stream(input)?.collect()
    }

    fn invoke_stream(&self, input: Value) -> Result<BlockStream<Said>, ToolError> {
        let CountInput { blocks } = parse_input(input)?;
        let attribution = Attribution::new("tool:bench:count", "bench:count");
        let numbered = move |number| Ok(Block::new(attribution.clone(), Said::Number { number }));
        Ok(BlockStream::from_results((0..blocks).map(numbered)))
    }
}

/// The echo of a copy, whose id is its file's.
struct Copied {
    id: ToolId,
}

impl Capabilities for Copied {
    fn schema_version(&self) -> SchemaVersion {
        Echo.schema_version()
    }

    fn tool_version(&self) -> &str {
        env!("CARGO_PKG_VERSION")
    }

    fn output_formats(&self) -> &'static [OutputMode] {
        OutputMode::ALL
    }

    fn exit_code_map(&self) -> &'static [(&'static str, u8)] {
        Echo.exit_code_map()
    }

    fn tool_id(&self) -> ToolId {
        self.id.clone()
    }

    fn declared_contract(&self) -> Option<ToolContract> {
        Some(ToolContract::new(self.id.as_str(), "Gives its text back."))
    }
}

impl Tool<Said> for Copied {
    fn invoke(&self, input: Value) -> Result<Vec<Block<Said>>, ToolError> {
        Echo.invoke(input)
    }
}

/// A copy is named after its file, so that many of them offer tools of different ids.
fn main() -> ExitCode {
    let file = std::env::args().next().unwrap_or_default();
    let name = file.rsplit('/').next().unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let copied = name.strip_prefix("lonis-").and_then(|name| {
        let id = ToolId::new(format!("{name}:echo")).ok()?;
        Some(Provider::new(name, version).tool(Copied { id }))
    });
    lonis::serve(copied.unwrap_or_else(|| Provider::new("bench", version).tool(Echo).tool(Count)))
}
