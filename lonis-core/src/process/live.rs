//! One call under way: its child, its pipes and its machine, moved by whoever waits for it.
//!
//! The driver, a poll loop or the supervisor, waits for [`Live::wants`] and tells [`Live::step`] what is ready. A step
//! does in this order: one transfer on each ready pipe, a look for the leader's exit, the clock, and only then whatever
//! a deadline asks for.

use std::os::fd::BorrowedFd;

use rustix::event::PollFlags;

use crate::limits::Bound;

use super::buffer::Buffer;
use super::cancel::CancelToken;
use super::clock::Moment;
use super::control::Control;
use super::failure::ProcessError;
use super::job::{Job, StderrListener};
use super::machine::Cause;
use super::outcome::Outcome;
use super::pipes::{Feed, Moved, Source, Stream};
use super::start::{self, Begun};
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
    pub(crate) exit: bool,
}

impl Ready {
    /// Before the first wait: everything is tried.
    pub(crate) const ALL: Self = Self {
        stdin: true,
        stdout: true,
        stderr: true,
        exit: false,
    };

    /// Before a wait for a call that has run meanwhile.
    pub(crate) const ALL_AND_EXIT: Self = Self {
        exit: true,
        ..Self::ALL
    };
}

/// What a driver has to wait for.
pub(crate) struct Wants<'a> {
    pub(crate) stdin: Option<BorrowedFd<'a>>,
    pub(crate) stdout: Option<BorrowedFd<'a>>,
    pub(crate) stderr: Option<BorrowedFd<'a>>,
    /// The leader's exit, or the end of what escaped its group.
    pub(crate) event: Option<(BorrowedFd<'a>, PollFlags)>,
    pub(crate) cancel: Option<BorrowedFd<'a>>,
    pub(crate) until: Option<Moment>,
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

/// A call from its spawn to its reap.
pub(crate) struct Live {
    control: Control,
    stdin: Feed,
    stdout: Source,
    stderr: Source,
    captured_stderr: Vec<u8>,
    on_stderr: Option<StderrListener>,
    cancel: Option<CancelToken>,
    buffer: Buffer,
    /// Bytes at the start of the buffer that were read for the caller and not looked at yet.
    handed: usize,
    limits: crate::limits::Limits,
}

impl Live {
    /// Starts a call; with `tied` its leader ends when the calling thread does.
    pub(crate) fn start(job: Job, tied: bool) -> Result<Self, ProcessError> {
        let Begun { control, pipes } = start::begin(&job, tied)?;
        let limit = |bound| job.limits.value(bound).unwrap_or(u64::MAX);
        Ok(Self {
            control,
            stdin: Feed::new(pipes.stdin, job.input),
            stdout: Source::new(pipes.stdout, limit(Bound::MaxStdoutBytes)),
            stderr: Source::new(pipes.stderr, limit(Bound::MaxStderrBytes)),
            captured_stderr: Vec::new(),
            on_stderr: job.on_stderr,
            cancel: job.cancel,
            buffer: Buffer::take(),
            handed: 0,
            limits: job.limits,
        })
    }

    /// Returns what to wait for before the next step.
    pub(crate) fn wants(&self) -> Result<Wants<'_>, SystemError> {
        let machine = self.control.machine();
        let cancel = match &self.cancel {
            Some(token) if machine.cause().is_none() => Some(token.event()?),
            _ => None,
        };
        Ok(Wants {
            stdin: self.stdin.pipe(),
            stdout: self.stdout.pipe(),
            stderr: self.stderr.pipe(),
            event: self.control.event(),
            cancel,
            until: self.control.next_moment(),
        })
    }

    /// Returns whether nothing is left to do.
    pub(crate) fn is_over(&self) -> bool {
        self.control.machine().is_over()
    }

    /// Returns whether nothing was decided about the end of the call.
    pub(crate) fn ended_by_itself(&self) -> bool {
        self.control.machine().cause().is_none()
    }

    /// Returns whether the end was decided by us.
    pub(crate) fn is_condemned(&self) -> bool {
        self.control.machine().is_condemned()
    }

    /// Returns the call's shared part.
    pub(crate) fn control_mut(&mut self) -> &mut Control {
        &mut self.control
    }

    /// Takes the bytes that the last steps read for the caller.
    pub(crate) fn take_handed(&mut self) -> usize {
        std::mem::take(&mut self.handed)
    }

    /// Returns the read buffer.
    pub(crate) fn buffer(&self) -> &[u8] {
        &self.buffer
    }

    /// Returns what was read from stderr.
    pub(crate) fn stderr(&self) -> &[u8] {
        &self.captured_stderr
    }

    /// Does everything that can be done now.
    pub(crate) fn step(&mut self, ready: Ready, output: &mut Output<'_>) {
        if let Err(error) = self.transfer(ready, output) {
            self.control.blame(Cause::Broken(error));
        }
        let now = Moment::now();
        let machine = self.control.machine();
        let look = !machine.has_exited() && (ready.exit || machine.is_due(now));
        if look {
            self.control.look_for_exit();
        }
        if self.control.machine().has_exited() && !self.control.machine().is_condemned() {
            let due = self.control.machine().is_due(now);
            if due {
                self.stdout.only_what_is_there();
                self.stderr.only_what_is_there();
            }
            if let Err(error) = self.read_until_dry(output) {
                self.control.blame(Cause::Broken(error));
            }
            // There may be more to hand out, and only the end of it is cut.
            if due && self.handed > 0 {
                return;
            }
        }
        self.control.sample(now);
        if self.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
            self.control.blame(Cause::Cancelled);
        }
        self.control.proceed(Moment::now());
        if self.is_over() {
            self.close();
        }
    }

    /// Notes that a part of stdout that the caller put together is longer than allowed.
    pub(crate) fn blame(&mut self, cause: Cause) {
        self.control.blame(cause);
    }

    fn transfer(&mut self, ready: Ready, output: &mut Output<'_>) -> Result<(), SystemError> {
        if self.control.machine().is_condemned() {
            self.discard(ready);
            return Ok(());
        }
        if ready.stdin {
            self.stdin.write()?;
        }
        if ready.stderr {
            self.read_stderr()?;
        }
        if ready.stdout {
            self.read_stdout(output)?;
        }
        Ok(())
    }

    /// Reads what is left after the exit, so that nothing is judged before it was seen.
    fn read_until_dry(&mut self, output: &mut Output<'_>) -> Result<(), SystemError> {
        while matches!(self.read_stderr()?, Moved::Bytes(_)) {}
        while matches!(self.read_stdout(output)?, Moved::Bytes(_)) {
            if self.handed > 0 {
                break;
            }
        }
        Ok(())
    }

    fn read_stdout(&mut self, output: &mut Output<'_>) -> Result<Moved, SystemError> {
        // What was read for the caller stays in the buffer until the caller has looked at it.
        if self.handed > 0 || self.stdout.is_over_limit() {
            return Ok(Moved::Blocked);
        }
        let moved = self.stdout.read(&mut self.buffer)?;
        match moved {
            Moved::Bytes(count) => {
                let kept = count - self.excess(Stream::Stdout);
                match output {
                    Output::Collect(bytes) => bytes.extend_from_slice(&self.buffer[..kept]),
                    Output::HandOut => self.handed = kept,
                    Output::Discard => {}
                }
            }
            Moved::Ended => self.control.stream_ended(Stream::Stdout),
            Moved::Blocked => {}
        }
        Ok(moved)
    }

    fn read_stderr(&mut self) -> Result<Moved, SystemError> {
        if self.stderr.is_over_limit() {
            return Ok(Moved::Blocked);
        }
        // The start of the buffer may hold what the caller has not looked at yet.
        let room = &mut self.buffer[self.handed..];
        let moved = self.stderr.read(room)?;
        match moved {
            Moved::Bytes(count) => {
                let excess = self.excess(Stream::Stderr);
                let bytes = &self.buffer[self.handed..][..count - excess];
                self.captured_stderr.extend_from_slice(bytes);
                if let Some(listener) = &mut self.on_stderr {
                    listener(bytes);
                }
            }
            Moved::Ended => self.control.stream_ended(Stream::Stderr),
            Moved::Blocked => {}
        }
        Ok(moved)
    }

    /// Returns how much of the last read is over the limit, and blames the stream for it.
    fn excess(&mut self, stream: Stream) -> usize {
        let source = match stream {
            Stream::Stdout => &self.stdout,
            Stream::Stderr => &self.stderr,
        };
        if !source.is_over_limit() {
            return 0;
        }
        self.control.blame(Cause::Output(stream));
        // A read asks for at most one byte more than is left.
        1
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

    fn close(&mut self) {
        self.control
            .note_traffic(&self.stdin, &self.stdout, &self.stderr);
        self.stdin.close();
        self.stderr.close();
        self.stdout.close();
    }

    /// Returns why the call did not end by itself.
    pub(crate) fn failure(&self) -> Option<ProcessError> {
        self.control.failure(&self.limits)
    }

    /// Returns the record of the call, complete once it is over.
    pub(crate) fn outcome(&self) -> &Outcome {
        self.control.outcome()
    }

    /// Takes the call apart once it is over.
    pub(crate) fn into_parts(self) -> (Outcome, Vec<u8>) {
        (self.control.into_outcome(), self.captured_stderr)
    }
}
