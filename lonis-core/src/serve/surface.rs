//! What a provider says about itself: its manifest, its list, a contract, a help text.

use std::collections::BTreeMap;
use std::io::{self, Write};

use lonis_schema::{
    BlockPayload, Json, OutputMode, ProviderManifest, ProviderToolSummary, ToolContract,
};
use serde::Serialize;

use super::{Offered, Provider};
use crate::limits::Bound;

pub(super) fn manifest<P: BlockPayload>(
    provider: &Provider<P>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Provider {
        name,
        version,
        description,
        ..
    } = provider;
    let tools = provider.tools.iter().map(Offered::native);
    let manifest = ProviderManifest::new(name, version, description).with_tools(tools);
    let further = &provider.further;
    document(&Manifest { manifest, further }, out)
}

pub(super) fn list<P: BlockPayload>(
    provider: &Provider<P>,
    mode: OutputMode,
    out: &mut dyn Write,
) -> io::Result<()> {
    if mode == OutputMode::Human {
        for offered in &provider.tools {
            writeln!(
                out,
                "{}\t{}",
                offered.native(),
                offered.tool().tool_version()
            )?;
        }
        return Ok(());
    }
    let tools = provider.tools.iter().map(listed).collect();
    let provider = &provider.name;
    document(&List { provider, tools }, out)
}

/// A manifest with members of the provider's own.
#[derive(Serialize)]
struct Manifest<'m> {
    #[serde(flatten)]
    manifest: ProviderManifest,
    #[serde(flatten)]
    further: &'m BTreeMap<String, Json>,
}

/// A tool list whose entries say more than every host has to know.
#[derive(Serialize)]
struct List<'l> {
    provider: &'l str,
    tools: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    #[serde(flatten)]
    summary: ProviderToolSummary,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggested_timeout_millis: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggested_stdout_bytes: Option<u64>,
}

fn listed<P: BlockPayload>(offered: &Offered<P>) -> Listed {
    let tool = offered.tool();
    let summary = ProviderToolSummary::new(offered.native()).with_version(tool.tool_version());
    let limits = tool.suggested_limits();
    Listed {
        summary: match tool.contract() {
            Some(contract) => summary.with_description(contract.description()),
            None => summary,
        },
        suggested_timeout_millis: limits.stated(Bound::TimeoutMillis),
        suggested_stdout_bytes: limits.stated(Bound::MaxStdoutBytes),
    }
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
