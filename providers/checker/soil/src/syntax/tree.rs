//! The tree of one file.
//!
//! Nodes stand in flat tables and refer to each other by id ([`ExprId`], [`TypeId`], …) or, for several in a row, by
//! [`List`]; `tree[id]` is the node and `tree[list]` a slice. Children are added before their parents, so ids of a subtree
//! are below the id of its root. Parentheses leave no node. A place that did not read holds an `Error` node, inside
//! which nothing is reported again; the type of such a node is the error type. No node is deeper than
//! [`MAX_NESTING`](super::MAX_NESTING), so walks may recurse.
//!
//! Trees are also built by hand (`tree.add_expr(span, kind)`, `tree.add_arms(…)`): guards and properties are lowered
//! from predicates that way, and the printer's property test draws random ones.

mod declaration;
mod definition;
mod expr;
mod list;
mod local;
mod part;
mod pattern;
mod predicate;
mod types;

pub use declaration::{
    Declaration, DeclarationBody, DeclaredField, FieldDefault, Payload, Variant,
};
pub use definition::{Binder, Definition, Ident};
pub use expr::{Arm, Binding, Expr, ExprId, ExprKind, FieldValue, Literal};
pub use list::List;
pub use local::LocalId;
pub use pattern::{FieldPattern, Pattern, PatternId, PatternKind};
pub use predicate::{Predicate, PredicateId, PredicateKind, Term, TermId, TermKind};
pub use types::{Effect, Effects, Row, Type, TypeId, TypeKind};

use crate::source::Span;
pub use crate::syntax::token::{ArithmeticOperator, ComparisonOperator};

/// All nodes of one file.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The definitions in the order of the file; those that did not read hold error nodes.
    pub definitions: Vec<Definition>,
    /// What the parser passed over, in order: with the spans of nodes they cover every token of the file.
    pub skipped: Vec<Span>,
    exprs: Vec<Expr>,
    types: Vec<Type>,
    patterns: Vec<Pattern>,
    predicates: Vec<Predicate>,
    terms: Vec<Term>,
    bindings: Vec<Binding>,
    arms: Vec<Arm>,
    field_values: Vec<FieldValue>,
    field_patterns: Vec<FieldPattern>,
    binders: Vec<Binder>,
    idents: Vec<Ident>,
    type_ids: Vec<TypeId>,
    term_ids: Vec<TermId>,
}

list::nodes! {
    ExprId Expr exprs, add_expr(ExprKind) expr_count expr_ids, "an expression";
    TypeId Type types, add_type(TypeKind) type_count type_ids, "a type";
    PatternId Pattern patterns, add_pattern(PatternKind) pattern_count pattern_ids, "a pattern";
    PredicateId Predicate predicates, add_predicate(PredicateKind) predicate_count predicate_ids, "a predicate";
    TermId Term terms, add_term(TermKind) term_count term_ids, "a part of a predicate";
}

list::lists! {
    Binding bindings add_bindings "bindings";
    Arm arms add_arms "arms";
    FieldValue field_values add_field_values "fields of a record literal";
    FieldPattern field_patterns add_field_patterns "fields of a record pattern";
    Binder binders add_binders "binders";
    Ident idents add_idents "identifiers";
    TypeId type_ids add_type_ids "types";
    TermId term_ids add_term_ids "arguments of a predicate's call";
}

impl Tree {
    /// Makes a tree without nodes.
    pub fn new() -> Self {
        Self::default()
    }
}
