//! A provider of Lonis: each tool is a type, what the tools say is one enum.

use std::process::ExitCode;

use lonis::{
    Attribution, Block, BlockPayload, BlockStream, LonisCapabilities, Provider, Tool, ToolError,
    parse_input,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Blocks that wait for a slow reader before the tool does.
const CAPACITY: usize = 16;

/// What the tools of this program say.
#[derive(Debug, BlockPayload)]
#[lonis_payload(namespace = "{{kind}}", render_fn = "Said::text")]
enum Said {
    Greeting { name: String },
}

impl Said {
    /// What a person reads.
    fn text(&self) -> String {
        match self {
            Self::Greeting { name } => format!("Hello, {name}!"),
        }
    }
}

/// What the tool reads; its JSON Schema becomes part of the contract.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = serde_json::json!({ "names": ["Ada", "Grace"] }))]
struct GreetInput {
    names: Vec<String>,
}

#[derive(LonisCapabilities)]
#[lonis(
    tool_id = "{{name}}:greet",
    description = "Greets people by name.",
    determinism = "deterministic",
    side_effects = "none",
    cost = "low",
    input = GreetInput
)]
struct Greet;

impl Tool<Said> for Greet {
    fn invoke(&self, input: Value) -> Result<Vec<Block<Said>>, ToolError> {
        self.invoke_stream(input)?.collect()
    }

    /// Gives each block as it is made; a tool that makes one has `invoke` alone.
    fn invoke_stream(&self, input: Value) -> Result<BlockStream<Said>, ToolError> {
        let GreetInput { names } = parse_input(input)?;
        Ok(BlockStream::produce(CAPACITY, move |out| {
            for name in names {
                let attribution = Attribution::new("{{name}}:greet", "{{name}}:greet");
                out.emit(Block::new(attribution, Said::Greeting { name }))?;
            }
            Ok(())
        }))
    }
}

fn main() -> ExitCode {
    lonis::serve(Provider::new("{{name}}", env!("CARGO_PKG_VERSION")).tool(Greet))
}
