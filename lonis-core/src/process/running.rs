//! A call whose output is pulled: nothing is read before it is asked for, so a tool never runs far ahead.

use std::fmt;

use super::clock::Moment;
use super::failure::ProcessError;
use super::live::{Live, Output, Ready};
use super::machine::Cause;
use super::outcome::Outcome;
use super::poll_loop;

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
    live: Live,
}

impl Running {
    pub(crate) fn new(live: Live) -> Self {
        let mut running = Self { live };
        running.hold();
        running
    }

    /// Waits for more output and returns it; `None` once the program has ended by itself and all was handed out.
    ///
    /// # Errors
    /// What ended the program, after everything that was read before it. Asked again, the answer is the same.
    pub fn next_chunk(&mut self) -> Result<Option<&[u8]>, ProcessError> {
        let count = self.fetch(&mut Output::HandOut);
        if count > 0 {
            return Ok(Some(&self.live.buffer()[..count]));
        }
        match self.live.failure() {
            Some(error) => Err(error),
            None => Ok(None),
        }
    }

    /// Gives a program whose output is of no use any more the drain grace to end by itself.
    ///
    /// What it prints meanwhile is still handed out; after the grace it is ended.
    pub fn abandon(&mut self) {
        let now = Moment::now();
        self.live.control_mut().machine_mut().abandon(now);
    }

    /// Ends a program whose output is of no use any more, and returns the record.
    ///
    /// With `patience` it gets the drain grace to end by itself first, since a program that says why it fails explains
    /// more than what it printed before.
    pub fn give_up(&mut self, patience: bool) -> &Outcome {
        let now = Moment::now();
        let machine = self.live.control_mut().machine_mut();
        machine.clock_mut().resume(now);
        if patience {
            machine.abandon(now);
        } else {
            machine.blame(Cause::Dropped);
        }
        self.fetch(&mut Output::Discard);
        self.live.outcome()
    }

    /// Returns whether the program has ended and the host did nothing about it.
    pub fn ended_by_itself(&self) -> bool {
        self.live.is_over() && self.live.ended_by_itself()
    }

    /// Returns what was read from stderr so far.
    pub fn stderr(&self) -> &[u8] {
        self.live.stderr()
    }

    /// Returns the record of the run, once it is over.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.live.is_over().then(|| self.live.outcome())
    }

    /// Returns what ended the program, once it is over and unless it ended by itself.
    pub fn failure(&self) -> Option<ProcessError> {
        self.live.is_over().then(|| self.live.failure()).flatten()
    }

    /// Drives the call until there is something to hand out or nothing left to do.
    fn fetch(&mut self, output: &mut Output<'_>) -> usize {
        if self.live.is_over() {
            return 0;
        }
        self.live
            .control_mut()
            .machine_mut()
            .clock_mut()
            .resume(Moment::now());
        self.live.step(Ready::ALL_AND_EXIT, output);
        let mut count = self.live.take_handed();
        // A decided end is carried out before anything is handed out: the caller may never come back.
        while !self.live.is_over() && (count == 0 || self.live.is_condemned()) {
            let ready = poll_loop::wait_or_blame(&mut self.live);
            let mut discard = Output::Discard;
            self.live
                .step(ready, if count == 0 { output } else { &mut discard });
            count = count.max(self.live.take_handed());
        }
        self.hold();
        count
    }

    fn hold(&mut self) {
        self.live
            .control_mut()
            .machine_mut()
            .clock_mut()
            .pause(Moment::now());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.live.is_over() {
            let machine = self.live.control_mut().machine_mut();
            machine.forgo_grace(Moment::now());
            machine.blame(Cause::Dropped);
            self.fetch(&mut Output::Discard);
        }
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Running")
            .field("over", &self.live.is_over())
            .field("outcome", self.live.outcome())
            .finish_non_exhaustive()
    }
}
