//! Types.

use super::Nodes;
use crate::document::Writer;
use crate::syntax::tree::{TypeId, TypeKind};

impl Nodes<'_> {
    pub(super) fn ty(&self, writer: &mut Writer, id: TypeId) {
        self.node(writer, self.tree[id].span, |writer| {
            self.type_item(writer, self.tree[id].kind);
        });
    }

    fn type_item(&self, writer: &mut Writer, kind: TypeKind) {
        match kind {
            TypeKind::Arrow {
                param,
                domain,
                row,
                codomain,
                ..
            } => writer.variant("Arrow", |writer| {
                writer
                    .key("param")
                    .option(param, |writer, param| self.binder(writer, param));
                self.ty(writer.key("dom"), domain);
                writer.key("row").row(self.names, row);
                self.ty(writer.key("cod"), codomain);
            }),
            TypeKind::Constructor { name, arguments } => writer.variant("Con", |writer| {
                self.name(writer, "name", name);
                writer.key("args").array(|writer| {
                    for argument in &self.tree[arguments] {
                        self.ty(writer, *argument);
                    }
                });
            }),
            TypeKind::Variable { name } => {
                writer.variant("TVar", |writer| self.name(writer, "name", name));
            }
            TypeKind::Refined {
                binder,
                base,
                predicate,
            } => writer.variant("Refined", |writer| {
                self.binder(writer.key("binder"), binder);
                self.ty(writer.key("base"), base);
                self.predicate(writer.key("pred"), predicate);
            }),
            TypeKind::Error => writer.tag("Error"),
        }
    }
}
