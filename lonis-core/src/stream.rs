//! The blocks of one call, pulled one by one.
//!
//! A stream owns what produces its blocks: dropping it ends the tool. It never buffers beyond the bound of its source
//! and never runs anything by itself. Where the blocks come from is a source of `stream/` for tools in this process,
//! or `subprocess.rs` for other people's programs.

use std::fmt;

use lonis_schema::{Block, BlockPayload, ToolError};

#[cfg(feature = "futures")]
mod async_bridge;
mod produced;
mod source;

#[cfg(feature = "futures")]
pub use async_bridge::AsyncBlockStream;
pub(crate) use produced::panicked;
pub use produced::{Emitter, Stopped};
pub(crate) use source::BlockSource;
use source::Iterated;

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
    ended: bool,
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

    pub(crate) fn from_source(source: Box<dyn BlockSource<P>>) -> Self {
        Self {
            source,
            ended: false,
        }
    }
}

impl<P: BlockPayload> Iterator for BlockStream<P> {
    type Item = Result<Block<P>, ToolError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let item = self.source.next();
        self.ended = !matches!(item, Some(Ok(_)));
        item
    }
}

impl<P: BlockPayload> std::iter::FusedIterator for BlockStream<P> {}

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
