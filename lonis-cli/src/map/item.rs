//! What came of one input.

use lonis::{ContentHash, ErrorKind, OutputMode, SeedBlock, ToolError};
use serde::{Deserialize, Serialize};

/// What came of one input: its blocks, and its error if it failed.
///
/// # Wire shape
/// One object: `index` from 0, `input_hash`, `blocks`, and `error`, `attempts` and `notes` where there are any.
#[derive(Debug, Serialize)]
pub(crate) struct Item {
    pub(crate) index: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) input_hash: Option<ContentHash>,
    pub(crate) blocks: Vec<SeedBlock>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<ToolError>,
    #[serde(skip_serializing_if = "is_first")]
    pub(crate) attempts: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands a reference to every condition"
)]
fn is_first(attempts: &u32) -> bool {
    *attempts <= 1
}

impl Item {
    /// What came of a line that is no input.
    pub(super) fn refused(index: u64, error: ToolError) -> Self {
        Self {
            index,
            input_hash: None,
            blocks: Vec::new(),
            error: Some(error),
            attempts: 0,
            notes: Vec::new(),
        }
    }

    /// The item as one text: a line of JSON, or lines for people that begin with its number.
    pub(super) fn text(&self, mode: OutputMode) -> Result<String, ToolError> {
        if mode.is_machine() {
            return serde_json::to_string(self).map_err(|error| {
                ToolError::new(
                    ErrorKind::Serialization,
                    format!("a result cannot be written: {error}"),
                )
            });
        }
        let error = self.error.as_ref();
        let error = error.map(|error| format!("error: {}: {}", error.kind(), error.message()));
        Ok(lines(self.index, &self.blocks, error))
    }
}

/// What is shown to people of a result that was kept.
#[derive(Deserialize)]
struct Kept {
    index: u64,
    blocks: Vec<SeedBlock>,
}

/// The text of a result that was kept as a line of JSON: that line, or what a fresh one would show to people.
pub(super) fn kept_text(line: String, mode: OutputMode) -> Result<String, ToolError> {
    if mode.is_machine() {
        return Ok(line);
    }
    let kept: Kept = serde_json::from_str(&line).map_err(|error| {
        ToolError::new(
            ErrorKind::InvalidInput,
            format!("a result of the journal cannot be shown: {error}"),
        )
    })?;
    Ok(lines(kept.index, &kept.blocks, None))
}

/// Lines for people, each result with its number.
fn lines(index: u64, blocks: &[SeedBlock], error: Option<String>) -> String {
    let blocks = blocks.iter().map(SeedBlock::render_human);
    let lines: Vec<String> = blocks
        .chain(error)
        .map(|text| format!("[{index}] {text}"))
        .collect();
    lines.join("\n")
}
