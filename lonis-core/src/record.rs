//! Everything that is known about a call that has ended, and its file: written down, played again, compared.

use lonis_schema::{Block, BlockPayload, ContentHash, Json, ToolError};

use crate::BlockStream;
use crate::process::Outcome;

mod lines;
mod recorder;
mod recording;
mod verdict;
mod write_only;

pub use recorder::Recorder;
pub use recording::Recording;
pub use verdict::{BrokenPins, Difference, Verdict, whole_input};

/// A call that has ended: what came, how it ended, and the facts that belong to no block.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CallRecord<P> {
    /// The input that the tool was given.
    pub input: Json,
    /// Hash of the input.
    pub input_hash: ContentHash,
    /// The blocks delivered, also where the call failed after them.
    pub blocks: Vec<Block<P>>,
    /// How the call failed, if it did.
    pub error: Option<ToolError>,
    /// Facts that belong to no block.
    pub notes: Vec<String>,
    /// What the tool's program wrote to stderr before its own error.
    pub diagnostics: String,
    /// What the call did and used, where another program was run.
    pub outcome: Option<Outcome>,
}

impl<P: BlockPayload> CallRecord<P> {
    /// Follows a started call to its end.
    pub(crate) fn of(input: Json, started: Result<BlockStream<P>, ToolError>) -> Self {
        let mut record = Self {
            input_hash: input.content_hash(),
            input,
            blocks: Vec::new(),
            error: None,
            notes: Vec::new(),
            diagnostics: String::new(),
            outcome: None,
        };
        let mut stream = match started {
            Ok(stream) => stream,
            Err(error) => {
                record.error = Some(error);
                return record;
            }
        };
        for item in stream.by_ref() {
            match item {
                Ok(block) => record.blocks.push(block),
                Err(error) => record.error = Some(error),
            }
        }
        record.notes = stream.notes().to_vec();
        stream.diagnostics().clone_into(&mut record.diagnostics);
        record.outcome = stream.outcome().cloned();
        record
    }

    /// Returns whether the call succeeded.
    pub fn is_success(&self) -> bool {
        self.error.is_none()
    }
}
