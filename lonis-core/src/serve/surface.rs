//! What a provider says about itself: its manifest, its list, a contract, a help text.

use std::io::{self, Write};

use lonis_schema::{BlockPayload, OutputMode, ToolContract};
use serde::Serialize;

use super::{Offered, Provider};

/// The surface that the answers follow.
const PROTOCOL_VERSION: &str = "lonis.provider/v1";

#[derive(Serialize)]
struct Manifest<'a> {
    name: &'a str,
    version: &'a str,
    description: &'a str,
    provider_type: &'a str,
    protocol_version: &'a str,
    tools: Vec<&'a str>,
}

#[derive(Serialize)]
struct ToolList<'a> {
    provider: &'a str,
    tools: Vec<ListedTool<'a>>,
}

#[derive(Serialize)]
struct ListedTool<'a> {
    description: String,
    name: &'a str,
    version: &'a str,
}

pub(super) fn manifest<P: BlockPayload>(
    provider: &Provider<P>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let manifest = Manifest {
        name: &provider.name,
        version: &provider.version,
        description: &provider.description,
        provider_type: "external-executable",
        protocol_version: PROTOCOL_VERSION,
        tools: provider.tools.iter().map(Offered::native).collect(),
    };
    document(&manifest, out)
}

pub(super) fn list<P: BlockPayload>(
    provider: &Provider<P>,
    mode: OutputMode,
    out: &mut dyn Write,
) -> io::Result<()> {
    if mode == OutputMode::Human {
        for offered in &provider.tools {
            let (name, version) = (offered.native(), offered.tool().tool_version());
            // Both are the author's own and checked, so the tab between them is the only one.
            writeln!(out, "{name}\t{version}")?;
        }
        return Ok(());
    }
    let tools = provider.tools.iter().map(|offered| ListedTool {
        description: offered
            .tool()
            .contract()
            .map(|contract| contract.description().to_owned())
            .unwrap_or_default(),
        name: offered.native(),
        version: offered.tool().tool_version(),
    });
    document(
        &ToolList {
            provider: &provider.name,
            tools: tools.collect(),
        },
        out,
    )
}

pub(super) fn contract(contract: &ToolContract, out: &mut dyn Write) -> io::Result<()> {
    document(contract, out)
}

pub(super) fn help(name: &str) -> String {
    format!(
        "usage: {name} [--mode human|json|ndjson] COMMAND\n\n  \
         manifest             what this provider is\n  \
         tools list           its tools\n  \
         tools describe NAME  the contract of one\n  \
         call NAME            calls one, its input as JSON on stdin\n"
    )
}

fn document<T: Serialize>(value: &T, out: &mut dyn Write) -> io::Result<()> {
    let mut text = serde_json::to_vec(value)?;
    text.push(b'\n');
    out.write_all(&text)
}
