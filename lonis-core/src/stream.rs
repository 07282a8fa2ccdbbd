//! The blocks of one call, pulled one by one.
//!
//! A stream owns what produces its blocks: dropping it ends the tool. It never buffers beyond the bound of its source
//! and never runs anything by itself. Where the blocks come from is a source of `stream/` for tools in this process,
//! or `subprocess.rs` for other people's programs.

use std::fmt;

use lonis_schema::{Block, BlockPayload, ErrorKind, RawBlock, ToolError};

use crate::process::{CancelToken, Outcome};

#[cfg(feature = "futures")]
mod async_bridge;
mod partial;
mod produced;
mod source;

#[cfg(feature = "futures")]
pub use async_bridge::AsyncBlockStream;
pub(crate) use produced::panicked;
pub use produced::{Emitter, Stopped};
use source::Iterated;
pub(crate) use source::{BlockSource, Facts};

/// The blocks of one running call, in order, then at most one error.
///
/// It is an iterator: an error is its last item, and after it or after the end it stays ended. Blocks delivered before
/// an error are kept. Not asking holds the tool back; dropping the stream ends it.
///
/// # Example
/// ```
/// use lonis_core::BlockStream;
/// use lonis_schema::{Attribution, Block, BlockKind};
/// use lonis_schema::kind::Message;
///
/// let block: Block<BlockKind> = Block::new(Attribution::new("acme:clock", "acme:clock"), Message { content: "tick".to_owned(), ..Message::default() }.into());
/// let stream = BlockStream::from_results(std::iter::repeat_n(block, 3).map(Ok));
/// assert_eq!(stream.count(), 3);
/// ```
pub struct BlockStream<P> {
    source: Box<dyn BlockSource<P>>,
    cancel: Option<CancelToken>,
    ended: bool,
    /// The text of a typed block that is lent to the consumer.
    lent: String,
}

impl<P: BlockPayload> BlockStream<P> {
    /// Makes a stream of what an iterator yields, pulled in the consumer's thread.
    ///
    /// The stream ends at the first error, whatever the iterator would yield after it.
    pub fn from_results(
        items: impl Iterator<Item = Result<Block<P>, ToolError>> + Send + 'static,
    ) -> Self {
        Self::from_source(Box::new(Iterated::new(items)))
    }

    /// Makes a stream of what `work` emits from a thread of its own.
    ///
    /// The thread is joined when the stream reaches its end. A stream that is dropped earlier does not wait for it:
    /// the next `emit` fails, and [`Emitter::is_stopped`] tells work that rarely emits. An error or a panic of `work`
    /// is the last item.
    ///
    /// # Units and bounds
    /// At most `capacity` blocks, and at least one, wait between the thread and the consumer; `emit` then blocks.
    ///
    /// # Example
    /// ```
    /// use lonis_core::BlockStream;
    /// use lonis_schema::{Attribution, Block, BlockKind};
    /// use lonis_schema::kind::Message;
    ///
    /// let stream = BlockStream::produce(1, |out| {
    ///     for tick in 0..3 {
    ///         let message = Message { content: format!("tick {tick}"), ..Message::default() };
    ///         out.emit(Block::new(Attribution::new("acme:clock", "acme:clock"), BlockKind::from(message)))?;
    ///     }
    ///     Ok(())
    /// });
    /// assert_eq!(stream.count(), 3);
    /// ```
    pub fn produce(
        capacity: usize,
        work: impl FnOnce(&Emitter<P>) -> Result<(), ToolError> + Send + 'static,
    ) -> Self {
        Self::from_source(produced::start(capacity, work))
    }

    /// Lets a token end the stream between two blocks, where what makes them does not look at it by itself.
    pub fn with_cancel(mut self, token: CancelToken) -> Self {
        self.cancel = Some(token);
        self
    }

