//! What ends a run early.

use std::fmt;

use thiserror::Error;

use crate::diagnostic::Code;
use crate::values::Exhausted;

/// What kind of error was raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is named as documents name it")]
pub enum RaiseKind {
    Overflow,
    DivideByZero,
    IndexOutOfBounds,
    Panic,
    TypeError,
    DecodeError,
    DerivationError,
    Internal,
    RequiresViolation,
    EnsuresViolation,
    GuardError,
    FuelExhausted,
    MemoryExhausted,
    DepthExhausted,
}

impl RaiseKind {
    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::Overflow,
        Self::DivideByZero,
        Self::IndexOutOfBounds,
        Self::Panic,
        Self::TypeError,
        Self::DecodeError,
        Self::DerivationError,
        Self::Internal,
        Self::RequiresViolation,
        Self::EnsuresViolation,
        Self::GuardError,
        Self::FuelExhausted,
        Self::MemoryExhausted,
        Self::DepthExhausted,
    ];

    /// Gives the name that stands in a document.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Overflow => "overflow",
            Self::DivideByZero => "divide-by-zero",
            Self::IndexOutOfBounds => "index-out-of-bounds",
            Self::Panic => "panic",
            Self::TypeError => "type-error",
            Self::DecodeError => "decode-error",
            Self::DerivationError => "derivation-error",
            Self::Internal => "internal",
            Self::RequiresViolation => "requires-violation",
            Self::EnsuresViolation => "ensures-violation",
            Self::GuardError => "guard-error",
            Self::FuelExhausted => "fuel-exhausted",
            Self::MemoryExhausted => "memory-exhausted",
            Self::DepthExhausted => "depth-exhausted",
        }
    }

    /// Says whether a case that expects a panic is satisfied.
    pub const fn is_panic(self) -> bool {
        matches!(
            self,
            Self::Overflow | Self::DivideByZero | Self::IndexOutOfBounds | Self::Panic
        )
    }

    /// Says whether a bound of the run was reached.
    pub const fn is_exhaustion(self) -> bool {
        matches!(
            self,
            Self::FuelExhausted | Self::MemoryExhausted | Self::DepthExhausted
        )
    }

    /// Gives the code of the diagnostic about it.
    pub const fn code(self) -> Code {
        match self {
            Self::RequiresViolation | Self::GuardError => Code::GuardRequires,
            Self::EnsuresViolation => Code::GuardEnsures,
            Self::FuelExhausted => Code::FuelExhausted,
            Self::MemoryExhausted => Code::MemoryExhausted,
            Self::DepthExhausted => Code::DepthExhausted,
            _ => Code::RuntimePanic,
        }
    }
}

impl From<Exhausted> for RaiseKind {
    fn from(exhausted: Exhausted) -> Self {
        match exhausted {
            Exhausted::Fuel => Self::FuelExhausted,
            Exhausted::Memory => Self::MemoryExhausted,
            Exhausted::Depth => Self::DepthExhausted,
        }
    }
}

impl fmt::Display for RaiseKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

/// Who broke a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The definition that called, as `module::name`; none when the call came from outside.
    Caller(Option<String>),
    /// The definition itself.
    Callee(String),
}

/// An error that ended a run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}: {message}")]
pub struct Raised {
    /// What kind of error it is.
    pub kind: RaiseKind,
    /// What happened.
    pub message: String,
    /// The calls that were waiting, `module::name`, outermost first; of many, 32 at each end.
    pub trace: Vec<String>,
    /// The label of the clause that was broken or could not be evaluated.
    pub label: Option<String>,
    /// Who broke it.
    pub blame: Option<Blame>,
    /// Whether the clause stands among the ensures.
    pub in_ensures: bool,
}

impl Raised {
    /// Gives the code of the diagnostic about it.
    pub const fn code(&self) -> Code {
        match self.kind {
            RaiseKind::GuardError if self.in_ensures => Code::GuardEnsures,
            kind => kind.code(),
        }
    }
}

/// An error before anyone knows where it happened; one word, so that results of steps stay in registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault(Box<FaultParts>);

/// What is known of an error before its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FaultParts {
    pub(crate) kind: RaiseKind,
    pub(crate) message: String,
}

impl Fault {
    #[cold]
    pub(crate) fn new(kind: RaiseKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(FaultParts { kind, message }))
    }

    pub(crate) fn into_parts(self) -> FaultParts {
        *self.0
    }

    /// An error that a checked program cannot raise.
    #[cold]
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(RaiseKind::Internal, message)
    }
}

impl From<Exhausted> for Fault {
    #[cold]
    fn from(exhausted: Exhausted) -> Self {
        Self::new(exhausted.into(), exhausted.to_string())
    }
}
