//! Why a lock is refused.

use thiserror::Error;

use super::LOCK_FORMAT;
use crate::diagnostic::Code;
use crate::spec::SpecKind;

/// Why a lock is not read or not written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LockError {
    /// The text is no lock.
    #[error("{0}")]
    Malformed(String),
    /// The lock has another form.
    #[error("`lock_format` is {found}, {LOCK_FORMAT} is read")]
    Format {
        /// What the file says.
        found: u64,
    },
    /// A section does not fit the kind.
    #[error("a {} has no `{section}`", kind.text())]
    KindShape {
        /// The kind.
        kind: SpecKind,
        /// The section.
        section: &'static str,
    },
    /// It is accepted and was not tested.
    #[error("`{name}` is accepted, but {reason}")]
    AcceptedUntested {
        /// The definition.
        name: String,
        /// What is missing.
        reason: String,
    },
    /// It is compared with a definition that is not accepted.
    #[error("the oracle `{name}` is not accepted")]
    OracleUnaccepted {
        /// The definition.
        name: String,
    },
}

impl LockError {
    /// Gives the code that documents show.
    pub const fn code(&self) -> Code {
        match self {
            Self::Malformed(_) => Code::LockMalformed,
            Self::Format { .. } => Code::LockFormat,
            Self::KindShape { .. } => Code::LockKindShape,
            Self::AcceptedUntested { .. } => Code::LockAcceptedUntested,
            Self::OracleUnaccepted { .. } => Code::LockOracleUnaccepted,
        }
    }
}
