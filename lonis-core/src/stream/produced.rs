//! A stream whose blocks come from a thread of this process, through a bounded channel.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded};
use lonis_schema::{Block, BlockPayload, ErrorKind, ToolError};
use thiserror::Error;

use super::source::{BlockSource, Iterated};

/// Takes the blocks of [`BlockStream::produce`](crate::BlockStream::produce) to the stream.
pub struct Emitter<P> {
    blocks: Sender<Block<P>>,
    link: Arc<Link>,
}

impl<P: BlockPayload> Emitter<P> {
    /// Hands a block to the stream, waiting while it is full.
    ///
    /// # Errors
    /// [`Stopped`] once the stream has been dropped. It turns into a `ToolError` by `?`.
    pub fn emit(&self, block: Block<P>) -> Result<(), Stopped> {
        self.blocks.send(block).map_err(|_| Stopped)?;
        self.link.wake();
        Ok(())
    }

    /// Tells whether the stream has been dropped, for work that rarely emits.
    pub fn is_stopped(&self) -> bool {
        self.link.stopped.load(Ordering::Acquire)
    }
}

impl<P> fmt::Debug for Emitter<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Emitter").finish_non_exhaustive()
    }
}

/// Nobody reads the stream any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("nobody reads the stream any more")]
pub struct Stopped;

impl From<Stopped> for ToolError {
    fn from(stopped: Stopped) -> Self {
        Self::new(ErrorKind::Cancelled, stopped.to_string())
    }
}

/// What the two ends share beside the channel.
#[derive(Debug, Default)]
struct Link {
    stopped: AtomicBool,
    /// The task that found the channel empty.
    waiting: Mutex<Option<Waker>>,
}

impl Link {
    fn wake(&self) {
        let waiting = self
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(waker) = waiting {
            waker.wake();
        }
    }
}

struct Produced<P> {
    blocks: Receiver<Block<P>>,
    link: Arc<Link>,
    /// Joined at the end of the stream; a dropped stream leaves it to end at its next `emit`.
    thread: Option<JoinHandle<Result<(), ToolError>>>,
}

pub(super) fn start<P: BlockPayload>(
    capacity: usize,
    work: impl FnOnce(&Emitter<P>) -> Result<(), ToolError> + Send + 'static,
) -> Box<dyn BlockSource<P>> {
    let (sender, receiver) = bounded(capacity.max(1));
    let link = Arc::new(Link::default());
    let emitter = Emitter {
        blocks: sender,
        link: Arc::clone(&link),
    };
    let started = thread::Builder::new()
        .name("lonis-produce".to_owned())
        .spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| work(&emitter)))
                .unwrap_or_else(|payload| Err(panicked(&*payload)));
            let link = Arc::clone(&emitter.link);
            // The end is seen through the closed channel, so the sender goes before the waiting task is woken.
            drop(emitter);
            link.wake();
            result
        });
    match started {
        Ok(thread) => Box::new(Produced {
            blocks: receiver,
            link,
            thread: Some(thread),
        }),
        Err(error) => {
            let error = ToolError::new(
                ErrorKind::Io,
                format!("starting a thread for the tool failed: {error}"),
            );
            Box::new(Iterated::new(std::iter::once(Err(error))))
        }
    }
}

/// The error that a panic of a tool in this process is reported as.
pub(crate) fn panicked(payload: &(dyn std::any::Any + Send)) -> ToolError {
    let said = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    ToolError::new(
        ErrorKind::Internal,
        format!("the tool panicked: {}", said.unwrap_or("no message")),
    )
}

impl<P: BlockPayload> Produced<P> {
    /// Called once the channel is closed: the thread is at its last instruction.
    fn end(&mut self) -> Option<Result<Block<P>, ToolError>> {
        match self.thread.take()?.join() {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(Err(error)),
            Err(payload) => Some(Err(panicked(&*payload))),
        }
    }
}

impl<P: BlockPayload> BlockSource<P> for Produced<P> {
    fn next(&mut self) -> Option<Result<Block<P>, ToolError>> {
        match self.blocks.recv() {
            Ok(block) => Some(Ok(block)),
            Err(_) => self.end(),
        }
    }

    #[cfg(feature = "futures")]
    fn poll_next(
        &mut self,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Block<P>, ToolError>>> {
        use crossbeam_channel::TryRecvError;
        use std::task::Poll;

        // Looked at again after the waker is in place, so that a block sent in between is not slept through.
        for registered in [false, true] {
            match self.blocks.try_recv() {
                Ok(block) => return Poll::Ready(Some(Ok(block))),
                Err(TryRecvError::Disconnected) => return Poll::Ready(self.end()),
                Err(TryRecvError::Empty) if registered => return Poll::Pending,
                Err(TryRecvError::Empty) => {
                    let mut waiting = self
                        .link
                        .waiting
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner);
                    *waiting = Some(context.waker().clone());
                }
            }
        }
        Poll::Pending
    }
}

impl<P> Drop for Produced<P> {
    fn drop(&mut self) {
        self.link.stopped.store(true, Ordering::Release);
    }
}
