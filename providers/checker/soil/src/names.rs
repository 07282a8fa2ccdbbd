//! What each name of a definition means.
//!
//! Looking names up walks one definition and fills the [`Referents`] of its file; what did not resolve is
//! [`Unknown`](Referent::Unknown) there, has the error type in later phases, and is reported once. Types play no part:
//! a name means the same wherever its type would fit.

mod bind;
mod lookup;
mod references;
mod resolve;
mod scope;
mod settle;
mod suggest;
mod unresolved;
mod written;

pub use references::{Reference, ReferenceKind, References};
pub(crate) use resolve::{Resolved, resolve};
pub(crate) use scope::Scope;
pub(crate) use settle::{Judged, settle};
pub(crate) use unresolved::{Place, Unresolved};

use crate::builtins::BuiltinId;
use crate::environment::{ConstructorId, Operation, TypeId};
use crate::program::DefinitionId;
use crate::syntax::Tree;
use crate::syntax::tree::{ExprId, ExprKind, LocalId, PatternId};

/// What a name means at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Referent {
    /// A parameter, a `let`, a pattern variable.
    Local(LocalId),
    /// A definition of the program.
    Definition(DefinitionId),
    /// A definition of the prelude, by its number there.
    Prelude(DefinitionId),
    /// A builtin.
    Builtin(BuiltinId),
    /// `T::operation`.
    Operation(TypeId, Operation),
    /// A constructor.
    Constructor(ConstructorId),
    /// Nothing, or more than one thing; reported already.
    Unknown,
}

/// What the names in one tree mean.
#[derive(Clone, Debug, Default)]
pub struct Referents {
    exprs: Vec<Option<Referent>>,
    patterns: Vec<Option<ConstructorId>>,
}

impl Referents {
    /// Makes the table of a tree in which nothing was looked up yet.
    pub(crate) fn new(tree: &Tree) -> Self {
        Self {
            exprs: vec![None; tree.expr_count()],
            patterns: vec![None; tree.pattern_count()],
        }
    }

    /// Gives what the name of a path, a qualified name or a constructor means.
    pub fn expr(&self, id: ExprId) -> Referent {
        self.exprs[id.index()].unwrap_or(Referent::Unknown)
    }

    /// Gives what a name means, if the expression is one without fields.
    pub(crate) fn expr_if_named(&self, tree: &Tree, id: ExprId) -> Option<Referent> {
        match tree[id].kind {
            ExprKind::Path { fields, .. } if !fields.is_empty() => None,
            ExprKind::Path { .. } | ExprKind::Qualified { .. } | ExprKind::Constructor { .. } => {
                Some(self.expr(id))
            }
            _ => None,
        }
    }

    /// Gives the constructor of a pattern; none where it is unknown.
    pub fn pattern(&self, id: PatternId) -> Option<ConstructorId> {
        self.patterns[id.index()]
    }

    /// Lists the places that mean a local.
    pub(crate) fn uses_of(&self, local: LocalId) -> impl Iterator<Item = usize> {
        let places = self.exprs.iter().enumerate();
        let is_use = move |found: &Option<Referent>| *found == Some(Referent::Local(local));
        places
            .filter(move |(_, found)| is_use(found))
            .map(|(index, _)| index)
    }

    fn set_expr(&mut self, id: ExprId, referent: Referent) {
        self.exprs[id.index()] = Some(referent);
    }

    fn set_pattern(&mut self, id: PatternId, constructor: ConstructorId) {
        self.patterns[id.index()] = Some(constructor);
    }
}
