//! What the place of a hole allows to be performed.

use super::Allowed;
use crate::infer::{ContextId, Inferer};
use crate::syntax::tree::{Effect, Effects};
use crate::types::store::{RowId, RowTail};

impl Inferer<'_, '_> {
    /// Finds what a context allows: what it declares, or what it may grow to without a report.
    pub(super) fn allowed_in(&mut self, context: ContextId) -> Allowed {
        let row = self.contexts[context].row;
        let (effects, tail) = self.store.effects(row);
        let mut allowed = Allowed {
            effects,
            variables: Vec::new(),
        };
        match tail {
            RowTail::Closed => {}
            RowTail::Rigid(variable) => allowed.variables.push(variable),
            RowTail::Open(_) => {
                for effect in Effect::ALL {
                    let one = Effects::NONE.with(effect).closed();
                    if self.may_grow(row, one, RowTail::Closed) {
                        allowed.effects = allowed.effects.union(one);
                    }
                }
                for variable in 0..u32::try_from(self.rigid_rows.len()).unwrap_or(0) {
                    if self.may_grow(row, Effects::NONE, RowTail::Rigid(variable)) {
                        allowed.variables.push(variable);
                    }
                }
            }
        }
        allowed
    }

    /// Says whether a row may grow without that a context lacks more than before.
    fn may_grow(&mut self, row: RowId, effects: Effects, tail: RowTail) -> bool {
        let before: Vec<_> = self
            .performed
            .iter()
            .map(|one| self.missing(*one))
            .collect();
        let snapshot = self.store.snapshot();
        let more = self.store.row(effects, tail);
        self.store.grow(row, more);
        self.grow_contexts();
        let mut after = self.performed.iter().map(|one| self.missing(*one));
        let is_same = before
            .iter()
            .all(|before| after.next().as_ref() == Some(before));
        self.store.rollback(snapshot);
        is_same
    }

    pub(super) fn allowed_text(&self, allowed: &Allowed) -> String {
        let mut words: Vec<&str> = allowed.effects.iter().map(Effect::word).collect();
        for variable in &allowed.variables {
            let name = self.variables.rows.get(*variable as usize);
            words.push(name.map_or("_", |name| &self.program.names[*name]));
        }
        words.join(" ")
    }

    pub(super) fn is_allowed(&self, allowed: &Allowed, row: RowId) -> bool {
        let (effects, tail) = self.store.effects(row);
        let is_known = match tail {
            RowTail::Rigid(variable) => allowed.variables.contains(&variable),
            RowTail::Closed | RowTail::Open(_) => true,
        };
        is_known && effects.without(allowed.effects).is_empty()
    }
}
