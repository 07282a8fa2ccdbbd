//! The provider under test, and asking it one thing at a time.

use std::time::SystemTime;

use lonis::process::{Job, Outcome, ProcessError, Program, Status};

use super::observed::{Ending, Observed};

/// A provider that can be asked.
#[derive(Debug)]
pub(crate) struct Target {
    name: String,
    program: Program,
}

/// A piece of stdout, as it was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    /// Where in stdout it ends.
    pub(crate) end: usize,
    pub(crate) at: SystemTime,
}

impl Target {
    /// A provider that is started as this program, with its own first arguments in it.
    pub(crate) fn new(name: impl Into<String>, program: Program) -> Self {
        Self {
            name: name.into(),
            program,
        }
    }

    /// What the provider was called by.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Asks one question, with these words after `--mode MODE`.
    pub(crate) fn ask(&self, mode: &str, words: &[&str], stdin: &[u8]) -> Observed {
        let captured = self.job(mode, words, stdin).run();
        self.observed(
            captured.stdout,
            captured.stderr,
            captured.failure,
            &captured.outcome,
        )
    }

    /// Asks one question and notes when each piece of the answer came.
    pub(crate) fn watch(
        &self,
        mode: &str,
        words: &[&str],
        stdin: &[u8],
    ) -> (Observed, Vec<Arrival>) {
        let mut running = match self.job(mode, words, stdin).start() {
            Ok(running) => running,
            Err(error) => {
                return (
                    self.observed(Vec::new(), Vec::new(), Some(error), &Outcome::default()),
                    Vec::new(),
                );
            }
        };
        let (mut stdout, mut arrivals) = (Vec::new(), Vec::new());
        while let Ok(Some(chunk)) = running.next_chunk() {
            stdout.extend_from_slice(chunk);
            arrivals.push(Arrival {
                end: stdout.len(),
                at: SystemTime::now(),
            });
        }
        let outcome = running.outcome().cloned().unwrap_or_default();
        (
            self.observed(
                stdout,
                running.stderr().to_vec(),
                running.failure(),
                &outcome,
            ),
            arrivals,
        )
    }

    fn job(&self, mode: &str, words: &[&str], stdin: &[u8]) -> Job {
        let program = self
            .program
            .clone()
            .with_args(["--mode", mode])
            .with_args(words.iter().copied());
        Job::new(&program).with_stdin(stdin)
    }

    fn observed(
        &self,
        stdout: Vec<u8>,
        stderr: Vec<u8>,
        failure: Option<ProcessError>,
        outcome: &Outcome,
    ) -> Observed {
        let ending = match (failure, outcome.status) {
            (Some(failure), _) => Ending::Stopped(failure.to_string()),
            (None, Some(Status::Exited(code))) => Ending::Exited(code),
            (None, Some(Status::Signaled(number))) => Ending::Signaled(number),
            (None, None) => Ending::Stopped("how it ended is not known".to_owned()),
        };
        Observed {
            stdout: self.masked(stdout),
            stderr: self.masked(stderr),
            ending,
            outlived: outcome.descendants_ended,
        }
    }

    /// What was printed less the secrets of the registration, since a report quotes it.
    fn masked(&self, printed: Vec<u8>) -> Vec<u8> {
        match String::from_utf8(printed) {
            Ok(text) => self.program.masked(text).into_bytes(),
            Err(error) => error.into_bytes(),
        }
    }
}
