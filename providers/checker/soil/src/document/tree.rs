//! The document of `parse`.

mod expr;
mod pattern;
mod predicate;
mod types;

use super::Writer;
use crate::source::{LineIndex, Span};
use crate::syntax::tree::{Binder, Definition, Ident, List, Literal, Tree};
use crate::syntax::{Name, Names};

/// Gives the document of a file's tree.
///
/// # Wire shape
/// `{"defs":[{"span":…,"item":{"name":…,"sig":…,"decreases":…,"params":[…],"body":…}}]}`
pub fn tree(tree: &Tree, bytes: &[u8], names: &Names) -> String {
    write(tree, names, Some(LineIndex::new(bytes)))
}

/// Gives the same document without its spans: equal for trees that are equal up to spans.
#[cfg(test)]
pub(crate) fn tree_without_spans(tree: &Tree, names: &Names) -> String {
    write(tree, names, None)
}

fn write(tree: &Tree, names: &Names, lines: Option<LineIndex>) -> String {
    let nodes = Nodes { tree, names, lines };
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("defs").array(|writer| {
            for definition in &tree.definitions {
                nodes.definition(writer, definition);
            }
        });
    });
    writer.finish_document()
}

/// What the nodes of a document refer to.
struct Nodes<'a> {
    tree: &'a Tree,
    names: &'a Names,
    lines: Option<LineIndex>,
}

impl Nodes<'_> {
    /// Writes `{"span":…,"item":…}`.
    fn node(&self, writer: &mut Writer, span: Span, item: impl FnOnce(&mut Writer)) {
        writer.object(|writer| {
            self.span(writer, span);
            item(writer.key("item"));
        });
    }

    fn span(&self, writer: &mut Writer, span: Span) {
        if let Some(lines) = &self.lines {
            writer.key("span").span(span, lines);
        }
    }

    fn name(&self, writer: &mut Writer, key: &str, name: Name) {
        writer.key(key).name(self.names, name);
    }

    fn optional_name(&self, writer: &mut Writer, key: &str, name: Option<Name>) {
        writer
            .key(key)
            .option(name, |writer, name| writer.name(self.names, name));
    }

    fn definition(&self, writer: &mut Writer, definition: &Definition) {
        self.node(writer, definition.span, |writer| {
            writer.object(|writer| {
                self.name(writer, "name", definition.name.name);
                self.ty(writer.key("sig"), definition.signature);
                let decreases = definition.decreases;
                writer
                    .key("decreases")
                    .option(decreases, |writer, measure| self.expr(writer, measure));
                self.binders(writer, "params", definition.params);
                self.expr(writer.key("body"), definition.body);
            });
        });
    }

    fn binders(&self, writer: &mut Writer, key: &str, binders: List<Binder>) {
        writer.key(key).array(|writer| {
            for binder in &self.tree[binders] {
                self.binder(writer, *binder);
            }
        });
    }

    fn binder(&self, writer: &mut Writer, binder: Binder) {
        writer.object(|writer| {
            self.span(writer, binder.span);
            self.name(writer, "name", binder.name);
        });
    }

    /// Writes the members `root` and `fields`.
    fn path(&self, writer: &mut Writer, root: Name, fields: List<Ident>) {
        self.name(writer, "root", root);
        writer.key("fields").array(|writer| {
            for field in &self.tree[fields] {
                writer.name(self.names, field.name);
            }
        });
    }

    /// Writes the member `lit`.
    fn literal(&self, writer: &mut Writer, literal: Literal) {
        let (tag, member, text) = match literal {
            Literal::Int(text) => ("LInt", "digits", text),
            Literal::Float(text) => ("LFloat", "text", text),
            Literal::Text(text) => ("LStr", "value", text),
        };
        writer
            .key("lit")
            .variant(tag, |writer| self.name(writer, member, text));
    }
}

#[cfg(test)]
mod tests;
