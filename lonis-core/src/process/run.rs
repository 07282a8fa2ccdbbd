//! The two ways to run a job by itself: to its end, or with its output handed out.

use super::buffer::Buffer;
use super::captured::Captured;
use super::failure::ProcessError;
use super::job::Job;
use super::live::Live;
use super::owned::Owned;
use super::poll_loop;
use super::program::Program;
use super::running::Running;
use super::spawner;
use super::traffic::{Output, Ready};

/// Runs a program with this input, under its own limits, in the calling thread.
pub fn run(program: &Program, stdin: impl Into<Vec<u8>>) -> Captured {
    Job::new(program).with_stdin(stdin).run()
}

impl Job {
    /// Runs the program to its end in the calling thread and returns all it printed.
    pub fn run(self) -> Captured {
        let mut owned = match Live::start(self, true) {
            Ok(live) => Owned::new(live),
            Err(refused) => return Captured::refused(refused.error),
        };
        let mut stdout = Vec::new();
        let mut output = Output::Collect(&mut stdout);
        poll_loop::drive(
            owned.live_mut(),
            Ready::PIPES,
            &mut output,
            &mut Buffer::take(),
            None,
        );
        owned.into_captured(stdout)
    }

    /// Starts the program and hands its output out as it is asked for.
    ///
    /// # Errors
    /// What keeps the program from being started; nothing is left of it then.
    pub fn start(self) -> Result<Running, ProcessError> {
        let live = if self.tied_to_host {
            spawner::start(self)
        } else {
            Live::start(self, false)
        };
        Running::new(live.map_err(|refused| refused.error)?)
    }
}

impl Job {
    /// Starts the program tied to the calling thread, which has to stay until the program has ended.
    pub(crate) fn start_in_thread(self) -> Result<Running, ProcessError> {
        Running::new(Live::start(self, true).map_err(|refused| refused.error)?)
    }
}

#[cfg(test)]
mod tests;
