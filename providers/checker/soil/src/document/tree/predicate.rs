//! Predicates and their terms.

use super::Nodes;
use crate::document::Writer;
use crate::syntax::tree::{Ident, List, PredicateId, PredicateKind, TermId, TermKind};

impl Nodes<'_> {
    pub(super) fn predicate(&self, writer: &mut Writer, id: PredicateId) {
        self.node(writer, self.tree[id].span, |writer| {
            self.predicate_item(writer, self.tree[id].kind);
        });
    }

    fn predicate_item(&self, writer: &mut Writer, kind: PredicateKind) {
        match kind {
            PredicateKind::Implies { lhs, rhs } => self.two_predicates(writer, "Implies", lhs, rhs),
            PredicateKind::Or { lhs, rhs } => self.two_predicates(writer, "POr", lhs, rhs),
            PredicateKind::And { lhs, rhs } => self.two_predicates(writer, "PAnd", lhs, rhs),
            PredicateKind::Not { operand } => {
                writer.variant("PNot", |writer| self.predicate(writer.key("pred"), operand));
            }
            PredicateKind::Comparison { operator, lhs, rhs } => writer.variant("PCmp", |writer| {
                writer.key("op").tag(operator.tag());
                self.term(writer.key("lhs"), lhs);
                self.term(writer.key("rhs"), rhs);
            }),
            PredicateKind::Is {
                scrutinee,
                type_name,
                constructor,
                payload,
                ..
            } => writer.variant("Is", |writer| {
                self.term(writer.key("scrutinee"), scrutinee);
                self.optional_name(writer, "type_name", type_name);
                self.name(writer, "ctor", constructor);
                writer
                    .key("payload")
                    .option(payload, |writer, payload| self.binder(writer, payload));
            }),
            PredicateKind::Call {
                function,
                arguments,
            } => self.call(writer, "PCall", function, arguments),
            PredicateKind::Error => writer.tag("Error"),
        }
    }

    fn two_predicates(&self, writer: &mut Writer, tag: &str, lhs: PredicateId, rhs: PredicateId) {
        writer.variant(tag, |writer| {
            self.predicate(writer.key("lhs"), lhs);
            self.predicate(writer.key("rhs"), rhs);
        });
    }

    fn call(&self, writer: &mut Writer, tag: &str, function: Ident, arguments: List<TermId>) {
        writer.variant(tag, |writer| {
            self.name(writer, "name", function.name);
            writer.key("args").array(|writer| {
                for argument in &self.tree[arguments] {
                    self.term(writer, *argument);
                }
            });
        });
    }

    fn term(&self, writer: &mut Writer, id: TermId) {
        self.node(writer, self.tree[id].span, |writer| {
            match self.tree[id].kind {
                TermKind::Literal(literal) => {
                    writer.variant("PLiteral", |writer| self.literal(writer, literal));
                }
                TermKind::Path { root, fields } => {
                    writer.variant("PPath", |writer| self.path(writer, root, fields));
                }
                TermKind::Arithmetic { operator, lhs, rhs } => writer.variant("PArith", |writer| {
                    writer.key("op").tag(operator.tag());
                    self.term(writer.key("lhs"), lhs);
                    self.term(writer.key("rhs"), rhs);
                }),
                TermKind::Call {
                    function,
                    arguments,
                } => self.call(writer, "PCallE", function, arguments),
                TermKind::Error => writer.tag("Error"),
            }
        });
    }
}
