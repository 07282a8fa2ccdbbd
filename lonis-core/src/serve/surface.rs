//! What a provider says about itself: its manifest, its list, a contract, a help text.

use std::io::{self, Write};

use lonis_schema::{
    BlockPayload, OutputMode, ProviderManifest, ProviderToolList, ProviderToolSummary, ToolContract,
};
use serde::Serialize;

use super::{Offered, Provider};

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
    document(
        &ProviderManifest::new(name, version, description).with_tools(tools),
        out,
    )
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
    document(
        &ProviderToolList {
            provider: Some(provider.name.clone()),
            tools,
        },
        out,
    )
}

fn listed<P: BlockPayload>(offered: &Offered<P>) -> ProviderToolSummary {
    let summary =
        ProviderToolSummary::new(offered.native()).with_version(offered.tool().tool_version());
    match offered.tool().contract() {
        Some(contract) => summary.with_description(contract.description()),
        None => summary,
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
