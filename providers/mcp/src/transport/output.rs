//! Frames to the client: written by a thread of their own, so that a client that does not read holds nobody up.

use std::io::ErrorKind::BrokenPipe;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;

/// Above so many bytes that wait to be written, no further request is read; one answer more fits always.
const HIGH_BYTES: usize = 8 << 20;

/// How long a client's pipe may stay full at the end.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the end of the writing is looked for; it is told at once when it comes.
const LOOK: Duration = Duration::from_millis(50);
/// How long a client may take for what is left, however steadily it reads.
const LONGEST: Duration = Duration::from_mins(1);

/// The way to the client.
#[derive(Debug)]
pub(crate) struct Output {
    frames: Option<Sender<Vec<u8>>>,
    waiting: Arc<AtomicUsize>,
    ended: Receiver<Option<io::Error>>,
    /// The client's pipe, to be looked at.
    pipe: OwnedFd,
    max_frame_bytes: usize,
}

/// What the writing thread has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// There is room again for answers.
    Room,
    /// Nothing can be written any more.
    Gone,
}

impl Output {
    /// Starts writing; `told` is called from the writing thread.
    pub(crate) fn begin(
        mut target: impl Write + AsFd + Send + 'static,
        max_frame_bytes: usize,
        told: impl Fn(Written) + Send + 'static,
    ) -> io::Result<Self> {
        let pipe = target.as_fd().try_clone_to_owned()?;
        let (frames, queued) = unbounded::<Vec<u8>>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&waiting);
        let (end, ended) = bounded(1);
        // Ends when the sender is dropped or the client is gone; `finish` waits for it as long as the drain allows.
        thread::Builder::new()
            .name("output".into())
            .spawn(move || {
                let mut failure = None;
                for frame in queued {
                    let written = target.write_all(&frame).and_then(|()| target.flush());
                    if let Err(error) = written {
                        // A client may close its end whenever it wants; any other reason has lost what it waits for.
                        failure = Some(error).filter(|error| error.kind() != BrokenPipe);
                        told(Written::Gone);
                        break;
                    }
                    let before = counted.fetch_sub(frame.len(), Ordering::SeqCst);
                    if before > HIGH_BYTES && before - frame.len() <= HIGH_BYTES {
                        told(Written::Room);
                    }
                }
                // Nobody listens once the process gave up on this thread.
                let _ = end.send(failure);
            })?;
        Ok(Self {
            frames: Some(frames),
            waiting,
            ended,
            pipe,
            max_frame_bytes,
        })
    }

    /// Sends one frame.
    pub(crate) fn send(&self, frame: &Value) {
        self.send_line(line_of(frame));
    }

    /// Sends a frame unless it is longer than a frame may be, and returns whether it was sent.
    pub(crate) fn send_if_fits(&self, frame: &Value) -> bool {
        let line = line_of(frame);
        let fits = line.len() <= self.max_frame_bytes;
        if fits {
            self.send_line(line);
        }
        fits
    }

    fn send_line(&self, line: Vec<u8>) {
        let Some(frames) = &self.frames else { return };
        self.waiting.fetch_add(line.len(), Ordering::SeqCst);
        // A client that is gone reads nothing; the event loop is told by the writing thread.
        let _ = frames.send(line);
    }

    /// Whether a further request may be read.
    pub(crate) fn has_room(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) <= HIGH_BYTES
    }

    /// Lets everything be written that was sent, as long as the client takes it.
    ///
    /// A client that reads gets it all, however slowly this process runs; one whose pipe stays full beyond the moment, and
    /// for a while, never will.
    ///
    /// # Errors
    /// What kept something from being written, unless it was the client itself.
    pub(crate) fn finish(&mut self, until: Instant) -> io::Result<()> {
        self.frames = None;
        let began = Instant::now();
        let mut given_up = until.max(began + PATIENCE);
        loop {
            match self.ended.recv_timeout(LOOK) {
                Ok(failure) => return failure.map_or(Ok(()), Err),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Instant::now();
            if self.is_taking() {
                given_up = given_up.max(now + PATIENCE);
            }
            if now >= given_up || now >= began + LONGEST {
                return Ok(());
            }
        }
    }

    /// Whether the client's pipe has room.
    fn is_taking(&self) -> bool {
        let mut looked_at = [PollFd::new(&self.pipe, PollFlags::OUT)];
        // A pipe that cannot be looked at is as good as full: it is waited for no longer than any.
        let looked = poll(&mut looked_at, Some(&Timespec::default()));
        looked.is_ok() && looked_at[0].revents().contains(PollFlags::OUT)
    }
}

fn line_of(frame: &Value) -> Vec<u8> {
    let mut line = serde_json::to_vec(frame).expect("a value of JSON can be written");
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_client_that_reads_gets_everything_whenever_the_end_was_due() {
        let (mut reader, writer) = io::pipe().expect("a pipe can be made");
        let mut output = Output::begin(writer, 1 << 20, |_| {}).expect("a thread starts");
        let frame = json!({"text": "x".repeat(10_000)});
        for _ in 0..4 {
            output.send(&frame);
        }
        let reading = thread::spawn(move || {
            let mut text = String::new();
            reader.read_to_string(&mut text).expect("frames are text");
            text.lines().count()
        });
        let written = output.finish(Instant::now());
        written.expect("all was taken");
        drop(output);
        assert_eq!(reading.join().expect("it does not panic"), 4);
    }

    #[test]
    fn a_client_that_does_not_read_is_given_up() {
        let (_reader, writer) = io::pipe().expect("a pipe can be made");
        let mut output = Output::begin(writer, 1 << 20, |_| {}).expect("a thread starts");
        output.send(&json!({"text": "x".repeat(900_000)}));
        let written = output.finish(Instant::now());
        written.expect("the client's own doing");
        assert!(output.has_room());
    }
}
