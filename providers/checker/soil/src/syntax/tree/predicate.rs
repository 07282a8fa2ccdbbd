//! Predicates, and the terms that they compare.

use super::{ArithmeticOperator, Binder, ComparisonOperator, Ident, List, Literal, list};
use crate::source::Span;
use crate::syntax::Name;

list::id!(PredicateId "a predicate");
list::id!(TermId "a part of a predicate");

/// A predicate with its place.
#[derive(Clone, Copy, Debug)]
pub struct Predicate {
    /// From its first token to its last.
    pub span: Span,
    /// What it is.
    pub kind: PredicateKind,
}

/// The forms of a predicate.
#[derive(Clone, Copy, Debug)]
pub enum PredicateKind {
    /// `p implies q`.
    Implies {
        /// The premise.
        lhs: PredicateId,
        /// What has to hold then.
        rhs: PredicateId,
    },
    /// `p or q`.
    Or {
        /// The left side.
        lhs: PredicateId,
        /// The right side.
        rhs: PredicateId,
    },
    /// `p and q`.
    And {
        /// The left side.
        lhs: PredicateId,
        /// The right side.
        rhs: PredicateId,
    },
    /// `not p`.
    Not {
        /// What is negated.
        operand: PredicateId,
    },
    /// `a == b` and the five others.
    Comparison {
        /// The operator.
        operator: ComparisonOperator,
        /// The left side.
        lhs: TermId,
        /// The right side.
        rhs: TermId,
    },
    /// `e is C`, `e is T::C(x)`.
    Is {
        /// What is looked at.
        scrutinee: TermId,
        /// What stands before a `::`.
        type_name: Option<Name>,
        /// The constructor.
        constructor: Name,
        /// The constructor with what stands before its `::`.
        head: Span,
        /// The name that its payload gets.
        payload: Option<Binder>,
    },
    /// `f a b`, a call that gives a `Bool`.
    Call {
        /// The function.
        function: Ident,
        /// Its arguments, at least one.
        arguments: List<TermId>,
    },
    /// What did not read; reported already.
    Error,
}

/// A term of a predicate with its place.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// From its first token to its last.
    pub span: Span,
    /// What it is.
    pub kind: TermKind,
}

/// The forms of a term.
#[derive(Clone, Copy, Debug)]
pub enum TermKind {
    /// A number or a text.
    Literal(Literal),
    /// `x`, `x.a.b`. The root begins the span and is as long as its name.
    Path {
        /// The name.
        root: Name,
        /// The fields, outermost record first.
        fields: List<Ident>,
    },
    /// `a + b`, `a - b`, `a * b`; never division.
    Arithmetic {
        /// The operator: addition, subtraction or multiplication.
        operator: ArithmeticOperator,
        /// The left side.
        lhs: TermId,
        /// The right side.
        rhs: TermId,
    },
    /// `f a b`.
    Call {
        /// The function.
        function: Ident,
        /// Its arguments, at least one.
        arguments: List<TermId>,
    },
    /// What did not read; reported already.
    Error,
}
