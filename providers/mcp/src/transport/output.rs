//! Frames to the client: written by a thread of their own, so that a client that does not read holds nobody up.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use serde_json::Value;

/// Above so many bytes that wait to be written, no further request is read; one answer more fits always.
const HIGH_BYTES: usize = 8 << 20;

/// The way to the client.
#[derive(Debug)]
pub(crate) struct Output {
    frames: Option<Sender<Vec<u8>>>,
    waiting: Arc<AtomicUsize>,
    ended: Receiver<()>,
    max_frame_bytes: usize,
}

/// What the writing thread has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// There is room again for answers.
    Room,
    /// The client has closed its end.
    Gone,
}

impl Output {
    /// Starts writing; `told` is called from the writing thread.
    pub(crate) fn begin(
        mut target: impl Write + Send + 'static,
        max_frame_bytes: usize,
        told: impl Fn(Written) + Send + 'static,
    ) -> io::Result<Self> {
        let (frames, queued) = unbounded::<Vec<u8>>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&waiting);
        let (end, ended) = bounded(1);
        // Ends when the sender is dropped or the client is gone; `finish` waits for it as long as the drain allows.
        thread::Builder::new()
            .name("output".into())
            .spawn(move || {
                for frame in queued {
                    let written = target.write_all(&frame).and_then(|()| target.flush());
                    if written.is_err() {
                        told(Written::Gone);
                        break;
                    }
                    let before = counted.fetch_sub(frame.len(), Ordering::SeqCst);
                    if before > HIGH_BYTES && before - frame.len() <= HIGH_BYTES {
                        told(Written::Room);
                    }
                }
                // Nobody listens once the process gave up on this thread.
                let _ = end.send(());
            })?;
        Ok(Self {
            frames: Some(frames),
            waiting,
            ended,
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

    /// Lets everything be written that was sent, until a moment.
    pub(crate) fn finish(&mut self, until: Instant) {
        self.frames = None;
        // A client that does not read by then never will, as far as we care.
        let _ = self.ended.recv_deadline(until);
    }
}

fn line_of(frame: &Value) -> Vec<u8> {
    let mut line = serde_json::to_vec(frame).expect("a value of JSON can be written");
    line.push(b'\n');
    line
}
