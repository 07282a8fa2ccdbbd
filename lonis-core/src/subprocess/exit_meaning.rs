//! What an exit code of a plain CLI means.

use std::collections::BTreeMap;

use lonis_schema::{ErrorKind, exit_code};

use crate::process::Status;

/// What an exit code means, where it is not the usual: 0 for success, all else for failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExitMeaning {
    /// The call succeeded.
    Success,
    /// The call succeeded and found nothing: its last block is an `outcome` that says so.
    NoMatch,
    /// The call failed with an error of this kind.
    Error(ErrorKind),
}

/// The codes of one tool that mean something of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ExitCodes(BTreeMap<u8, ExitMeaning>);

/// How a child's end is to be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    Success,
    NoMatch(u8),
    /// A listed code: the error has this kind.
    Listed(ErrorKind, u8),
    /// A failure that only the child can explain.
    Failure(Status),
}

impl ExitCodes {
    pub(crate) fn set(&mut self, code: u8, meaning: ExitMeaning) {
        self.0.insert(code, meaning);
    }

    pub(crate) fn meaning(&self, status: Status) -> End {
        let Status::Exited(code) = status else {
            return End::Failure(status);
        };
        match self.0.get(&code) {
            Some(ExitMeaning::Success) => End::Success,
            Some(ExitMeaning::NoMatch) => End::NoMatch(code),
            Some(ExitMeaning::Error(kind)) => End::Listed(kind.clone(), code),
            None if code == exit_code::SUCCESS => End::Success,
            None => End::Failure(status),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_codes_come_before_the_usual_meaning() {
        let mut codes = ExitCodes::default();
        codes.set(1, ExitMeaning::NoMatch);
        codes.set(2, ExitMeaning::Error(ErrorKind::InvalidInput));
        codes.set(3, ExitMeaning::Success);
        codes.set(0, ExitMeaning::Error(ErrorKind::ToolFailed));
        for (status, end) in [
            (Status::Exited(0), End::Listed(ErrorKind::ToolFailed, 0)),
            (Status::Exited(1), End::NoMatch(1)),
            (Status::Exited(2), End::Listed(ErrorKind::InvalidInput, 2)),
            (Status::Exited(3), End::Success),
            (Status::Exited(4), End::Failure(Status::Exited(4))),
            (Status::Signaled(1), End::Failure(Status::Signaled(1))),
        ] {
            assert_eq!(codes.meaning(status), end);
        }
        assert_eq!(
            ExitCodes::default().meaning(Status::Exited(0)),
            End::Success
        );
    }
}
