//! How a leader ended.

use super::super::signal;

/// How a tool ended by itself, or was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It exited with this code.
    Exited(u8),
    /// A signal of this number ended it.
    Signaled(i32),
}

impl Status {
    /// Returns whether the tool exited with code 0.
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Exited(0))
    }

    /// Returns the exit code as a shell counts it: 128 and the number for a signal.
    ///
    /// # Units and bounds
    /// 0 to 255.
    pub fn code(self) -> u8 {
        match self {
            Self::Exited(code) => code,
            Self::Signaled(number) => u8::try_from(128 + number).unwrap_or(u8::MAX),
        }
    }

    /// Returns the number of the signal that ended the tool.
    pub const fn signal(self) -> Option<i32> {
        match self {
            Self::Exited(_) => None,
            Self::Signaled(number) => Some(number),
        }
    }

    /// Returns the name of the signal that ended the tool, such as `SIGKILL`.
    pub fn signal_name(self) -> Option<&'static str> {
        signal::name(self.signal()?)
    }
}
