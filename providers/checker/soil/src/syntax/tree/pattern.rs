//! Patterns.

use super::{Ident, List, Literal, list};
use crate::source::Span;
use crate::syntax::Name;

list::id!(PatternId "a pattern");

/// A pattern with its place.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// From its first token to its last.
    pub span: Span,
    /// What it is.
    pub kind: PatternKind,
}

/// The forms of a pattern.
#[derive(Clone, Copy, Debug)]
pub enum PatternKind {
    /// `_`.
    Wildcard,
    /// `x`; the binder's span is the pattern's.
    Bind {
        /// The name that is bound.
        name: Name,
    },
    /// A number or a text.
    Literal(Literal),
    /// `Some p`, `Type::Ctor p`.
    Constructor {
        /// What stands before a `::`.
        type_name: Option<Name>,
        /// The constructor.
        name: Name,
        /// The constructor with what stands before its `::`, without its argument.
        head: Span,
        /// The pattern of its payload.
        argument: Option<PatternId>,
    },
    /// `{ a, b = p, .. }`.
    Record {
        /// The fields written.
        fields: List<FieldPattern>,
        /// Whether it ends in `..`.
        is_open: bool,
    },
    /// What did not read; reported already.
    Error,
}

/// One field of a record pattern; without a pattern it is a pun and binds the field's name.
#[derive(Clone, Copy, Debug)]
pub struct FieldPattern {
    /// The field.
    pub field: Ident,
    /// What its value has to match.
    pub pattern: Option<PatternId>,
}
