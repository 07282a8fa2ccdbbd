//! Reads a recorded call and plays it again, without the tool.

use std::io::BufRead;

use lonis_schema::{
    Block, BlockPayload, ContentHash, ErrorKind, Json, ToolContract, ToolError, ToolId,
};

use super::lines::{Asked, End, Line, Lines, MARKER};
use crate::stream::{BlockSource, BlockStream, Facts};

/// A call that was written down.
///
/// # Example
/// ```
/// use lonis_core::Recording;
///
/// let text = concat!(
///     r#"{"record":"lonis.record/v1","tool":"a:b","recorded_at":"2026-03-01T12:00:00Z","input":null,"#,
///     r#""input_hash":"74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"}"#, "\n",
///     r#"{"end":{"started":true,"blocks":0,"error":null,"is_hosts_error":false,"is_tools_error":false,"#,
///     r#""notes":[],"diagnostics":"","outcome":null}}"#, "\n",
/// );
/// let recording = Recording::read(text.as_bytes())?;
/// assert_eq!(recording.tool().as_str(), "a:b");
/// assert_eq!(recording.play::<lonis_schema::BlockKind>()??.count(), 0);
/// # Ok::<(), lonis_schema::ToolError>(())
/// ```
pub struct Recording {
    tool: ToolId,
    asked: Asked,
    contract: Option<ToolContract>,
    lines: Lines,
}

impl Recording {
    /// Reads what was asked; the blocks are read when they are pulled.
    ///
    /// # Errors
    /// `invalid_input` for a text that is no record, `io` when it cannot be read.
    pub fn read(source: impl BufRead + Send + 'static) -> Result<Self, ToolError> {
        let mut lines = Lines::new(Box::new(source));
        let Some(asked) = lines.next::<Asked>()? else {
            return Err(lines.wrong("is missing: it is empty"));
        };
        if asked.record != MARKER {
            let seen = asked.record.escape_debug();
            return Err(lines.wrong(&format!("is of `{seen}`, not of `{MARKER}`")));
        }
        let tool = ToolId::new(asked.tool.as_str())
            .map_err(|error| lines.wrong(&format!("names no tool: {error}")))?;
        if asked.masked.is_empty() && asked.input.content_hash() != asked.input_hash {
            return Err(lines.wrong("has an input of another hash"));
        }
        let contract = match &asked.contract {
            None => None,
            Some(contract) if asked.contract_hash != Some(contract.content_hash()) => {
                return Err(lines.wrong("has a contract of another hash"));
            }
            Some(contract) => Some(
                ToolContract::read(contract.text())
                    .map_err(|error| lines.wrong(&format!("has no contract: {error}")))?
                    .value,
            ),
        };
        Ok(Self {
            tool,
            asked,
            contract,
            lines,
        })
    }

    /// Returns the id of the tool that was called.
    pub fn tool(&self) -> &ToolId {
        &self.tool
    }

    /// Returns the input, without what was left out of it.
    pub fn input(&self) -> &Json {
        &self.asked.input
    }

    /// Returns the hash of the input as the tool was given it.
    pub fn input_hash(&self) -> &ContentHash {
        &self.asked.input_hash
    }

    /// Returns where in the input something was left out, as JSON Pointers.
    pub fn masked(&self) -> &[String] {
        &self.asked.masked
    }

    /// Returns the contract that the tool had.
    pub fn contract(&self) -> Option<&ToolContract> {
        self.contract.as_ref()
    }

    /// Returns when the call was made, in RFC 3339.
    pub fn recorded_at(&self) -> &str {
        &self.asked.recorded_at
    }

    /// Plays the call again: the same blocks, notes and error, and nothing is started.
    ///
    /// What is inside is what the start of the call gave: its stream, or why it did not begin. A record that is damaged
    /// further on ends the stream with `invalid_input`.
    ///
    /// # Errors
    /// `invalid_input` for a record that is damaged or ends here.
    pub fn play<P: BlockPayload>(self) -> Result<Result<BlockStream<P>, ToolError>, ToolError> {
        let mut played = Played {
            lines: self.lines,
            blocks: 0,
            next: None,
            facts: Facts::NONE,
        };
        let line = played
            .lines
            .next::<Line>()?
            .ok_or_else(|| played.lines.cut())?;
        match line.end {
            Some(end) if !end.started => {
                let unsaid = || {
                    played
                        .lines
                        .wrong("says nothing of a call that did not begin")
                };
                return end
                    .error
                    .map_or_else(|| Err(unsaid()), |error| Ok(Err(error)));
            }
            _ => played.next = Some(line),
        }
        Ok(Ok(BlockStream::from_source(Box::new(played))))
    }
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Recording")
            .field("tool", &self.tool)
            .field("recorded_at", &self.asked.recorded_at)
            .finish_non_exhaustive()
    }
}

/// The blocks of a record.
struct Played {
    lines: Lines,
    blocks: u64,
    /// The line that was looked at before the first block was asked for.
    next: Option<Line>,
    facts: Facts,
}

impl Played {
    fn step<P: BlockPayload>(&mut self) -> Result<Option<Block<P>>, ToolError> {
        let line = match self.next.take() {
            Some(line) => line,
            None => self.lines.next::<Line>()?.ok_or_else(|| self.lines.cut())?,
        };
        match line {
            Line {
                block: Some(block),
                content_hash,
                masked,
                end: None,
            } => {
                let read = Block::<P>::read(block.text())
                    .map_err(|error| self.lines.wrong(&format!("has no block: {error}")))?;
                if !masked && read.value.content_hash().ok() != content_hash {
                    return Err(self.lines.wrong("has a block of another hash"));
                }
                self.blocks += 1;
                Ok(Some(read.into_block()))
            }
            Line {
                block: None,
                end: Some(end),
                ..
            } => self.end(*end),
            _ => Err(self.lines.wrong("is neither a block nor an end")),
        }
    }

    fn end<P>(&mut self, end: End) -> Result<Option<Block<P>>, ToolError> {
        if end.blocks != self.blocks {
            let message = format!(
                "says that {} blocks came, and {} came before it",
                end.blocks, self.blocks
            );
            return Err(self.lines.wrong(&message));
        }
        self.facts = Facts {
            outcome: None,
            notes: end.notes,
            diagnostics: end.diagnostics,
            is_hosts_error: end.is_hosts_error,
            replayed_end: Some(end.is_tools_error),
        };
        end.error.map_or(Ok(None), Err)
    }
}

impl<P: BlockPayload> BlockSource<P> for Played {
    fn next(&mut self) -> Option<Result<Block<P>, ToolError>> {
        self.step().transpose()
    }

    #[cfg(feature = "futures")]
    fn poll_next(
        &mut self,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Block<P>, ToolError>>> {
        std::task::Poll::Ready(self.step().transpose())
    }

    fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// The error for an input of which something was left out, so that no tool can be given it.
pub(super) fn incomplete(masked: &[String]) -> ToolError {
    ToolError::new(
        ErrorKind::InvalidInput,
        format!(
            "the record leaves out `{}` of the input, so that its call cannot be made again",
            masked.join("`, `")
        ),
    )
}
