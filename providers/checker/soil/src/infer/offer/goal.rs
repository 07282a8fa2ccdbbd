//! What a hole asks for, and what stands around it.

use hashbrown::HashSet;

use super::Position;
use crate::infer::{Inferer, PendingHole};
use crate::syntax::tree::{Binding, ExprId, ExprKind, List, LocalId};
use crate::types::store::Ty;

impl Inferer<'_, '_> {
    /// Gives the type that a term has to have, and those of the locals in scope, innermost first.
    ///
    /// A `let` around the hole may have generalised them, so that each use made something else of them. Where all uses agree,
    /// what they made of it is meant; else only what is as general fits.
    pub(super) fn goal(&mut self, hole: &PendingHole, route: &[ExprId]) -> (Ty, Vec<Ty>) {
        let snapshot = self.store.snapshot();
        let copied = self.copy_goal(hole);
        if self.meets_its_uses(hole, route) {
            self.store.commit(snapshot);
            return copied;
        }
        self.store.rollback(snapshot);
        let copied = self.copy_goal(hole);
        self.store.stiffen_copies();
        copied
    }

    fn copy_goal(&mut self, hole: &PendingHole) -> (Ty, Vec<Ty>) {
        let goal = self.store.specialise(hole.ty);
        let mut locals = Vec::with_capacity(hole.scope.len());
        for local in hole.scope.iter().rev() {
            let ty = match self.locals[local.index()] {
                // Its uses are copies of their own.
                Some(known) if known.is_generic => known.ty,
                Some(known) => self.store.specialise_along(known.ty),
                None => Ty::ERROR,
            };
            locals.push(ty);
        }
        (goal, locals)
    }

    /// Lets the general locals whose values hold a hole, copied along with its goal, be what their uses made of them.
    fn meets_its_uses(&mut self, hole: &PendingHole, route: &[ExprId]) -> bool {
        for (_, local) in self.bindings_around(hole, route) {
            let Some(known) = self.locals[local.index()].filter(|known| known.is_generic) else {
                continue;
            };
            let own = self.store.specialise_along(known.ty);
            for index in 0..self.instances.len() {
                let (used, instance) = self.instances[index];
                // What a `let` elsewhere has generalised again may be used in several ways there.
                let agrees = used != local
                    || (self.store.is_copied(instance) && {
                        let instance = self.store.specialise_along(instance);
                        self.store.unify(own, instance).is_ok()
                    });
                if !agrees {
                    return false;
                }
            }
        }
        true
    }

    /// Lists the names of the functions that are being defined where a hole stands.
    pub(super) fn recursive_locals(
        &self,
        hole: &PendingHole,
        route: &[ExprId],
    ) -> HashSet<LocalId> {
        let mut found = HashSet::new();
        for (group, _) in self.bindings_around(hole, route) {
            if let Some(bindings) = group {
                found.extend(self.tree.bound(bindings).map(|(local, _)| local));
            }
        }
        found
    }

    /// Lists the bindings whose values hold a hole, outermost first, each with its group where it is one of a `let rec`.
    fn bindings_around(
        &self,
        hole: &PendingHole,
        route: &[ExprId],
    ) -> Vec<(Option<List<Binding>>, LocalId)> {
        let place = self.span(hole.expr);
        let mut found = Vec::new();
        for id in route {
            let ExprKind::Let {
                is_rec, bindings, ..
            } = self.tree[*id].kind
            else {
                continue;
            };
            for (local, binding) in self.tree.bound(bindings) {
                if self.span(binding.value).contains(place) {
                    found.push((is_rec.then_some(bindings), local));
                }
            }
        }
        found
    }

    /// Says what a hole is to the application around it.
    pub(super) fn position(&self, hole: &PendingHole, route: &[ExprId]) -> Position {
        let parent = route
            .len()
            .checked_sub(2)
            .map(|index| self.tree[route[index]].kind);
        match parent {
            Some(ExprKind::Apply { function, .. }) if function == hole.expr => Position::Function,
            Some(ExprKind::Apply { .. }) => Position::Argument,
            _ => Position::Other,
        }
    }
}
