//! What is said of a definition.

use crate::source::Span;

/// Whether a definition is known to come to an end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Termination {
    /// Its row says that it may not.
    NotApplicable,
    /// It is not known.
    #[default]
    Unverified,
    /// It always does.
    Verified,
}

impl Termination {
    /// Gives the word that stands in a document.
    pub const fn text(self) -> &'static str {
        match self {
            Self::NotApplicable => "n/a",
            Self::Unverified => "unverified",
            Self::Verified => "verified",
        }
    }
}

/// What may raise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObligationKind {
    /// Arithmetic that may leave the range of its type.
    Overflow,
    /// A divisor that may be zero.
    DivZero,
    /// A call of something that may raise: the callee as written, or `<expression>`.
    CalleePanic(String),
}

/// A place at which a definition may raise, though its row does not say so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// What may raise.
    pub kind: ObligationKind,
    /// Where.
    pub span: Span,
    /// What raises within the lambdas behind a call, in the order of the text.
    pub sites: Vec<Site>,
}

/// An operation or a call within a lambda that may raise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// What may raise.
    pub kind: ObligationKind,
    /// Where.
    pub span: Span,
}
