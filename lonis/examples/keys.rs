//! A provider over one JSON file: `acme:kv:get` reads a key, `acme:kv:keys` lists them.
//!
//! ```text
//! cargo run -p lonis --example keys -- tools list
//! echo '{"file":"/tmp/settings.json","key":"theme"}' | cargo run -p lonis --example keys -- call acme:kv:get
//! ```

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lonis::{
    Attribution, Block, BlockPayload, Capabilities, ErrorKind, Json, LonisCapabilities, Provider,
    ReplayProvenance, Tool, ToolError, json_content_hash, parse_input,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// A larger file is refused, since all of it is held at once.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// What the tools say: `acme.kv.entry` and `acme.kv.keys`.
#[derive(Debug, BlockPayload)]
#[lonis_payload(namespace = "acme.kv", render_fn = "Said::text")]
enum Said {
    Entry { key: String, value: Json },
    Keys { keys: Vec<String> },
}

impl Said {
    fn text(&self) -> String {
        match self {
            Self::Entry { key, value } => format!("{key} = {}", value.text()),
            Self::Keys { keys } => keys.join(", "),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetInput {
    /// Absolute path of a file that holds one JSON object.
    file: PathBuf,
    /// The key to read.
    key: String,
}

#[derive(LonisCapabilities)]
#[lonis(
    tool_id = "acme:kv:get",
    description = "Reads the value of one key of a JSON file.",
    determinism = "deterministic",
    side_effects = "read-only",
    cost = "low",
    capabilities = ["lookup"],
    input = GetInput
)]
struct Get;

impl Tool<Said> for Get {
    fn invoke(&self, input: Value) -> Result<Vec<Block<Said>>, ToolError> {
        let provenance = pinned(self, &input);
        let GetInput { file, key } = parse_input(input)?;
        let value = load(&file)?.remove(&key).ok_or_else(|| {
            let message = format!("key `{key}` is not in `{}`", file.display());
            ToolError::new(ErrorKind::NotFound, message).with_hint("`acme:kv:keys` lists the keys")
        })?;
        let said = Said::Entry { key, value };
        Ok(vec![block(self, said).with_provenance(provenance)])
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeysInput {
    /// Absolute path of a file that holds one JSON object.
    file: PathBuf,
    /// What the keys begin with; all of them without it.
    #[serde(default)]
    prefix: String,
}

#[derive(LonisCapabilities)]
#[lonis(
    tool_id = "acme:kv:keys",
    description = "Lists the keys of a JSON file, sorted.",
    determinism = "deterministic",
    side_effects = "read-only",
    cost = "low",
    capabilities = ["lookup"],
    input = KeysInput
)]
struct Keys;

impl Tool<Said> for Keys {
    fn invoke(&self, input: Value) -> Result<Vec<Block<Said>>, ToolError> {
        let provenance = pinned(self, &input);
        let KeysInput { file, prefix } = parse_input(input)?;
        let mut keys: Vec<String> = load(&file)?.into_keys().collect();
        keys.retain(|key| key.starts_with(&prefix));
        let said = Said::Keys { keys };
        Ok(vec![block(self, said).with_provenance(provenance)])
    }
}

fn block(tool: &impl Capabilities, said: Said) -> Block<Said> {
    let id = tool.tool_id().to_string();
    Block::new(Attribution::new(id.as_str(), id.as_str()), said)
}

/// Pins the block to the input it answers, so that a host can tell a replay from another call.
fn pinned(tool: &impl Capabilities, input: &Value) -> ReplayProvenance {
    ReplayProvenance::default()
        .with_tool_version(tool.tool_version())
        .with_input_hash(json_content_hash(input).as_str())
}

/// Reads the file's object; each value keeps its text, digits and all.
fn load(file: &Path) -> Result<BTreeMap<String, Json>, ToolError> {
    let name = file.display();
    if !file.is_absolute() {
        let message = format!("`file` is `{name}`, which is relative");
        return Err(ToolError::new(ErrorKind::BadInput, message)
            .with_hint("a tool does not see the caller's directory: give the whole path"));
    }
    let mut text = String::new();
    let read =
        File::open(file).and_then(|open| open.take(MAX_FILE_BYTES + 1).read_to_string(&mut text));
    match read {
        Ok(bytes) if bytes as u64 > MAX_FILE_BYTES => {
            let message =
                format!("`{name}` has more than the {MAX_FILE_BYTES} bytes that are read");
            return Err(ToolError::new(ErrorKind::LimitExceeded, message));
        }
        Ok(_) => {}
        Err(error) => {
            let kind = match error.kind() {
                io::ErrorKind::NotFound => ErrorKind::NotFound,
                io::ErrorKind::InvalidData => ErrorKind::BadInput,
                _ => ErrorKind::Io,
            };
            return Err(ToolError::new(
                kind,
                format!("`{name}` cannot be read: {error}"),
            ));
        }
    }
    serde_json::from_str(&text).map_err(|error| {
        let message = format!("`{name}` does not hold one JSON object: {error}");
        ToolError::new(ErrorKind::BadInput, message)
    })
}

fn main() -> ExitCode {
    let provider = Provider::new("acme-keys", env!("CARGO_PKG_VERSION"))
        .description("Keys and values of a JSON file.")
        .tool(Get)
        .tool(Keys);
    lonis::serve(provider)
}
