//! Everything that is known about a call that has ended.

use lonis_schema::{Block, BlockPayload, Json, ToolError};

use crate::BlockStream;

/// A call that has ended: what came, how it ended, and the facts that belong to no block.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CallRecord<P> {
    /// The input that the tool was given.
    pub input: Json,
    /// The blocks delivered, also where the call failed after them.
    pub blocks: Vec<Block<P>>,
    /// How the call failed, if it did.
    pub error: Option<ToolError>,
}

impl<P: BlockPayload> CallRecord<P> {
    /// Follows a started call to its end.
    pub(crate) fn of(input: Json, started: Result<BlockStream<P>, ToolError>) -> Self {
        let mut record = Self {
            input,
            blocks: Vec::new(),
            error: None,
        };
        match started {
            Err(error) => record.error = Some(error),
            Ok(stream) => {
                for item in stream {
                    match item {
                        Ok(block) => record.blocks.push(block),
                        Err(error) => record.error = Some(error),
                    }
                }
            }
        }
        record
    }

    /// Returns whether the call succeeded.
    pub fn is_success(&self) -> bool {
        self.error.is_none()
    }
}
