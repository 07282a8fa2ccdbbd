//! Blocks that a mapping makes of plain output, and the input that they and received blocks are held to.

use std::cell::OnceCell;
use std::sync::Arc;

use lonis_schema::kind::{Outcome, OutcomeStatus, ResultData};
use lonis_schema::{
    Attribution, Block, BlockKind, ContentHash, Json, ReplayProvenance, SeedBlock, ToolId,
};

use super::mapping::OutputError;
use crate::SchemaCheck;

/// Makes the blocks of one call: attributed to the tool, its version and the input's hash pinned.
#[derive(Debug)]
pub(crate) struct Maker {
    id: ToolId,
    version: String,
    input: Arc<Json>,
    /// What each output has to be, where the tool's definition says so.
    output_check: Option<Arc<SchemaCheck>>,
    // A call that neither makes blocks nor receives pinned ones needs no hash.
    input_hash: OnceCell<ContentHash>,
}

impl Maker {
    pub(crate) fn new(
        id: &ToolId,
        version: &str,
        input: Arc<Json>,
        output_check: Option<Arc<SchemaCheck>>,
    ) -> Self {
        Self {
            id: id.clone(),
            version: version.to_owned(),
            input,
            output_check,
            input_hash: OnceCell::new(),
        }
    }

    /// Returns the tool that blocks are made for.
    pub(crate) fn id(&self) -> &ToolId {
        &self.id
    }

    /// Returns the hash of the input.
    pub(crate) fn input_hash(&self) -> &ContentHash {
        self.input_hash.get_or_init(|| self.input.content_hash())
    }

    /// Makes a `result` of one output, the `number`th of its call.
    pub(crate) fn result(&self, output: Json, number: u64) -> Result<SeedBlock, OutputError> {
        if let Some(check) = &self.output_check {
            check
                .check(&output.to_value())
                .map_err(|breach| OutputError::BreaksSchema {
                    number,
                    pointer: breach.pointer,
                    problem: breach.problem,
                })?;
        }
        Ok(self.block(ResultData::new(output).into()))
    }

    /// Makes the `outcome` of a call that found nothing.
    pub(crate) fn no_match(&self, code: u8) -> SeedBlock {
        let message = format!("exited with code {code}: nothing was found");
        self.block(
            Outcome::new(OutcomeStatus::NoMatch, "no_match", message)
                .with_exit_code(code)
                .into(),
        )
    }

    fn block(&self, payload: BlockKind) -> SeedBlock {
        let provenance = ReplayProvenance::default()
            .with_tool_version(&self.version)
            .with_input_hash(self.input_hash().as_str());
        Block::new(
            Attribution::new(self.id.as_str(), self.id.as_str()),
            payload,
        )
        .with_provenance(provenance)
    }
}
