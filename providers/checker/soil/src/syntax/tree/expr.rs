//! Expressions.

use super::{ArithmeticOperator, Binder, ComparisonOperator, Ident, List, PatternId, TypeId, list};
use crate::source::Span;
use crate::syntax::Name;

list::id!(ExprId "an expression");

/// An expression with its place.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// From its first token to its last.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// The forms of an expression.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind {
    /// `let [rec] x = v and … in body`.
    Let {
        /// Whether `rec` stands behind `let`.
        is_rec: bool,
        /// The bindings, at least one.
        bindings: List<Binding>,
        /// What follows `in`.
        body: ExprId,
    },
    /// `fun a b -> body`.
    Fun {
        /// The parameters, at least one.
        params: List<Binder>,
        /// What follows the arrow.
        body: ExprId,
    },
    /// `if c then x else y`.
    If {
        /// The condition.
        condition: ExprId,
        /// What follows `then`.
        then_branch: ExprId,
        /// What follows `else`.
        else_branch: ExprId,
    },
    /// `match s with | p -> e …`.
    Match {
        /// What is matched.
        scrutinee: ExprId,
        /// The arms, at least one.
        arms: List<Arm>,
    },
    /// `a or b`.
    Or {
        /// The left side.
        lhs: ExprId,
        /// The right side.
        rhs: ExprId,
    },
    /// `a and b`.
    And {
        /// The left side.
        lhs: ExprId,
        /// The right side.
        rhs: ExprId,
    },
    /// `not a`.
    Not {
        /// What is negated.
        operand: ExprId,
    },
    /// `a == b` and the five others.
    Comparison {
        /// The operator.
        operator: ComparisonOperator,
        /// The left side.
        lhs: ExprId,
        /// The right side.
        rhs: ExprId,
    },
    /// `a + b` and the four others.
    Arithmetic {
        /// The operator.
        operator: ArithmeticOperator,
        /// The left side.
        lhs: ExprId,
        /// The right side.
        rhs: ExprId,
    },
    /// `-a`.
    Negate {
        /// What is negated.
        operand: ExprId,
    },
    /// `f x`, one argument at a time.
    Apply {
        /// The function.
        function: ExprId,
        /// The argument.
        argument: ExprId,
    },
    /// `x`, `x.a.b`. The root begins the span and is as long as its name.
    Path {
        /// The name: a local, a definition or a builtin; private names keep their `_`.
        root: Name,
        /// The fields, outermost record first.
        fields: List<Ident>,
    },
    /// `module::name`, `Type::operation`.
    Qualified {
        /// What stands before the `::`.
        space: Name,
        /// What stands behind it.
        name: Name,
    },
    /// `Ctor`; with its type, `Type::Ctor`, it is [`Qualified`](ExprKind::Qualified).
    Constructor {
        /// The name.
        name: Name,
    },
    /// `{ a = 1 }`, `{ r.s with a = 1 }`.
    Record {
        /// What is updated: a [`Path`](ExprKind::Path), or an error.
        base: Option<ExprId>,
        /// The fields written.
        fields: List<FieldValue>,
    },
    /// A number or a text.
    Literal(Literal),
    /// `(e : T)`; its parentheses belong to it.
    Annotation {
        /// The expression.
        expr: ExprId,
        /// Its type.
        ty: TypeId,
    },
    /// `?name`.
    Hole {
        /// The name without `?`.
        name: Name,
    },
    /// What did not read; reported already.
    Error,
}

/// A literal: its text as names are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// Digits, without underscores and sign.
    Int(Name),
    /// The text without underscores and sign.
    Float(Name),
    /// The value, escapes resolved.
    Text(Name),
}

/// One `x = v` of a `let`.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// The name, or none for `_`.
    pub binder: Option<Binder>,
    /// The right side.
    pub value: ExprId,
}

/// One `| p -> e` of a match; its span begins at the pattern.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    /// From the first token of the pattern to the last of the body.
    pub span: Span,
    /// What is matched.
    pub pattern: PatternId,
    /// What follows the arrow.
    pub body: ExprId,
}

/// One `a = v` of a record literal.
#[derive(Clone, Copy, Debug)]
pub struct FieldValue {
    /// The field.
    pub field: Ident,
    /// Its value.
    pub value: ExprId,
}
