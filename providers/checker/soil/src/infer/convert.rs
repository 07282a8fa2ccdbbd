//! Written types within a definition.

use super::Inferer;
use crate::diagnostic::Code;
use crate::syntax::tree::{TypeId, TypeKind};
use crate::types::store::{RowTail, Ty};

impl Inferer<'_, '_> {
    /// Reports types of a signature that have a wrong number of arguments.
    pub(super) fn check_arities(&mut self, id: TypeId) {
        let tree = self.tree;
        match tree[id].kind {
            TypeKind::Error | TypeKind::Variable { .. } => {}
            TypeKind::Refined { base, .. } => self.check_arities(base),
            TypeKind::Constructor { arguments, .. } => {
                self.check_arity(id);
                for argument in &tree[arguments] {
                    self.check_arities(*argument);
                }
            }
            TypeKind::Arrow {
                domain, codomain, ..
            } => {
                self.check_arities(domain);
                self.check_arities(codomain);
            }
        }
    }

    /// Reports a type that has a wrong number of arguments; false when it has.
    fn check_arity(&mut self, id: TypeId) -> bool {
        let TypeKind::Constructor { name, arguments } = self.tree[id].kind else {
            return true;
        };
        let Some(ty) = self.environment.type_named(name) else {
            return false;
        };
        let expected = self.environment[ty].params.len();
        let given = arguments.len();
        if expected != given {
            let text = self.text(name);
            let message = format!("`{text}` takes {expected} type arguments, here are {given}");
            self.report(Code::TypeMismatch, self.tree[id].span, message);
        }
        expected == given
    }

    /// Makes the type of an annotation, whose variables are those of the signature.
    pub(super) fn annotated(&mut self, id: TypeId) -> Ty {
        let tree = self.tree;
        match tree[id].kind {
            TypeKind::Error => Ty::ERROR,
            TypeKind::Refined { base, .. } => self.annotated(base),
            TypeKind::Variable { name } => {
                let mut known = self.resolved.variables.types.iter();
                let number = known.position(|known| *known == name);
                number.map_or(Ty::ERROR, |number| self.rigid_types[number])
            }
            TypeKind::Constructor { name, arguments } => {
                let written = tree[arguments].iter();
                let written: Vec<Ty> = written.map(|id| self.annotated(*id)).collect();
                match self.environment.type_named(name) {
                    Some(ty) if self.check_arity(id) => {
                        self.store.named(ty, &written, self.environment, 0)
                    }
                    _ => Ty::ERROR,
                }
            }
            TypeKind::Arrow {
                domain,
                row,
                codomain,
                ..
            } => {
                let domain = self.annotated(domain);
                let codomain = self.annotated(codomain);
                let tail = row.variable.and_then(|name| {
                    let mut known = self.resolved.variables.rows.iter();
                    let number = known.position(|known| *known == name)?;
                    self.rigid_rows.get(number).copied()
                });
                let tail = match (row.variable, tail) {
                    // A variable that is not known was reported; it may be anything.
                    (Some(_), None) => self.store.fresh_tail(),
                    (_, tail) => tail.unwrap_or(RowTail::Closed),
                };
                let row = self.store.row(row.effects.closed(), tail);
                self.store.arrow(domain, row, codomain)
            }
        }
    }
}
