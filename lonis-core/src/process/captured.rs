//! What a run to its end gives.

use super::failure::ProcessError;
use super::outcome::Outcome;

/// A function that is given what a run to its end gave.
pub(crate) type Done = Box<dyn FnOnce(Captured) + Send>;

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
