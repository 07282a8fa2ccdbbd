//! Holes.

use super::{Hole, Inferer};
use crate::diagnostic::{Code, Diagnostic, LimitParams, Params};
use crate::document::Writer;
use crate::syntax::Name;
use crate::syntax::tree::{ExprId, ExprKind};
use crate::types::store::{Node, RowId, RowTail, Ty};

/// The most locals that are listed for a hole, the nearest ones.
pub(super) const MAX_SCOPE: usize = 500;

/// The most holes of one definition.
///
/// # Units and bounds
/// 1 000. More give `limit-exceeded` for the definition.
pub(super) const MAX_HOLES: usize = 1_000;

impl Inferer<'_, '_> {
    pub(super) fn report_too_many_holes(&mut self, id: ExprId) {
        if std::mem::replace(&mut self.has_too_many_holes, true) {
            return;
        }
        let (limit, max) = ("holes", MAX_HOLES as u64);
        let message = format!("`{limit}` allows {max}, here is one more");
        let code = Code::LimitExceeded;
        let diagnostic = Diagnostic::at(code, self.file.id, self.span(id), message);
        let seen = max + 1;
        let params = Params::Limit(LimitParams { limit, max, seen });
        self.push(diagnostic.with_params(params));
    }

    /// Gives the holes with their goals and what is in scope.
    pub(super) fn finish_holes(&mut self) -> Vec<Hole> {
        let pending = std::mem::take(&mut self.holes);
        let mut holes = Vec::with_capacity(pending.len());
        let is_rich = self.options.is_rich && !pending.is_empty();
        let mut menu = is_rich.then(|| self.menu());
        for hole in &pending {
            let goal = self.written(hole.ty);
            let mut in_scope = Vec::new();
            for local in hole.scope.iter().rev() {
                let Some(binder) = self.tree.local_binder(*local) else {
                    continue;
                };
                let ty = self.locals[local.index()].map_or(Ty::ERROR, |local| local.ty);
                in_scope.push((binder.name, self.written(ty)));
            }
            holes.push(Hole {
                name: hole.name,
                span: self.span(hole.expr),
                goal,
                in_scope,
                fit: menu.as_mut().map(|menu| self.offer(hole, menu)),
            });
        }
        self.holes = pending;
        holes.sort_by_key(|hole| hole.span);
        holes
    }

    /// Gives the names of holes that the definition has.
    pub(super) fn hole_names(&self) -> Vec<String> {
        let holes = self
            .tree
            .expr_ids()
            .filter_map(|id| match self.tree[id].kind {
                ExprKind::Hole { name } => Some(self.text(name).to_owned()),
                _ => None,
            });
        holes.collect()
    }

    /// Writes a type in the form of documents.
    fn written(&mut self, ty: Ty) -> String {
        let mut writer = Writer::new();
        self.write(&mut writer, ty);
        writer.finish()
    }

    fn write(&mut self, writer: &mut Writer, ty: Ty) {
        let ty = self.store.shallow(ty);
        match self.store.node(ty) {
            Node::Error => writer.variant("SVar", |writer| writer.key("name").string("_")),
            Node::Variable { .. } | Node::Link(_) => {
                let name = self.variables.unknown(ty, &self.program.names);
                writer.variant("SVar", |writer| writer.key("name").string(&name));
            }
            Node::Rigid(number) => {
                let name: Option<Name> = self.variables.types.get(number as usize).copied();
                writer.variant("SVar", |writer| {
                    writer
                        .key("name")
                        .string(name.map_or("_", |name| self.text(name)));
                });
            }
            Node::Type { id, start, len } => {
                let name = self.environment[id].name;
                writer.variant("SCon", |writer| {
                    writer.key("name").string(self.text(name));
                    writer.key("args").array(|writer| {
                        for index in 0..len {
                            self.write(writer, self.store.argument(start, index));
                        }
                    });
                });
            }
            Node::Arrow {
                domain,
                row,
                codomain,
            } => writer.variant("SArrow", |writer| {
                writer.key("param").tag("None");
                self.write(writer.key("dom"), domain);
                self.write_row(writer.key("row"), row);
                self.write(writer.key("cod"), codomain);
            }),
        }
    }

    fn write_row(&mut self, writer: &mut Writer, row: RowId) {
        let (effects, tail) = self.store.effects(row);
        writer.object(|writer| {
            writer.key("effects").array(|writer| {
                for effect in effects.iter() {
                    writer.tag(effect.tag());
                }
            });
            let name = match tail {
                RowTail::Rigid(number) => self.variables.rows.get(number as usize).copied(),
                // What is still open performs nothing.
                _ => None,
            };
            writer.key("var").option(name, |writer, name| {
                writer.string(self.text(name));
            });
        });
    }
}

/// Gives a name for a hole that no other one has, made of a word.
pub(super) fn free_hole(word: &str, taken: &mut Vec<String>) -> String {
    let numbered = (2_u32..).map(|number| format!("{word}{number}"));
    let mut candidates = std::iter::once(word.to_owned()).chain(numbered);
    let free = candidates.find(|candidate| !taken.contains(candidate));
    let free = free.unwrap_or_else(|| word.to_owned());
    taken.push(free.clone());
    free
}
