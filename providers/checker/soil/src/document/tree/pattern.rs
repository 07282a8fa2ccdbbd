//! Patterns.

use super::Nodes;
use crate::document::Writer;
use crate::syntax::tree::{Binder, PatternId, PatternKind};

impl Nodes<'_> {
    pub(super) fn pattern(&self, writer: &mut Writer, id: PatternId) {
        let pattern = &self.tree[id];
        self.node(writer, pattern.span, |writer| match pattern.kind {
            PatternKind::Wildcard => writer.tag("PWild"),
            PatternKind::Bind { name } => writer.variant("PBind", |writer| {
                let span = pattern.span;
                self.binder(writer.key("binder"), Binder { name, span });
            }),
            PatternKind::Literal(literal) => {
                writer.variant("PLit", |writer| self.literal(writer, literal));
            }
            PatternKind::Constructor {
                type_name,
                name,
                argument,
                ..
            } => writer.variant("PCtor", |writer| {
                self.optional_name(writer, "type_name", type_name);
                self.name(writer, "name", name);
                writer
                    .key("arg")
                    .option(argument, |writer, argument| self.pattern(writer, argument));
            }),
            PatternKind::Record { fields, is_open } => writer.variant("PRecord", |writer| {
                writer.key("fields").array(|writer| {
                    for field in &self.tree[fields] {
                        writer.object(|writer| {
                            self.name(writer, "name", field.field.name);
                            let pattern = field.pattern;
                            writer
                                .key("pattern")
                                .option(pattern, |writer, pattern| self.pattern(writer, pattern));
                        });
                    }
                });
                writer.key("open").boolean(is_open);
            }),
            PatternKind::Error => writer.tag("Error"),
        });
    }
}
