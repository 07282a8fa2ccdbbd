//! `lonis validate`: a document as the host's own decoder sees it.

use std::path::Path;

use lonis::kind::BlockKind;
use lonis::{
    Attribution, Block, ErrorKind, Finding, Json, ProviderManifest, ProviderToolList, ReadError,
    SeedBlock, ToolContract, ToolError,
};
use serde_json::json;

use super::schema;
use crate::counted::counted;
use crate::input;
use crate::output::{DONE, Output};

/// Where the data of a block stands in it.
const DATA: &str = "/payload/data";

pub(crate) fn run(
    name: &str,
    strict: bool,
    file: Option<&Path>,
    output: &mut Output,
) -> Result<u8, ToolError> {
    // An unknown name is told before anything is read.
    schema::find(name)?;
    let text = input::text(file.map(Path::as_os_str))?;
    let documents = if name == "block" {
        blocks(&text)?
    } else {
        vec![one(name, &text)?]
    };
    let findings: usize = documents.iter().map(Vec::len).sum();
    if output.mode().is_machine() {
        let list: Vec<_> = documents
            .iter()
            .enumerate()
            .flat_map(|(at, findings)| findings.iter().map(move |finding| row(at, finding)))
            .collect();
        output.document(&json!({ "as": name, "documents": documents.len(), "findings": list }))?;
    } else {
        for (at, finding) in documents
            .iter()
            .enumerate()
            .flat_map(|(at, findings)| findings.iter().map(move |finding| (at, finding)))
        {
            output.line(&format!("{name} {}: {finding}", at + 1))?;
        }
        let noun = if name == "block" { name } else { "document" };
        output.line(&format!(
            "{} accepted, {}",
            counted(documents.len(), noun),
            counted(findings, "finding")
        ))?;
    }
    if strict && findings > 0 {
        return Err(ToolError::new(
            ErrorKind::InvalidInput,
            format!("{}, and none is allowed", counted(findings, "finding")),
        ));
    }
    Ok(DONE)
}

fn row(at: usize, finding: &Finding) -> serde_json::Value {
    json!({ "document": at + 1, "pointer": finding.pointer(), "message": finding.breach().to_string(), "limit": finding.is_limit() })
}

/// Blocks in any form that a tool may print them in.
fn blocks(text: &str) -> Result<Vec<Vec<Finding>>, ToolError> {
    let refused = |message: String| ToolError::new(ErrorKind::InvalidInput, message);
    let mut decoder = lonis::subprocess::decode::Decoder::new(
        lonis::subprocess::decode::Framing::Blocks,
        usize::MAX,
    );
    decoder.push(text.as_bytes());
    decoder.end();
    let mut documents = Vec::new();
    while decoder.advance().map_err(|error| {
        refused(error.to_string()).with_detail("byte_offset", json!(error.offset()))
    })? {
        let Some(value) = decoder.value() else {
            continue;
        };
        let read = SeedBlock::read(value.text()).map_err(|error| {
            let base = usize::try_from(decoder.value_offset()).unwrap_or(usize::MAX);
            let error = rejected(
                &format!("block {}", documents.len() + 1),
                &error.shifted(base),
            );
            match documents.len() {
                0 => error.with_hint(
                    "`--as NAME` reads a document that is no block; `lonis schema` lists the names",
                ),
                _ => error,
            }
        })?;
        documents.push(read.findings);
    }
    Ok(documents)
}

fn one(name: &str, text: &str) -> Result<Vec<Finding>, ToolError> {
    let refuse = |error: ReadError| rejected(name, &error);
    Ok(match name {
        "contract" => ToolContract::read(text).map_err(refuse)?.findings,
        "manifest" => ProviderManifest::read(text)
            .map(|_| Vec::new())
            .map_err(refuse)?,
        "tools_list" => ProviderToolList::read(text)
            .map(|_| Vec::new())
            .map_err(refuse)?,
        "error" => ToolError::read(text).map(|_| Vec::new()).map_err(refuse)?,
        kind => data(kind, text)?,
    })
}

/// The data of a kind, read inside a block that is right otherwise.
fn data(kind: &str, text: &str) -> Result<Vec<Finding>, ToolError> {
    let json = Json::parse(text).map_err(|error| rejected(kind, &error.into()))?;
    let block = if kind == "extension" {
        json.text().to_owned()
    } else {
        format!(r#"{{"kind":"{kind}","data":{}}}"#, json.text())
    };
    let attribution = serde_json::to_string(&Attribution::new("lonis:validate", "lonis:validate"))
        .map_err(|error| ToolError::new(ErrorKind::Serialization, error.to_string()))?;
    let text = format!(
        r#"{{"schema_version":"lonis.block/v1","attribution":{attribution},"payload":{block}}}"#
    );
    let read = Block::<BlockKind>::read(&text).map_err(|error| rejected(kind, &error))?;
    Ok(read
        .findings
        .into_iter()
        .map(|finding| below(&finding))
        .collect())
}

fn below(finding: &Finding) -> Finding {
    let pointer = finding
        .pointer()
        .strip_prefix(DATA)
        .unwrap_or(finding.pointer());
    Finding::new(pointer, finding.breach().clone())
}

fn rejected(what: &str, error: &ReadError) -> ToolError {
    let refused = ToolError::new(
        ErrorKind::InvalidInput,
        format!("{what} is rejected: {error}"),
    );
    match error.byte_offset() {
        Some(offset) => refused.with_detail("byte_offset", json!(offset)),
        None => refused,
    }
}
