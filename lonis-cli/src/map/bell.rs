//! Who has to be looked at: calls ring when they have something, and the thread that drives them waits for a ring.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

/// The calls that rang, and a pipe that can be waited for beside other descriptors.
#[derive(Debug)]
pub(super) struct Bell {
    rung: Mutex<Vec<u64>>,
    reader: PipeReader,
    writer: PipeWriter,
}

impl Bell {
    pub(super) fn new() -> io::Result<Arc<Self>> {
        let (reader, writer) = io::pipe()?;
        Ok(Arc::new(Self {
            rung: Mutex::default(),
            reader,
            writer,
        }))
    }

    /// Makes the waker of a call.
    pub(super) fn waker(self: &Arc<Self>, index: u64) -> Waker {
        Waker::from(Arc::new(Rope {
            bell: Arc::clone(self),
            index,
        }))
    }

    /// Notes a call that has to be looked at.
    pub(super) fn ring(&self, index: u64) {
        let mut rung = self.rung();
        rung.push(index);
        // One byte says that the list is not empty, so that the pipe never fills.
        if rung.len() == 1 {
            // The reader lives as long as the writer: there is nobody to be missing.
            let _ = (&self.writer).write_all(b"!");
        }
    }

    /// Takes the calls that rang, each once.
    pub(super) fn take(&self) -> Vec<u64> {
        let mut rung = self.rung();
        if rung.is_empty() {
            return Vec::new();
        }
        // The byte that was written for them; it is there already, so that this does not wait.
        let _ = (&self.reader).read(&mut [0]);
        let mut rung = std::mem::take(&mut *rung);
        rung.sort_unstable();
        rung.dedup();
        rung
    }

    fn rung(&self) -> MutexGuard<'_, Vec<u64>> {
        // A list of numbers is whole at every moment.
        self.rung.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsFd for Bell {
    /// Readable while somebody rang.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }
}

struct Rope {
    bell: Arc<Bell>,
    index: u64,
}

impl Wake for Rope {
    fn wake(self: Arc<Self>) {
        self.bell.ring(self.index);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.bell.ring(self.index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_rang_is_taken_once_and_the_pipe_is_readable_meanwhile() {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let bell = Bell::new().unwrap();
        let is_readable = || {
            let mut polled = [PollFd::new(&*bell, PollFlags::IN)];
            poll(&mut polled, Some(&Timespec::default())).unwrap() == 1
        };
        assert!(!is_readable() && bell.take().is_empty());
        for _ in 0..100_000 {
            bell.waker(2).wake_by_ref();
        }
        bell.waker(1).wake();
        assert!(is_readable());
        assert_eq!(bell.take(), [1, 2]);
        assert!(!is_readable() && bell.take().is_empty());
    }
}
