//! A stream for asynchronous hosts: the same blocks, pulled by polls instead of waits.
//!
//! It names no executor and forwards nothing by itself: not polling holds the tool back, dropping ends it.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use lonis_schema::{Block, BlockPayload, ToolError};

use super::BlockStream;

/// The blocks of one running call as a `futures_core::Stream`.
#[derive(Debug)]
pub struct AsyncBlockStream<P> {
    inner: BlockStream<P>,
}

impl<P: BlockPayload> BlockStream<P> {
    /// Turns the stream into an asynchronous one, with the same bound and the same end.
    pub fn into_async(self) -> AsyncBlockStream<P> {
        AsyncBlockStream { inner: self }
    }
}

impl<P: BlockPayload> AsyncBlockStream<P> {
    /// Returns the stream that is polled, for what is known about its call.
    pub fn get_ref(&self) -> &BlockStream<P> {
        &self.inner
    }
}

impl<P: BlockPayload> Stream for AsyncBlockStream<P> {
    type Item = Result<Block<P>, ToolError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let inner = &mut self.inner;
        if let Some(error) = inner.cancelled() {
            return Poll::Ready(Some(Err(error)));
        }
        if inner.ended {
            return Poll::Ready(None);
        }
        let polled = inner.source.poll_next(context);
        if let Poll::Ready(item) = &polled {
            inner.ended = !matches!(item, Some(Ok(_)));
        }
        polled
    }
}
