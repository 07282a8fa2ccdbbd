//! Writing to stdout and stderr, unbuffered or in pieces.

use std::io::{self, Write};
use std::os::fd::BorrowedFd;

use crate::options::Failure;

/// A pipe of the tool, written to without any buffer between, and without a descriptor of its own: a mode may have used
/// up all of them.
#[derive(Debug)]
pub(crate) struct Output {
    pipe: Pipe,
    chunk: usize,
}

#[derive(Debug)]
struct Pipe(BorrowedFd<'static>);

impl Output {
    /// Stdout; each write is split into pieces of so many bytes, 0 meaning whole writes.
    pub(crate) fn stdout(chunk: u64) -> Result<Self, Failure> {
        Self::open(rustix::stdio::stdout(), chunk)
    }

    /// Stderr, likewise.
    pub(crate) fn stderr(chunk: u64) -> Result<Self, Failure> {
        Self::open(rustix::stdio::stderr(), chunk)
    }

    fn open(pipe: BorrowedFd<'static>, chunk: u64) -> Result<Self, Failure> {
        let chunk = usize::try_from(chunk)
            .map_err(|_| Failure::Usage(format!("`chunk` {chunk} is no size of this machine")))?;
        Ok(Self {
            pipe: Pipe(pipe),
            chunk,
        })
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        let bytes = bytes.as_ref();
        if self.chunk == 0 {
            return self.pipe.write_all(bytes);
        }
        bytes
            .chunks(self.chunk)
            .try_for_each(|piece| self.pipe.write_all(piece))
    }

    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        self.send(format!("{text}\n"))
    }

    /// Writes `total` bytes that `fill` makes, 64 KiB at a time; `u64::MAX` never ends.
    pub(crate) fn flood(&mut self, fill: &[u8], total: u64) -> io::Result<()> {
        let piece: Vec<u8> = fill
            .iter()
            .copied()
            .cycle()
            .take(fill.len() * (65_536 / fill.len()).max(1))
            .collect();
        let mut left = total;
        while left > 0 {
            let count = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
            self.send(&piece[..count])?;
            left -= count as u64;
        }
        Ok(())
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(self.0, bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
