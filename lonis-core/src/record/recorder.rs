//! Writes down a call while it is made.

use std::io::Write;
use std::sync::Arc;

use lonis_schema::{Block, BlockPayload, Json, Timestamp, ToolError};
use serde::Serialize;
use serde_json::Value;

use super::lines::{Asked, End, Line, MARKER};
use super::write_only;
use crate::run::not_written;
use crate::stream::{BlockSource, BlockStream, Facts};
use crate::{Call, Tool};

/// Writes down one call: what was asked, each block as it comes, and how it ended.
///
/// Members of the input that the tool's schema marks `writeOnly` are left out, and so is every value that the tool was
/// given as a secret.
///
/// # Wire shape
/// Lines of JSON, as `docs/src/concepts/replay.md` has them; [`Recording`](super::Recording) reads them.
pub struct Recorder<P> {
    out: Box<dyn Write + Send>,
    tool: Arc<dyn Tool<P>>,
    blocks: u64,
}

impl<P: BlockPayload> Recorder<P> {
    /// Writes down what is asked of a tool, before it is asked.
    ///
    /// # Errors
    /// `io` when the output takes nothing; what keeps the tool's contract from being known is no error.
    pub fn begin(
        out: impl Write + Send + 'static,
        tool: Arc<dyn Tool<P>>,
        call: &Call,
    ) -> Result<Self, ToolError> {
        let contract = tool.try_contract().ok().flatten();
        let schema = contract
            .as_ref()
            .and_then(lonis_schema::ToolContract::input_json_schema);
        let (input, masked) = write_only::masked(call.input(), schema);
        let contract = contract
            .and_then(|contract| serde_json::to_value(contract).ok())
            .map(Json::from);
        let mut recorder = Self {
            out: Box::new(out),
            tool,
            blocks: 0,
        };
        recorder.write(&Asked {
            record: MARKER.to_owned(),
            tool: recorder.tool.tool_id().to_string(),
            recorded_at: Timestamp::now().to_string(),
            input,
            input_hash: call.input().content_hash(),
            masked,
            contract_hash: contract.as_ref().map(Json::content_hash),
            contract,
        })?;
        Ok(recorder)
    }

    /// Writes down every item of the call's stream as it is pulled.
    ///
    /// A block that cannot be written down ends the stream with `io`.
    pub fn follow(self, stream: BlockStream<P>) -> BlockStream<P> {
        stream.map_source(|source| {
            Box::new(Recorded {
                source,
                recorder: self,
            })
        })
    }

    /// Writes down that the call did not start.
    ///
    /// # Errors
    /// `io` when the output takes nothing.
    pub fn refused(mut self, error: &ToolError) -> Result<(), ToolError> {
        let facts = Facts {
            is_hosts_error: true,
            ..Facts::NONE
        };
        self.end(false, Some(error), &facts)
    }

    fn item(
        &mut self,
        item: Option<&Result<Block<P>, ToolError>>,
        facts: &Facts,
    ) -> Result<(), ToolError> {
        match item {
            Some(Ok(block)) => self.block(block),
            Some(Err(error)) => self.end(true, Some(error), facts),
            None => self.end(true, None, facts),
        }
    }

    fn block(&mut self, block: &Block<P>) -> Result<(), ToolError> {
        let unwritable = |error: &dyn std::fmt::Display| {
            ToolError::new(
                lonis_schema::ErrorKind::Serialization,
                format!("a block cannot be written: {error}"),
            )
        };
        let content_hash = block.content_hash().map_err(|error| unwritable(&error))?;
        let text = serde_json::to_string(block).map_err(|error| unwritable(&error))?;
        let written = Json::parse(&text).map_err(|error| unwritable(&error))?;
        let masked = self.tool.without_secrets(written.clone());
        let line = Line {
            masked: masked != written,
            block: Some(masked),
            content_hash: Some(content_hash),
            end: None,
        };
        self.blocks += 1;
        self.write(&line)?;
        // Whoever follows the file sees a block as early as the caller does.
        self.out.flush().map_err(|error| not_written(&error))
    }

    fn end(
        &mut self,
        started: bool,
        error: Option<&ToolError>,
        facts: &Facts,
    ) -> Result<(), ToolError> {
        let outcome = serde_json::to_value(&facts.outcome).unwrap_or(Value::Null);
        let end = End {
            started,
            blocks: self.blocks,
            error: error.cloned(),
            is_hosts_error: facts.is_hosts_error,
            is_tools_error: facts.is_tools_error(),
            notes: facts.notes.clone(),
            diagnostics: facts.diagnostics.clone(),
            outcome: outcome.into(),
        };
        self.write(&Line {
            end: Some(Box::new(end)),
            ..Line::default()
        })?;
        self.out.flush().map_err(|error| not_written(&error))
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), ToolError> {
        let mut bytes = serde_json::to_vec(line).map_err(|error| not_written(&error.into()))?;
        bytes.push(b'\n');
        self.out
            .write_all(&bytes)
            .map_err(|error| not_written(&error))
    }
}

impl<P: BlockPayload> std::fmt::Debug for Recorder<P> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Recorder")
            .field("tool", &self.tool)
            .field("blocks", &self.blocks)
            .finish_non_exhaustive()
    }
}

/// What another source yields, written down.
struct Recorded<P> {
    source: Box<dyn BlockSource<P>>,
    recorder: Recorder<P>,
}

impl<P: BlockPayload> Recorded<P> {
    fn record(
        &mut self,
        item: Option<Result<Block<P>, ToolError>>,
    ) -> Option<Result<Block<P>, ToolError>> {
        match self.recorder.item(item.as_ref(), self.source.facts()) {
            Ok(()) => item,
            // The call's own error says more than that it could not be written down.
            Err(unwritten) => match item {
                Some(Err(error)) => Some(Err(error)),
                _ => Some(Err(unwritten)),
            },
        }
    }
}

impl<P: BlockPayload> BlockSource<P> for Recorded<P> {
    fn next(&mut self) -> Option<Result<Block<P>, ToolError>> {
        let item = self.source.next();
        self.record(item)
    }

    #[cfg(feature = "futures")]
    fn poll_next(
        &mut self,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Block<P>, ToolError>>> {
        self.source.poll_next(context).map(|item| self.record(item))
    }

    fn facts(&self) -> &Facts {
        self.source.facts()
    }
}
