//! Declared signatures as data.

use super::Writer;
use crate::syntax::tree::{Row, Tree, TypeId, TypeKind};
use crate::syntax::{Name, Names};

/// Writes signatures of one definition, their variables renamed `a, b, …, z, a1, …` by first appearance.
pub(super) struct Signatures<'a> {
    tree: &'a Tree,
    names: &'a Names,
    /// The variables met, those of rows marked: they share their spelling and are told apart by position.
    variables: Vec<(bool, Name)>,
}

impl<'a> Signatures<'a> {
    pub(super) const fn new(tree: &'a Tree, names: &'a Names) -> Self {
        let variables = Vec::new();
        Self {
            tree,
            names,
            variables,
        }
    }

    /// Writes a type without its refinements.
    pub(super) fn ty(&mut self, writer: &mut Writer, id: TypeId) {
        let tree = self.tree;
        match tree[id].kind {
            TypeKind::Refined { base, .. } => self.ty(writer, base),
            TypeKind::Error => writer.variant("SVar", |writer| writer.key("name").string("_")),
            TypeKind::Variable { name } => {
                let renamed = self.renamed(false, name);
                writer.variant("SVar", |writer| writer.key("name").string(&renamed));
            }
            TypeKind::Constructor { name, arguments } => writer.variant("SCon", |writer| {
                writer.key("name").name(self.names, name);
                writer.key("args").array(|writer| {
                    for argument in &tree[arguments] {
                        self.ty(writer, *argument);
                    }
                });
            }),
            TypeKind::Arrow {
                param,
                domain,
                row,
                codomain,
                ..
            } => writer.variant("SArrow", |writer| {
                writer.key("param").option(param, |writer, param| {
                    writer.name(self.names, param.name);
                });
                self.ty(writer.key("dom"), domain);
                self.row(writer.key("row"), row);
                self.ty(writer.key("cod"), codomain);
            }),
        }
    }

    /// Writes a row.
    pub(super) fn row(&mut self, writer: &mut Writer, row: Row) {
        let variable = row.variable.map(|name| self.renamed(true, name));
        writer.object(|writer| {
            writer.key("effects").array(|writer| {
                for effect in row.effects.iter() {
                    writer.tag(effect.tag());
                }
            });
            writer.key("var").option(variable, |writer, variable| {
                writer.string(&variable);
            });
        });
    }

    fn renamed(&mut self, is_row: bool, name: Name) -> String {
        let key = (is_row, name);
        let known = self.variables.iter().position(|known| *known == key);
        let position = known.unwrap_or_else(|| {
            self.variables.push(key);
            self.variables.len() - 1
        });
        let letter = char::from(b'a' + u8::try_from(position % 26).unwrap_or(0));
        match position / 26 {
            0 => letter.to_string(),
            round => format!("{letter}{round}"),
        }
    }
}
