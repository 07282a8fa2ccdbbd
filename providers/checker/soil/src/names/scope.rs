//! The local names that are visible.

use crate::syntax::Name;
use crate::syntax::tree::LocalId;
use crate::table::ByName;

/// The local names that are visible.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    locals: ByName<LocalId>,
    /// The binders in scope with what their names meant before, outermost first.
    entered: Vec<(Name, LocalId, Option<LocalId>)>,
}

impl Scope {
    /// Remembers what is in scope.
    pub(super) fn mark(&self) -> usize {
        self.entered.len()
    }

    /// Takes out of scope what came after a mark.
    pub(super) fn leave(&mut self, mark: usize) {
        while self.entered.len() > mark {
            if let Some((name, _, before)) = self.entered.pop() {
                self.locals.set(name, before);
            }
        }
    }

    pub(super) fn get(&self, name: Name) -> Option<LocalId> {
        self.locals.get(name)
    }

    pub(super) fn enter(&mut self, name: Name, local: LocalId) {
        let before = self.locals.set(name, Some(local));
        self.entered.push((name, local, before));
    }

    /// Lists the binders in scope, nearest first.
    pub(super) fn nearest_first(&self) -> impl Iterator<Item = (Name, LocalId)> {
        let entered = self.entered.iter().rev();
        entered.map(|(name, local, _)| (*name, *local))
    }
}
