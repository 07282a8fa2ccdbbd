//! A refusal by the system, with the operation that was refused.

use std::fmt;
use std::io;

/// What the system refused, and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemError {
    operation: &'static str,
    errno: i32,
}

impl SystemError {
    pub(crate) const fn new(operation: &'static str, errno: i32) -> Self {
        Self { operation, errno }
    }

    pub(crate) fn of(operation: &'static str, error: rustix::io::Errno) -> Self {
        Self::new(operation, error.raw_os_error())
    }

    /// Returns the operation that was refused, as a verb phrase such as `create a pipe`.
    pub const fn operation(&self) -> &'static str {
        self.operation
    }

    /// Returns the system's error number.
    pub const fn errno(&self) -> i32 {
        self.errno
    }
}

impl fmt::Display for SystemError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answer = io::Error::from_raw_os_error(self.errno);
        write!(formatter, "cannot {}: {answer}", self.operation)
    }
}

impl std::error::Error for SystemError {}
