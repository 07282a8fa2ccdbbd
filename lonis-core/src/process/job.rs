//! One run of a program: its input, its limits, and who may end or watch it.

use std::fmt;

use crate::limits::Limits;

use super::cancel::CancelToken;
use super::input::Input;
use super::program::Program;

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
    pub(crate) input: Input,
    pub(crate) limits: Limits,
    pub(crate) cancel: Option<CancelToken>,
    pub(crate) on_stderr: Option<StderrListener>,
    pub(crate) tied_to_host: bool,
    pub(crate) without_pauses: bool,
}

impl Job {
    /// Creates a run without input, under the program's own limits.
    pub fn new(program: &Program) -> Self {
        Self::of(program.clone())
    }

    /// Creates a run of a program that nobody else needs.
    pub(crate) fn of(program: Program) -> Self {
        Self {
            limits: *program.limits(),
            program,
            input: Input::default(),
            cancel: None,
            on_stderr: None,
            tied_to_host: false,
            without_pauses: false,
        }
    }

    /// Sets what is written to the program's stdin, which is closed after it.
    pub fn with_stdin(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = Input::Own(input.into());
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

    /// Starts the program on a thread that lives as long as this process, so that it ends with this process.
    ///
    /// A call that runs to its end in the calling thread is tied to its host anyway. One whose output is handed out is
    /// not, since the tie would be to a thread that may end first.
    pub fn tied_to_host(mut self) -> Self {
        self.tied_to_host = true;
        self
    }
}

impl Job {
    /// Sets what is written to the program's stdin, as [`with_stdin`](Self::with_stdin) does.
    pub(crate) fn with_input(mut self, input: Input) -> Self {
        self.input = input;
        self
    }

    /// Promises that the output is asked for to its end without a pause: then nothing looks after the call meanwhile.
    pub(crate) fn without_pauses(mut self) -> Self {
        self.without_pauses = true;
        self
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
