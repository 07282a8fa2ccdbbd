//! The bytes of one call: what goes in, what comes out, and how much of it is kept.

use super::control::Control;
use super::job::StderrListener;
use super::machine::Cause;
use super::pipes::{Feed, Moved, Source, Stream, Transferred};
use super::system_error::SystemError;

/// Bytes that are read at a time when they are only to be thrown away.
const SCRATCH_BYTES: usize = 8_192;

/// Which of the things waited for has happened.
#[expect(
    clippy::struct_excessive_bools,
    reason = "one for each thing that is waited for, in any combination"
)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ready {
    pub(crate) stdin: bool,
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
    /// The leader's exit, or the end of what escaped its group.
    pub(crate) event: bool,
}

impl Ready {
    /// Before the first wait: the pipes are tried.
    pub(crate) const PIPES: Self = Self {
        stdin: true,
        stdout: true,
        stderr: true,
        event: false,
    };

    /// Before a wait for a call that has run meanwhile: everything is tried.
    pub(crate) const ALL: Self = Self {
        event: true,
        ..Self::PIPES
    };
}

/// Where stdout goes.
pub(crate) enum Output<'a> {
    /// Appended to a buffer, as much as comes.
    Collect(&'a mut Vec<u8>),
    /// Left in the read buffer, one read at a time, for the caller to look at.
    HandOut,
    /// Counted and thrown away.
    Discard,
}

/// Our ends of the three pipes, and what came through them.
pub(crate) struct Traffic {
    pub(crate) stdin: Feed,
    pub(crate) stdout: Source,
    pub(crate) stderr: Source,
    captured_stderr: Vec<u8>,
    on_stderr: Option<StderrListener>,
    /// Bytes of stderr that the listener was told of.
    told: usize,
    /// Bytes at the start of the read buffer that were read for the caller and not looked at yet.
    handed: usize,
}

impl Traffic {
    pub(crate) fn new(
        stdin: Feed,
        stdout: Source,
        stderr: Source,
        on_stderr: Option<StderrListener>,
    ) -> Self {
        Self {
            stdin,
            stdout,
            stderr,
            captured_stderr: Vec::new(),
            on_stderr,
            told: 0,
            handed: 0,
        }
    }

    /// Moves what can be moved: one transfer on each ready pipe.
    pub(crate) fn transfer(
        &mut self,
        ready: Ready,
        output: &mut Output<'_>,
        buffer: &mut [u8],
        control: &mut Control,
    ) -> Result<(), SystemError> {
        if control.machine().is_condemned() {
            self.discard(ready);
            return Ok(());
        }
        if ready.stdin {
            self.stdin.write()?;
        }
        if ready.stderr {
            self.read_stderr(buffer, control)?;
        }
        if ready.stdout {
            self.read_stdout(output, buffer, control)?;
        }
        Ok(())
    }

    /// Reads what is left, until the pipes would block or something is there for the caller to look at.
    pub(crate) fn read_until_dry(
        &mut self,
        output: &mut Output<'_>,
        buffer: &mut [u8],
        control: &mut Control,
    ) -> Result<(), SystemError> {
        while matches!(self.read_stderr(buffer, control)?, Moved::Bytes(_)) {}
        while matches!(self.read_stdout(output, buffer, control)?, Moved::Bytes(_)) {}
        Ok(())
    }

    /// Reads from now on only what is in the pipes already.
    pub(crate) fn only_what_is_there(&mut self) {
        self.stdout.only_what_is_there();
        self.stderr.only_what_is_there();
    }

    /// Returns how many bytes at the start of the buffer are for the caller to look at.
    pub(crate) fn handed(&self) -> usize {
        self.handed
    }

    /// Takes the bytes at the start of the buffer, which may be overwritten from the next step on.
    pub(crate) fn take_handed(&mut self) -> usize {
        std::mem::take(&mut self.handed)
    }

    /// Returns what was read from stderr.
    pub(crate) fn captured_stderr(&self) -> &[u8] {
        &self.captured_stderr
    }

    /// Takes what was read from stderr.
    pub(crate) fn into_captured_stderr(self) -> Vec<u8> {
        self.captured_stderr
    }

    /// Tells the listener what was read from stderr since the last time.
    pub(crate) fn tell(&mut self) {
        let untold = &self.captured_stderr[self.told..];
        if let Some(listener) = self.on_stderr.as_mut().filter(|_| !untold.is_empty()) {
            self.told = self.captured_stderr.len();
            listener(untold);
        }
    }

    /// Closes our ends and returns what went through them.
    pub(crate) fn close(&mut self) -> Transferred {
        let still_open = [
            (&self.stdout, Stream::Stdout),
            (&self.stderr, Stream::Stderr),
        ];
        let still_open = still_open
            .into_iter()
            .filter(|(source, _)| source.pipe().is_some());
        let transferred = Transferred {
            stdin_bytes: self.stdin.written(),
            stdout_bytes: self.stdout.total(),
            stderr_bytes: self.stderr.total(),
            still_open: still_open.map(|(_, stream)| stream).collect(),
        };
        self.stdin.close();
        self.stdout.close();
        self.stderr.close();
        transferred
    }

    fn read_stdout(
        &mut self,
        output: &mut Output<'_>,
        buffer: &mut [u8],
        control: &mut Control,
    ) -> Result<Moved, SystemError> {
        // What was read for the caller stays in the buffer until the caller has looked at it.
        if self.handed > 0 || self.stdout.is_over_limit() {
            return Ok(Moved::Blocked);
        }
        let moved = match output {
            Output::Collect(bytes) => self.stdout.append(bytes, buffer)?,
            Output::HandOut | Output::Discard => self.stdout.read(buffer)?,
        };
        match moved {
            Moved::Bytes(count) => {
                let excess = excess(&self.stdout, Stream::Stdout, control);
                match output {
                    Output::Collect(bytes) => bytes.truncate(bytes.len() - excess),
                    Output::HandOut => self.handed = count - excess,
                    Output::Discard => {}
                }
            }
            Moved::Ended => control.stream_ended(Stream::Stdout),
            Moved::Blocked => {}
        }
        Ok(moved)
    }

    fn read_stderr(
        &mut self,
        buffer: &mut [u8],
        control: &mut Control,
    ) -> Result<Moved, SystemError> {
        if self.stderr.is_over_limit() {
            return Ok(Moved::Blocked);
        }
        // The start of the buffer may hold what the caller has not looked at yet.
        let room = &mut buffer[self.handed..];
        let moved = self.stderr.read(room)?;
        match moved {
            Moved::Bytes(count) => {
                let kept = count - excess(&self.stderr, Stream::Stderr, control);
                self.captured_stderr.extend_from_slice(&room[..kept]);
            }
            Moved::Ended => control.stream_ended(Stream::Stderr),
            Moved::Blocked => {}
        }
        Ok(moved)
    }

    fn discard(&mut self, ready: Ready) {
        let mut scratch = [0; SCRATCH_BYTES];
        self.stdin.close();
        if ready.stdout {
            self.stdout.discard(&mut scratch);
        }
        if ready.stderr {
            self.stderr.discard(&mut scratch);
        }
    }
}

/// Returns how much of the last read is over the limit, and blames the stream for it.
fn excess(source: &Source, stream: Stream, control: &mut Control) -> usize {
    if !source.is_over_limit() {
        return 0;
    }
    control.blame(Cause::Output(stream));
    // A read asks for at most one byte more than is left.
    1
}
