//! The three pipes of a call: made close-on-exec, our ends not blocking, every byte counted.

use std::fmt;
use std::io::ErrorKind;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use super::input::Input;
use super::system_error::SystemError;

/// An output that is longer than this is read to where it stays; a copy of less costs nothing beside a call.
const LONG_BYTES: usize = 65_536;

/// One of the two outputs of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Stream {
    /// Returns the word of errors and outcomes.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

/// Our ends and the child's ends of the pipes of one call.
pub(crate) struct Pipes {
    pub(crate) ours: Ends,
    pub(crate) theirs: Ends,
}

/// One end of each pipe.
pub(crate) struct Ends {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

impl Pipes {
    /// Makes the pipes of one call.
    pub(crate) fn new() -> Result<Self, SystemError> {
        let (their_stdin, stdin) = pipe()?;
        let (stdout, their_stdout) = pipe()?;
        let (stderr, their_stderr) = pipe()?;
        for end in [&stdin, &stdout, &stderr] {
            set_nonblocking(end)?;
        }
        Ok(Self {
            ours: Ends {
                stdin,
                stdout,
                stderr,
            },
            theirs: Ends {
                stdin: their_stdin,
                stdout: their_stdout,
                stderr: their_stderr,
            },
        })
    }
}

fn pipe() -> Result<(OwnedFd, OwnedFd), SystemError> {
    pipe_with(PipeFlags::CLOEXEC).map_err(|error| SystemError::of("create a pipe", error))
}

fn set_nonblocking(end: &OwnedFd) -> Result<(), SystemError> {
    // Only our end: the two ends of a pipe are two open files, and the tool's must block as programs expect. A new pipe
    // has no other flag that can be set.
    fcntl_setfl(end, OFlags::NONBLOCK).map_err(|error| SystemError::of("set up a pipe", error))
}

/// What went through the pipes of a call.
#[derive(Debug)]
pub(crate) struct Transferred {
    pub(crate) stdin_bytes: u64,
    pub(crate) stdout_bytes: u64,
    pub(crate) stderr_bytes: u64,
    /// The streams that somebody still held open when our ends were closed.
    pub(crate) still_open: Vec<Stream>,
}

/// What one attempt to move bytes gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
    /// This many bytes, at least one.
    Bytes(usize),
    /// The pipe would block.
    Blocked,
    /// The pipe has ended.
    Ended,
}

/// Our end of stdin before the tool is started, with as much of the input as an empty pipe takes.
///
/// A tool that finds its input, and mostly the end of it, as it starts never has to be woken for it.
pub(crate) struct Primed {
    pipe: Option<OwnedFd>,
    written: usize,
}

impl Primed {
    /// Writes while both ends are still ours: nobody can have closed the other one.
    pub(crate) fn new(pipe: OwnedFd, input: &[u8]) -> Result<Self, SystemError> {
        let mut written = 0;
        while written < input.len() {
            match rustix::io::write(&pipe, &input[written..]) {
                Ok(count) => written += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(SystemError::of("write the input", error)),
            }
        }
        let pipe = (written < input.len()).then_some(pipe);
        Ok(Self { pipe, written })
    }

    /// Writes nothing, and keeps the end of the input back too, for a tool that is limited only after its start.
    pub(crate) fn held_back(pipe: OwnedFd) -> Self {
        Self {
            pipe: Some(pipe),
            written: 0,
        }
    }
}

/// The input that is still to be written.
pub(crate) struct Feed {
    pipe: Option<OwnedFd>,
    input: Input,
    written: usize,
}

impl Feed {
    /// Goes on with the input where its first part went into the pipe.
    pub(crate) fn new(primed: Primed, input: Input) -> Self {
        let Primed { pipe, written } = primed;
        let pipe = pipe.filter(|_| written < input.len());
        Self {
            input: if pipe.is_some() {
                input
            } else {
                Input::default()
            },
            pipe,
            written,
        }
    }

    /// Returns the pipe while there is something to write to it.
    pub(crate) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Returns how many bytes the tool's pipe has taken.
    pub(crate) fn written(&self) -> u64 {
        self.written as u64
    }

