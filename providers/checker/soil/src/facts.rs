//! What inference learned of the nodes of a tree, for those who run it.

use crate::environment::{Number, TypeId};
use crate::syntax::Tree;
use crate::syntax::tree::{ExprId, PatternId};
use crate::types::ClosedType;

/// What was learned of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExprFact {
    /// The type of an integer literal, or the type in which an operation of arithmetic works.
    Number(Number),
    /// The type of what a comparison compares, the `T` with its arguments of a `T::operation`, or the keys of a map builtin.
    Operand(ClosedType),
    /// The record that a literal makes, or an update changes.
    Record(TypeId),
}

/// What was learned of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternFact {
    /// The type of an integer literal.
    Number(Number),
    /// The record that a record pattern matches; inline records of variants have none.
    Record(TypeId),
}

/// What was learned of one tree; complete where nothing was reported.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    exprs: Vec<Option<ExprFact>>,
    patterns: Vec<Option<PatternFact>>,
    fields: Vec<Option<(TypeId, usize)>>,
}

impl Facts {
    /// Makes a table in which nothing is known.
    pub(crate) fn new(tree: &Tree) -> Self {
        Self {
            exprs: vec![None; tree.expr_count()],
            patterns: vec![None; tree.pattern_count()],
            fields: vec![None; tree.ident_count()],
        }
    }

    /// Gives what is known of an expression.
    pub fn expr(&self, id: ExprId) -> Option<ExprFact> {
        self.exprs[id.index()]
    }

    /// Gives what is known of a pattern.
    pub fn pattern(&self, id: PatternId) -> Option<PatternFact> {
        self.patterns[id.index()]
    }

    /// Gives the record that a field of a path is read from and its position among those declared; `position` is that of
    /// [`Tree::path_fields`].
    pub fn field(&self, position: usize) -> Option<(TypeId, usize)> {
        self.fields[position]
    }

    pub(crate) fn set_expr(&mut self, id: ExprId, fact: ExprFact) {
        self.exprs[id.index()] = Some(fact);
    }

    pub(crate) fn set_pattern(&mut self, id: PatternId, fact: PatternFact) {
        self.patterns[id.index()] = Some(fact);
    }

    pub(crate) fn set_field(&mut self, position: usize, record: TypeId, field: usize) {
        self.fields[position] = Some((record, field));
    }
}
