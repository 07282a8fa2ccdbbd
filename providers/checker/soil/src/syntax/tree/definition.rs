//! Definitions, binders and identifiers.

use super::{ExprId, List, TypeId};
use crate::source::Span;
use crate::syntax::Name;

/// A name at a place where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name; a private one keeps its `_`, a hole has no `?`.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// A name that is introduced: a parameter, a `let`, a pattern variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binder {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// One definition: signature, optional measure, and equation.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// From the name before the signature to the last token of the body.
    pub span: Span,
    /// The name before the `:`, private when it begins with `_`.
    pub name: Ident,
    /// The type behind the `:`.
    pub signature: TypeId,
    /// The expression behind `decreases`.
    pub decreases: Option<ExprId>,
    /// The name at the head of the equation. Differs from `name` only where `name-mismatch` was reported; the body then may
    /// call the definition by it.
    pub equation_name: Ident,
    /// The parameters of the equation.
    pub params: List<Binder>,
    /// The right side of the equation.
    pub body: ExprId,
    /// Whether nothing was reported about it when it was read.
    pub is_read: bool,
}