    /// Writes what fits; the pipe is closed once all is written or the tool has closed its end.
    pub(crate) fn write(&mut self) -> Result<(), SystemError> {
        while let Some(pipe) = &self.pipe {
            match lonis_spawn::write_without_sigpipe(pipe.as_fd(), &self.input[self.written..]) {
                Ok(count) => {
                    self.written += count;
                    if self.written == self.input.len() {
                        self.close();
                    }
                }
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::WouldBlock => break,
                    // Input that is not wanted is no fault: the tool is judged by its status and output.
                    ErrorKind::BrokenPipe => self.close(),
                    _ => {
                        let errno = error.raw_os_error().unwrap_or(0);
                        return Err(SystemError::new("write the input", errno));
                    }
                },
            }
        }
        Ok(())
    }

    /// Closes the pipe, whatever is left.
    pub(crate) fn close(&mut self) {
        self.pipe = None;
        self.input = Input::default();
    }
}

/// One output pipe with its limit.
pub(crate) struct Source {
    pipe: Option<OwnedFd>,
    limit: u64,
    total: u64,
    /// What may still be read when nothing new is waited for any more.
    remaining: Option<u64>,
}

impl Source {
    pub(crate) fn new(pipe: OwnedFd, limit: u64) -> Self {
        Self {
            pipe: Some(pipe),
            limit,
            total: 0,
            remaining: None,
        }
    }

    /// Reads from now on only what is in the pipe already, so that a writer that never stops cannot hold up an end.
    pub(crate) fn only_what_is_there(&mut self) {
        if let (Some(pipe), None) = (&self.pipe, self.remaining) {
            self.remaining = Some(rustix::io::ioctl_fionread(pipe).unwrap_or(0));
        }
    }

    /// Returns the pipe until it has ended or was closed.
    pub(crate) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Returns how many bytes were read.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Returns whether more was read than is allowed.
    pub(crate) fn is_over_limit(&self) -> bool {
        self.total > self.limit
    }

    /// Reads once, at most one byte more than is allowed, so that exactly the limit can be told from more.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<Moved, SystemError> {
        let Some(pipe) = &self.pipe else {
            return Ok(Moved::Ended);
        };
        let room = self.room().min(buffer.len());
        if room == 0 {
            return Ok(Moved::Blocked);
        }
        let moved = moved(|| rustix::io::read(pipe, &mut buffer[..room]))?;
        self.count(moved);
        Ok(moved)
    }

    /// Reads once, as [`Source::read`] does, and appends what came to a text.
    pub(crate) fn append(
        &mut self,
        text: &mut Vec<u8>,
        buffer: &mut [u8],
    ) -> Result<Moved, SystemError> {
        let is_long = text.len() >= LONG_BYTES;
        if is_long {
            text.reserve(buffer.len());
        }
        match &self.pipe {
            // Only where the room that the text has is no more than may be read.
            Some(pipe) if is_long && text.capacity() - text.len() <= self.room() => {
                let moved = moved(|| rustix::io::read(pipe, spare_capacity(text)))?;
                self.count(moved);
                Ok(moved)
            }
            _ => {
                let moved = self.read(buffer)?;
                if let Moved::Bytes(count) = moved {
                    text.extend_from_slice(&buffer[..count]);
                }
                Ok(moved)
            }
        }
    }

    /// Returns how many bytes may still be read: one more than is allowed, or no more than is there already.
    fn room(&self) -> usize {
        let left = self.limit.saturating_add(1).saturating_sub(self.total);
        let left = left.min(self.remaining.unwrap_or(u64::MAX));
        usize::try_from(left).unwrap_or(usize::MAX)
    }

    fn count(&mut self, moved: Moved) {
        match moved {
            Moved::Bytes(count) => {
                self.total += count as u64;
                self.remaining = self.remaining.map(|left| left.saturating_sub(count as u64));
            }
            Moved::Ended => self.close(),
            Moved::Blocked => {}
        }
    }

    /// Reads once and forgets the bytes: the call is being ended, and a writer must not be kept from noticing.
    pub(crate) fn discard(&mut self, scratch: &mut [u8]) {
        let Some(pipe) = &self.pipe else { return };
        if !matches!(
            moved(|| rustix::io::read(pipe, &mut *scratch)),
            Ok(Moved::Bytes(_) | Moved::Blocked)
        ) {
            self.close();
        }
    }

    /// Closes our end.
    pub(crate) fn close(&mut self) {
        self.pipe = None;
    }
}

/// Says what a read moved, once it was not interrupted.
fn moved(mut read: impl FnMut() -> rustix::io::Result<usize>) -> Result<Moved, SystemError> {
    loop {
        return match read() {
            Ok(0) => Ok(Moved::Ended),
            Ok(count) => Ok(Moved::Bytes(count)),
            Err(Errno::INTR) => continue,
            Err(Errno::AGAIN) => Ok(Moved::Blocked),
            Err(error) => Err(SystemError::of("read the output", error)),
        };
    }
}
