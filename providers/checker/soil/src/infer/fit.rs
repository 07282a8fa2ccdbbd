//! Which candidates for an unknown name fit at its place.

use super::Inferer;
use crate::environment::{ConstructorId, Payload};
use crate::names::{Judged, Place, Referent};
use crate::syntax::tree::{ExprId, PatternId};
use crate::types::store::{RowId, Ty};

/// The most steps that judging the candidates of one definition takes.
const MAX_FIT_STEPS: u64 = 20_000;

/// An unknown name with the type that its place asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingName {
    /// The position among the names that did not resolve.
    unresolved: usize,
    ty: Ty,
}

impl Inferer<'_, '_> {
    /// Keeps the place of an unknown name until types are settled.
    pub(super) fn note_unknown(&mut self, id: ExprId, expected: Option<Ty>) {
        self.note(Place::Expr(id), expected);
    }

    /// Keeps the place of an unknown constructor of a pattern.
    pub(super) fn note_unknown_pattern(&mut self, id: PatternId, ty: Ty) {
        self.note(Place::Pattern(id), Some(ty));
    }

    fn note(&mut self, place: Place, expected: Option<Ty>) {
        let mut unresolved = self.resolved.unresolved.iter();
        let found = unresolved.position(|unresolved| unresolved.place == place);
        if let (Some(unresolved), Some(ty)) = (found, expected) {
            self.unknown.push(PendingName { unresolved, ty });
        }
    }

    /// Checks the arguments of an unknown function, and keeps the type that it would have to have.
    pub(super) fn unknown_call(&mut self, head: ExprId, base: usize, expected: Option<Ty>) -> Ty {
        let mut arguments = Vec::new();
        for position in base..self.spine.len() {
            let (_, argument) = self.spine[position];
            arguments.push(self.expr(argument, None));
        }
        let result = expected.unwrap_or_else(|| self.store.fresh());
        let wanted = arguments.iter().rev().fold(result, |result, argument| {
            let row = self.store.fresh_row();
            self.store.arrow(*argument, row, result)
        });
        self.note_unknown(head, Some(wanted));
        expected.unwrap_or(Ty::ERROR)
    }

    /// Says of each candidate whether its type fits, once types are settled.
    pub(super) fn judge_candidates(&mut self) -> Vec<Judged> {
        let start = self.store.steps();
        let mut judged = Vec::new();
        for pending in std::mem::take(&mut self.unknown) {
            let unresolved = &self.resolved.unresolved[pending.unresolved];
            for (candidate, suggestion) in unresolved.suggestions.iter().enumerate() {
                if self.store.steps() - start > MAX_FIT_STEPS {
                    return judged;
                }
                let operations = self.operations.len();
                let snapshot = self.store.snapshot();
                let ty = self.candidate_type(suggestion.referent, unresolved.place);
                let ty_text = match suggestion.referent {
                    Referent::Local(_) => ty.map(|ty| self.show(ty)),
                    _ => None,
                };
                let fits = ty.is_some_and(|ty| self.store.unify(pending.ty, ty).is_ok());
                self.store.rollback(snapshot);
                self.operations.truncate(operations);
                judged.push(Judged {
                    unresolved: pending.unresolved,
                    candidate,
                    fits,
                    ty: ty_text,
                });
            }
        }
        judged
    }

    fn candidate_type(&mut self, referent: Referent, place: Place) -> Option<Ty> {
        match (referent, place) {
            (Referent::Unknown, _) => None,
            (Referent::Constructor(constructor), Place::Pattern(_)) => {
                let owner = self.environment[constructor].owner;
                Some(self.store.applied_fresh(owner, self.environment))
            }
            (Referent::Constructor(constructor), _) => self.constructor_type(constructor),
            (referent, Place::Expr(id)) => Some(self.referent_type(id, referent)),
            _ => None,
        }
    }

    /// Gives the type of a constructor as a function; one that carries an inline record has none.
    pub(super) fn constructor_type(&mut self, constructor: ConstructorId) -> Option<Ty> {
        let environment = self.environment;
        let owner = environment[constructor].owner;
        let own = self.store.applied_fresh(owner, environment);
        match &environment.variant(constructor).payload {
            Payload::Empty => Some(own),
            Payload::Record(_) => None,
            Payload::Value(shape) => {
                let arguments = self.type_arguments(own);
                let payload = self.store.shaped(shape, &arguments, environment, 0);
                Some(self.store.arrow(payload, RowId::EMPTY, own))
            }
        }
    }
}
