//! What a stream pulls its blocks from.

use lonis_schema::{Block, ToolError};

/// Something that yields the blocks of one call; the stream asks it for nothing more after an error or the end.
pub(crate) trait BlockSource<P>: Send {
    /// Waits for the next block.
    fn next(&mut self) -> Option<Result<Block<P>, ToolError>>;

    /// Takes the next block if it is there, else leaves the task's waker with whoever will have it.
    #[cfg(feature = "futures")]
    fn poll_next(
        &mut self,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Block<P>, ToolError>>>;
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
