//! One run of a program: its input, its limits, and who may end or watch it.

use std::fmt;

use crate::limits::Limits;

use super::cancel::CancelToken;
use super::failure::ProcessError;
use super::live::Live;
use super::outcome::Outcome;
use super::poll_loop;
use super::program::Program;
use super::running::Running;

/// A function that is given what the program writes to stderr, as it is read.
pub(crate) type StderrListener = Box<dyn FnMut(&[u8]) + Send>;

/// One run of a program, not yet started.
///
/// # Example
/// ```
/// use lonis_core::limits::{Bound, Limits};
/// use lonis_core::process::{Job, ProcessError, Program};
///
/// let sleeper = Program::new("sleep").with_args(["60"]);
/// let limits = Limits::new().with(Bound::TimeoutMillis, 50)?;
/// let captured = Job::new(&sleeper).with_limits(limits).run();
/// assert!(matches!(captured.failure, Some(ProcessError::Timeout { .. })));
/// # Ok::<(), lonis_core::limits::LimitError>(())
/// ```
pub struct Job {
    pub(crate) program: Program,
    pub(crate) input: Vec<u8>,
    pub(crate) limits: Limits,
    pub(crate) cancel: Option<CancelToken>,
    pub(crate) on_stderr: Option<StderrListener>,
}

impl Job {
    /// Creates a run without input, under the program's own limits.
    pub fn new(program: &Program) -> Self {
        Self {
            program: program.clone(),
            input: Vec::new(),
            limits: *program.limits(),
            cancel: None,
            on_stderr: None,
        }
    }

    /// Sets what is written to the program's stdin, which is closed after it.
    pub fn with_stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Sets limits of this run; what is not set in them the program's own say.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits.over(self.program.limits());
        self
    }

    /// Lets a token end this run.
    pub fn with_cancel(mut self, token: CancelToken) -> Self {
        self.cancel = Some(token);
        self
    }

    /// Gives what the program writes to stderr to a function as it is read, in the thread that drives the call.
    pub fn on_stderr(mut self, listener: impl FnMut(&[u8]) + Send + 'static) -> Self {
        self.on_stderr = Some(Box::new(listener));
        self
    }

    /// Runs the program to its end in the calling thread and returns all it printed.
    pub fn run(self) -> Captured {
        let mut live = match Live::start(self, true) {
            Ok(live) => live,
            Err(error) => return Captured::refused(error),
        };
        let mut stdout = Vec::new();
        poll_loop::run(&mut live, &mut stdout);
        let failure = live.failure();
        let (outcome, stderr) = live.into_parts();
        Captured {
            stdout,
            stderr,
            failure,
            outcome,
        }
    }

    /// Starts the program and hands its output out as it is asked for.
    ///
    /// # Errors
    /// What keeps the program from being started; nothing is left of it then.
    pub fn start(self) -> Result<Running, ProcessError> {
        let live = Live::start(self, false)?;
        Ok(Running::new(live))
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Job")
            .field("program", &self.program)
            .field("input_bytes", &self.input.len())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Runs a program with this input, under its own limits, in the calling thread.
pub fn run(program: &Program, stdin: impl Into<Vec<u8>>) -> Captured {
    Job::new(program).with_stdin(stdin).run()
}

/// Everything that a run to its end gives.
///
/// # Example
/// ```
/// use lonis_core::process::{self, Program};
///
/// let captured = process::run(&Program::new("sh").with_args(["-c", "echo out; echo err >&2; exit 3"]), []);
/// assert_eq!(captured.stdout, b"out\n");
/// assert_eq!(captured.stderr, b"err\n");
/// assert_eq!(captured.outcome.status.map(|status| status.code()), Some(3));
/// assert!(captured.failure.is_none(), "a tool's own failure is a status");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Captured {
    /// What the program printed, up to its limit.
    pub stdout: Vec<u8>,
    /// What the program wrote to stderr, up to its limit.
    pub stderr: Vec<u8>,
    /// Why the program was not started or not left to end by itself.
    pub failure: Option<ProcessError>,
    /// What the run did and used.
    pub outcome: Outcome,
}

impl Captured {
    pub(crate) fn refused(error: ProcessError) -> Self {
        Self {
            stdout: Vec::new(),
            stderr: Vec::new(),
            failure: Some(error),
            outcome: Outcome::default(),
        }
    }

    /// Returns the whole unless the host ended or refused the run.
    ///
    /// # Errors
    /// The failure.
    pub fn into_result(mut self) -> Result<Self, ProcessError> {
        match self.failure.take() {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }
}
