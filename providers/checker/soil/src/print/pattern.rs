//! Patterns.

use super::{Printer, push_string};
use crate::syntax::tree::{FieldPattern, List, Literal, PatternId, PatternKind};

impl Printer<'_> {
    /// Writes a pattern where any may stand.
    pub(super) fn pattern(&mut self, id: PatternId) {
        match self.tree[id].kind {
            PatternKind::Wildcard => self.push("_"),
            PatternKind::Bind { name } => self.local(name),
            PatternKind::Literal(literal) => self.literal(literal),
            PatternKind::Constructor {
                type_name,
                name,
                argument,
                ..
            } => {
                if let Some(type_name) = type_name {
                    self.name(type_name);
                    self.push("::");
                }
                self.name(name);
                if let Some(argument) = argument {
                    self.push(" ");
                    self.payload_pattern(argument);
                }
            }
            PatternKind::Record { fields, is_open } => self.record_pattern(fields, is_open),
            PatternKind::Error => self.push("?error"),
        }
    }

    fn payload_pattern(&mut self, id: PatternId) {
        let is_applied = matches!(
            self.tree[id].kind,
            PatternKind::Constructor {
                argument: Some(_),
                ..
            }
        );
        if is_applied {
            self.push("(");
            self.pattern(id);
            self.push(")");
        } else {
            self.pattern(id);
        }
    }

    fn record_pattern(&mut self, fields: List<FieldPattern>, is_open: bool) {
        let mut separator = "{ ";
        for field in &self.tree[fields] {
            self.push(std::mem::replace(&mut separator, ", "));
            self.name(field.field.name);
            if let Some(pattern) = field.pattern {
                self.push(" = ");
                self.pattern(pattern);
            } else if self.locals.number(field.field.name).is_some() {
                self.push(" = ");
                self.local(field.field.name);
            }
        }
        if is_open {
            self.push(separator);
            self.push("..");
        }
        self.push(" }");
    }

    /// Writes a number as its text, a string with its escapes.
    pub(super) fn literal(&mut self, literal: Literal) {
        match literal {
            Literal::Int(text) | Literal::Float(text) => self.name(text),
            Literal::Text(value) => push_string(&mut self.out, &self.names[value]),
        }
    }

    /// Brings the binders of a pattern into scope, in the order of the text.
    pub(super) fn bind_pattern(&mut self, id: PatternId) {
        let tree = self.tree;
        match tree[id].kind {
            PatternKind::Bind { name } => self.locals.bind(name),
            PatternKind::Constructor {
                argument: Some(argument),
                ..
            } => self.bind_pattern(argument),
            PatternKind::Record { fields, .. } => {
                for field in &tree[fields] {
                    match field.pattern {
                        Some(pattern) => self.bind_pattern(pattern),
                        None => self.locals.bind(field.field.name),
                    }
                }
            }
            _ => {}
        }
    }
}
