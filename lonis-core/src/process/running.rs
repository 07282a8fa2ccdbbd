//! A call whose output is pulled: nothing is read before it is asked for, so a tool never runs far ahead.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustix::event::PollFlags;

use crate::limits::Bound;

use super::buffer::Buffer;
use super::clock::Moment;
use super::control::Control;
use super::failure::ProcessError;
use super::live::Live;
use super::machine::Cause;
use super::outcome::Outcome;
use super::owned::{Owned, Watch};
use super::poll_loop;
use super::supervisor::{self, Place};
use super::system_error::SystemError;
use super::traffic::{Output, Ready};

/// Bounds that hold also while nobody asks for output.
const HELD_BOUNDS: [Bound; 5] = [
    Bound::MaxWallMillis,
    Bound::MaxCpuMillis,
    Bound::MaxMemoryBytes,
    Bound::MaxProcesses,
    Bound::MaxPrivateBytes,
];

/// A started program whose stdout is handed out on request; dropping it ends the program and all that it started.
///
/// Between requests nothing is read, so a program that prints faster than it is read comes to rest, and no time is
/// counted against its limit.
///
/// # Example
/// ```
/// use lonis_core::process::{Job, Program};
///
/// let endless = Program::new("sh").with_args(["-c", "while echo y; do :; done"]);
/// let mut running = Job::new(&endless).start()?;
/// let chunk = running.next_chunk()?.expect("an endless program prints something");
/// assert!(chunk.starts_with(b"y\n"));
/// drop(running);
/// # Ok::<(), lonis_core::process::ProcessError>(())
/// ```
pub struct Running {
    owned: Owned,
    buffer: Buffer,
}

impl Running {
    pub(crate) fn new(live: Live) -> Result<Self, ProcessError> {
        let limits = live.limits();
        let is_bound = HELD_BOUNDS
            .into_iter()
            .any(|bound| limits.value(bound).is_some());
        let may_be_held = !live.is_without_pauses();
        let needs_watch = may_be_held && (is_bound || live.cancel().is_some());
        let mut running = Self {
            owned: Owned::new(live),
            buffer: Buffer::take(),
        };
        if needs_watch {
            // Without the supervisor nothing would hold the call while its consumer is elsewhere.
            running.owned.ensure_watch().map_err(ProcessError::System)?;
        }
        running.feed();
        Ok(running)
    }

    /// Writes what of the input fits, so that the tool can begin before its output is asked for.
    fn feed(&mut self) {
        let shared = Arc::clone(self.owned.live().shared());
        let mut control = shared.lock();
        if let Err(error) = self.owned.live_mut().traffic_mut().stdin.write() {
            control.blame(Cause::Broken(error));
        }
        control.machine_mut().clock_mut().pause(Moment::now());
        drop(control);
        self.let_go();
    }

    /// Waits for more output and returns it; `None` once the program has ended by itself and all was handed out.
    ///
    /// # Errors
    /// What ended the program, after everything that was read before it. Asked again, the answer is the same.
    pub fn next_chunk(&mut self) -> Result<Option<&[u8]>, ProcessError> {
        let count = self.fetch(&mut Output::HandOut);
        self.answer(count)
    }

    /// Takes what output is there, without waiting for more: a task that gets none is woken by the next event.
    ///
    /// `None` comes once the program has ended by itself and all was handed out. A task that drops the call while it
    /// waits ends the program.
    ///
    /// # Errors
    /// As [`Running::next_chunk`].
    pub fn poll_chunk(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<&[u8]>, ProcessError>> {
        match self.poll_fetch(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(count) => Poll::Ready(self.answer(count)),
        }
    }

    /// Gives a program whose output is of no use any more the drain grace to end by itself.
    ///
    /// What it prints meanwhile is still handed out; after the grace it is ended.
    pub fn abandon(&mut self) {
        let shared = self.owned.live().shared();
        shared.lock().machine_mut().abandon(Moment::now());
    }

    /// Ends the program with the next request, which then waits for that end.
    pub fn condemn(&mut self) {
        self.owned.live().shared().lock().blame(Cause::Dropped);
    }

    /// Waits for the end of a program whose output is of no use any more, and throws away what it still prints.
    ///
    /// With `patience` it gets the drain grace to end by itself first, since a program that says why it fails explains
    /// more than what it printed before.
    pub fn give_up(&mut self, patience: bool) {
        if patience {
            self.abandon();
        } else {
            self.condemn();
        }
        self.fetch(&mut Output::Discard);
    }

    /// Returns whether the program has ended and the host did nothing about it.
    pub fn ended_by_itself(&self) -> bool {
        self.owned
            .live()
            .finished()
            .is_some_and(|finished| finished.by_itself)
    }

    /// Returns what was read from stderr so far.
    pub fn stderr(&self) -> &[u8] {
        self.owned.live().traffic().captured_stderr()
    }

    /// Returns the record of the run, once it is over.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.owned
            .live()
            .finished()
            .map(|finished| &finished.outcome)
    }