    /// Waits for the next block and lends it, its payload not parsed where it comes from another program.
    ///
    /// It is the same stream as that of [`next`](Iterator::next), with the same end; both may be used in turn.
    pub fn next_raw(&mut self) -> Option<Result<RawBlock<'_>, ToolError>> {
        if let Some(error) = self.cancelled() {
            return Some(Err(error));
        }
        if self.ended {
            return None;
        }
        if self.source.lends_raw() {
            let item = self.source.next_raw();
            self.ended = !matches!(item, Some(Ok(_)));
            return item;
        }
        let item = self.source.next();
        self.ended = !matches!(item, Some(Ok(_)));
        let lent = item?.and_then(|block| {
            self.lent = serde_json::to_string(&block).map_err(|error| unwritable(&error))?;
            Ok(())
        });
        Some(lent.and_then(|()| {
            let read = RawBlock::read(&self.lent).map_err(|error| unwritable(&error))?;
            Ok(read.into_raw_block())
        }))
    }

    /// Pulls the stream to its end.
    ///
    /// # Errors
    /// The error that ends it. One of the host's own tells what came before it: `details.blocks`, their number, and
    /// `details.partial_blocks`, the first of them.
    pub fn collect_blocks(mut self) -> Result<Vec<Block<P>>, ToolError> {
        self.collect_remaining()
    }

    /// Pulls the stream to its end as [`collect_blocks`](Self::collect_blocks) does, and keeps what is known about it.
    ///
    /// # Errors
    /// As [`collect_blocks`](Self::collect_blocks).
    pub fn collect_remaining(&mut self) -> Result<Vec<Block<P>>, ToolError> {
        let mut blocks = Vec::new();
        for item in self.by_ref() {
            match item {
                Ok(block) => blocks.push(block),
                Err(error) if self.source.facts().is_hosts_error => {
                    return Err(partial::with_blocks(error, &blocks));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(blocks)
    }

    /// Returns what the call of another program did and used, once it is over.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.source.facts().outcome.as_ref()
    }

    /// Returns facts about the call that belong to no block, complete after the last item.
    pub fn notes(&self) -> &[String] {
        &self.source.facts().notes
    }

    /// Returns what the tool's program wrote to stderr before its own error.
    pub fn diagnostics(&self) -> &str {
        &self.source.facts().diagnostics
    }

    /// Returns whether the error that ended the stream is the host's, and not one that the tool wrote itself.
    pub fn failed_by_host(&self) -> bool {
        self.source.facts().is_hosts_error
    }

    /// Returns whether the call has come to its end, and its error, if it has one, is as its tool wrote it.
    pub fn failed_by_tool(&self) -> bool {
        self.source.facts().is_tools_error()
    }

    /// Returns whether this is a recorded call that has been played to its end.
    pub(crate) fn has_replayed_end(&self) -> bool {
        self.source.facts().replayed_end.is_some()
    }

    /// Puts another source in place of the one that it had.
    pub(crate) fn map_source(
        mut self,
        wrap: impl FnOnce(Box<dyn BlockSource<P>>) -> Box<dyn BlockSource<P>>,
    ) -> Self {
        self.source = wrap(self.source);
        self
    }

    pub(crate) fn from_source(source: Box<dyn BlockSource<P>>) -> Self {
        Self {
            source,
            cancel: None,
            ended: false,
            lent: String::new(),
        }
    }

    /// Ends the stream if its token says so.
    fn cancelled(&mut self) -> Option<ToolError> {
        if self.ended || !self.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
            return None;
        }
        self.ended = true;
        self.source = Box::new(Iterated::new(std::iter::empty()));
        Some(ToolError::new(
            ErrorKind::Cancelled,
            "the call was cancelled",
        ))
    }
}

impl<P: BlockPayload> Iterator for BlockStream<P> {
    type Item = Result<Block<P>, ToolError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.cancelled() {
            return Some(Err(error));
        }
        if self.ended {
            return None;
        }
        let item = self.source.next();
        self.ended = !matches!(item, Some(Ok(_)));
        item
    }
}

impl<P: BlockPayload> std::iter::FusedIterator for BlockStream<P> {}

fn unwritable(error: &dyn std::error::Error) -> ToolError {
    ToolError::new(
        ErrorKind::Serialization,
        format!("a block cannot be written: {error}"),
    )
}

impl<P> fmt::Debug for BlockStream<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("BlockStream")
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
