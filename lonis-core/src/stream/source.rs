//! What a stream pulls its blocks from.

use lonis_schema::{Block, RawBlock, ToolError};

use crate::process::Outcome;

/// Something that yields the blocks of one call; the stream asks it for nothing more after an error or the end.
pub(crate) trait BlockSource<P>: Send {
    /// Waits for the next block.
    fn next(&mut self) -> Option<Result<Block<P>, ToolError>>;

    /// Tells whether [`next_raw`](Self::next_raw) is to be used: the source has blocks as text.
    fn lends_raw(&self) -> bool {
        false
    }

    /// Waits for the next block and lends it, its payload not parsed.
    fn next_raw(&mut self) -> Option<Result<RawBlock<'_>, ToolError>> {
        None
    }

    /// Takes the next block if it is there, else leaves the task's waker with whoever will have it.
    #[cfg(feature = "futures")]
    fn poll_next(
        &mut self,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Block<P>, ToolError>>>;

    /// Returns what is known about the call beside its blocks, complete after the last of them.
    fn facts(&self) -> &Facts {
        static NONE: Facts = Facts::NONE;
        &NONE
    }
}

/// What is known about a call beside its blocks.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) outcome: Option<Outcome>,
    pub(crate) notes: Vec<String>,
    /// What the tool wrote to stderr before its own error.
    pub(crate) diagnostics: String,
    /// The error is the host's, and may be completed with more details.
    pub(crate) is_hosts_error: bool,
    /// The end of a recorded call was reached, and whether its error was the tool's own.
    pub(crate) replayed_end: Option<bool>,
}

impl Facts {
    pub(crate) const NONE: Self = Self {
        outcome: None,
        notes: Vec::new(),
        diagnostics: String::new(),
        is_hosts_error: false,
        replayed_end: None,
    };

    /// Tells whether the call has ended with an error that the tool wrote itself, if with any.
    pub(crate) fn is_tools_error(&self) -> bool {
        self.replayed_end
            .unwrap_or(self.outcome.is_some() && !self.is_hosts_error)
    }
}

/// Blocks of an iterator.
pub(crate) struct Iterated<I> {
    items: I,
}

impl<I> Iterated<I> {
    pub(crate) fn new(items: I) -> Self {
        Self { items }
    }
}

impl<P, I: Iterator<Item = Result<Block<P>, ToolError>> + Send> BlockSource<P> for Iterated<I> {
    fn next(&mut self) -> Option<Result<Block<P>, ToolError>> {
        self.items.next()
    }

    #[cfg(feature = "futures")]
    fn poll_next(
        &mut self,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Block<P>, ToolError>>> {
        std::task::Poll::Ready(self.items.next())
    }
}
