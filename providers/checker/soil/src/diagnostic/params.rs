//! The facts of a diagnostic in the shape of its code.

use crate::source::{FileId, Span};

/// The facts of one diagnostic; a code that is not named in any variant has none.
#[derive(Clone, Debug, PartialEq)]
pub enum Params {
    /// `type-mismatch`.
    Mismatch(MismatchParams),
    /// `effect-violation`.
    Effect(EffectParams),
    /// `unknown-…`, `ambiguous-…`, `private-cross-module`.
    Names(NameParams),
    /// `non-exhaustive-match`.
    Match(MatchParams),
    /// `redundant-arm`.
    Redundant(RedundantParams),
    /// `limit-exceeded`.
    Limit(LimitParams),
    /// `check-incomplete`.
    Incomplete(IncompleteParams),
    /// `clause-vacuous`.
    Clause {
        /// The label of the clause.
        label: String,
        /// `never-evaluated`, `premise-never-true` or `never-false`.
        kind: String,
    },
}

/// Two types that had to be one and are not. Types are canonical text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MismatchParams {
    /// The type that the place asks for.
    pub expected: String,
    /// The type that is there.
    pub actual: String,
    /// The first part in which they differ.
    pub differs: Option<Difference>,
    /// The demands that met: from the outermost one to the place, and back to the origin of the other side.
    pub path: Vec<PathStep>,
    /// How many steps were left out.
    pub elided: usize,
    /// The call, when the number of arguments is the mistake.
    pub call: Option<ArityCall>,
}

/// The first unequal part of two types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where in the types it stands.
    pub at: String,
    /// The part of the expected type.
    pub expected: String,
    /// The part of the actual type.
    pub actual: String,
}

/// One demand on the way to a mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// Whose demand it is.
    pub side: Side,
    /// The text of the demand, when it is another one than the diagnostic's.
    pub file: Option<FileId>,
    /// The expression or type that makes it.
    pub span: Span,
    /// What makes it.
    pub why: Why,
}

/// One of the two types of a mismatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The type that the place asks for.
    Expected,
    /// The type that is there.
    Actual,
}

impl Side {
    /// Gives the word that stands in a document.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Expected => "expected",
            Self::Actual => "actual",
        }
    }
}

/// Why an expression has to have a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the word that stands in the document")]
pub enum Why {
    Signature,
    Annotation,
    Argument,
    Result,
    Branch,
    Condition,
    Operator,
    Pattern,
    Field,
    Literal,
    Binding,
    Recursion,
}

impl Why {
    /// Gives the word that stands in a document.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Signature => "signature",
            Self::Annotation => "annotation",
            Self::Argument => "argument",
            Self::Result => "result",
            Self::Branch => "branch",
            Self::Condition => "condition",
            Self::Operator => "operator",
            Self::Pattern => "pattern",
            Self::Field => "field",
            Self::Literal => "literal",
            Self::Binding => "binding",
            Self::Recursion => "recursion",
        }
    }
}

/// A call with too few or too many arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArityCall {
    /// The signature of the function, as canonical text.
    pub signature: String,
    /// The parameters that got an argument, by name or position.
    pub given: Vec<String>,
    /// The parameters that got none, by name or position.
    pub missing: Vec<String>,
}

/// An effect that its context does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectParams {
    /// The effect or row variable.
    pub effect: String,
    /// The row that the context declares, as canonical text.
    pub declared: String,
    /// From the context to the operation that performs it.
    pub chain: Vec<EffectStep>,
}

/// One call on the way to an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectStep {
    /// The callee as written, or `<expression>`.
    pub callee: String,
    /// The call.
    pub span: Span,
    /// The text of the call, when it is another one than the diagnostic's.
    pub file: Option<FileId>,
}

/// Names that could have been meant, at most three.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameParams {
    /// Those whose type fits at the place first, then by edit distance, nearest scope, bytes.
    pub candidates: Vec<Candidate>,
    /// Where the name exists without being visible.
    pub elsewhere: Option<String>,
}

/// One name that could have been meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The name as it would be written.
    pub name: String,
    /// Its type, as canonical text.
    pub ty: String,
    /// What it is.
    pub from: CandidateOrigin,
}

/// What an offered name or term is, in the order in which they are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is the word that stands in the document")]
pub enum CandidateOrigin {
    Local,
    Path,
    Constructor,
    Definition,
    Builtin,
    Type,
    Module,
    Search,
}

impl CandidateOrigin {
    /// Gives the word that stands in a document.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Path => "path",
            Self::Constructor => "constructor",
            Self::Definition => "definition",
            Self::Builtin => "builtin",
            Self::Type => "type",
            Self::Module => "module",
            Self::Search => "search",
        }
    }
}

/// The cases that a match lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchParams {
    /// Whole arms to paste, with holes as bodies.
    pub missing: Vec<String>,
}

/// The arms that cover a redundant one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedundantParams {
    /// Their patterns.
    pub covered_by: Vec<Span>,
}

/// A check that did not judge all that it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncompleteParams {
    /// How many definitions were judged.
    pub checked: u64,
    /// How many there are.
    pub total: u64,
    /// The bound that was reached, where one was.
    pub limit: Option<&'static str>,
}

/// A bound that was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitParams {
    /// The name of the bound.
    pub limit: &'static str,
    /// Its value.
    pub max: u64,
    /// What was seen, at least.
    pub seen: u64,
}