    /// Returns what ended the program, once it is over and unless it ended by itself.
    pub fn failure(&self) -> Option<ProcessError> {
        self.owned.live().finished()?.failure.clone()
    }

    fn answer(&self, count: usize) -> Result<Option<&[u8]>, ProcessError> {
        match self.failure() {
            _ if count > 0 => Ok(Some(&self.buffer[..count])),
            Some(error) => Err(error),
            None => Ok(None),
        }
    }

    /// Drives the call until there is something to hand out or nothing left to do.
    fn fetch(&mut self, output: &mut Output<'_>) -> usize {
        let live = self.owned.live_mut();
        if live.finished().is_none() {
            poll_loop::drive(live, Ready::ALL, output, &mut self.buffer, None);
            self.let_go();
        }
        self.owned.live_mut().traffic_mut().take_handed()
    }

    /// Leaves the call to the supervisor until the next request.
    fn let_go(&self) {
        if let Some(watch) = self.owned.watch()
            && self.owned.live().shared().was_missed()
        {
            watch.supervisor.look(watch.number);
        }
    }

    fn poll_fetch(&mut self, context: &mut Context<'_>) -> Poll<usize> {
        if self.owned.live().finished().is_some() {
            return Poll::Ready(self.owned.live_mut().traffic_mut().take_handed());
        }
        self.owned.never_block();
        let shared = Arc::clone(self.owned.live().shared());
        let watch = match self.owned.ensure_watch() {
            Ok(watch) => watch,
            Err(error) => {
                // Nobody would wake the task, so the call is ended here and now.
                shared.lock().blame(Cause::Broken(error));
                return Poll::Ready(self.fetch(&mut Output::HandOut));
            }
        };
        let mut control = shared.lock();
        let now = Moment::now();
        control.end_wait(now);
        control.machine_mut().clock_mut().resume(now);
        self.take_what_is_there(&mut control);
        let live = self.owned.live();
        if live.finished().is_some() || live.traffic().handed() > 0 {
            control.machine_mut().clock_mut().pause(Moment::now());
            // The supervisor carries out an end: a poll does not wait for one.
            let is_left = control.machine().is_ending();
            if let Some(leftover) = control.take_leftover() {
                supervisor::clear_away(leftover);
            }
            drop(control);
            if is_left || shared.was_missed() {
                watch.supervisor.look(watch.number);
            }
            return Poll::Ready(self.owned.live_mut().traffic_mut().take_handed());
        }
        control.begin_wait();
        if let Err(error) = arm(live, &control, &watch) {
            control.blame(Cause::Broken(error));
        }
        drop(control);
        watch
            .supervisor
            .wake_at_event(watch.number, context.waker().clone());
        Poll::Pending
    }

    fn take_what_is_there(&mut self, control: &mut Control) {
        let output = &mut Output::HandOut;
        let live = self.owned.live_mut();
        if control.machine().is_over() {
            live.read_remains(control, output, &mut self.buffer);
        } else {
            live.step(control, Ready::ALL, output, &mut self.buffer);
        }
        live.traffic_mut().tell();
    }
}

/// Has the next event of each descriptor reported to the supervisor.
fn arm(live: &Live, control: &Control, watch: &Watch) -> Result<(), SystemError> {
    let wants = live.wants(control)?;
    for (place, wanted) in [
        (Place::Stdin, wants.stdin.map(|pipe| (pipe, PollFlags::OUT))),
        (
            Place::Stdout,
            wants.stdout.map(|pipe| (pipe, PollFlags::IN)),
        ),
        (
            Place::Stderr,
            wants.stderr.map(|pipe| (pipe, PollFlags::IN)),
        ),
        (Place::Event, wants.event),
    ] {
        if let Some((descriptor, flags)) = wanted {
            watch
                .supervisor
                .arm(watch.number, place, descriptor, flags)?;
        }
    }
    Ok(())
}

impl fmt::Debug for Running {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let finished = self.owned.live().finished();
        formatter
            .debug_struct("Running")
            .field("finished", &finished)
            .finish_non_exhaustive()
    }
}
