//! Whether a tool's program is there at all.

use std::fmt;

use crate::process::{Program, Unavailable, UnavailableReason};

/// Whether a tool's program can be started on this machine, as far as a look tells.
///
/// A tool that is known may still be absent; a call of one fails with `unavailable` before anything is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// The program is there and may be executed.
    Ready,
    /// There is no such program.
    Missing {
        /// What was looked for, and where.
        reason: String,
    },
    /// There is something of that name, and it is no program that can be executed.
    NotExecutable {
        /// What it is.
        reason: String,
    },
}

impl Availability {
    /// Looks for a program as a start would.
    pub fn of(program: &Program) -> Self {
        match program.resolve() {
            Ok(_) => Self::Ready,
            Err(unavailable) => Self::from(&unavailable),
        }
    }

    /// Returns whether the program can be started.
    pub fn is_ready(&self) -> bool {
        *self == Self::Ready
    }
}

impl From<&Unavailable> for Availability {
    fn from(unavailable: &Unavailable) -> Self {
        let reason = unavailable.to_string();
        match unavailable.reason {
            UnavailableReason::NotFound { .. } | UnavailableReason::NotOnPath => {
                Self::Missing { reason }
            }
            _ => Self::NotExecutable { reason },
        }
    }
}

impl fmt::Display for Availability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready => formatter.write_str("ready"),
            Self::Missing { reason } => write!(formatter, "missing: {reason}"),
            Self::NotExecutable { reason } => write!(formatter, "not executable: {reason}"),
        }
    }
}
