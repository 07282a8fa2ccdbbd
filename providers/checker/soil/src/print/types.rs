//! Types.

use super::Printer;
use crate::syntax::tree::{Row, TypeId, TypeKind};

impl Printer<'_> {
    /// Writes a type where any may stand.
    pub(super) fn ty(&mut self, id: TypeId) {
        self.type_behind(id, false);
    }

    /// Writes a type; directly behind a row an applied one needs brackets.
    fn type_behind(&mut self, id: TypeId, is_behind_row: bool) {
        let (param, domain, row, codomain) = match self.tree[id].kind {
            TypeKind::Arrow {
                param,
                domain,
                row,
                codomain,
                ..
            } => (param, domain, row, codomain),
            _ if is_behind_row => return self.atomic_type(id),
            _ => return self.applied_type(id),
        };
        if let Some(param) = param {
            self.push("(");
            self.name(param.name);
            self.push(" : ");
            self.ty(domain);
            self.push(")");
        } else if is_behind_row || self.is_arrow(domain) {
            self.atomic_type(domain);
        } else {
            self.applied_type(domain);
        }
        self.push(" -> ");
        self.row(row);
        self.type_behind(codomain, !row.is_empty());
    }

    fn is_arrow(&self, id: TypeId) -> bool {
        matches!(self.tree[id].kind, TypeKind::Arrow { .. })
    }

    /// Writes a nonempty row and the space behind it.
    fn row(&mut self, row: Row) {
        for effect in row.effects.iter() {
            self.push(effect.word());
            self.push(" ");
        }
        if let Some(variable) = row.variable {
            self.name(variable);
            self.push(" ");
        }
    }

    fn applied_type(&mut self, id: TypeId) {
        let tree = self.tree;
        match tree[id].kind {
            TypeKind::Constructor { name, arguments } => {
                self.name(name);
                for argument in &tree[arguments] {
                    self.push(" ");
                    self.atomic_type(*argument);
                }
            }
            _ => self.atomic_type(id),
        }
    }

    pub(super) fn atomic_type(&mut self, id: TypeId) {
        match self.tree[id].kind {
            TypeKind::Constructor { name, arguments } if arguments.is_empty() => self.name(name),
            TypeKind::Constructor { .. } | TypeKind::Arrow { .. } => {
                self.push("(");
                self.ty(id);
                self.push(")");
            }
            TypeKind::Variable { name } => self.name(name),
            TypeKind::Refined {
                binder,
                base,
                predicate,
            } => {
                self.push("{");
                self.name(binder.name);
                self.push(" : ");
                self.ty(base);
                self.push(" | ");
                self.predicate(predicate);
                self.push("}");
            }
            TypeKind::Error => self.push("?error"),
        }
    }
}
