//! Types as they are written.

use super::Referent;
use super::references::{Reference, ReferenceKind};
use super::resolve::Resolver;
use super::unresolved::Place;
use crate::diagnostic::Code;
use crate::source::Span;
use crate::syntax::Name;
use crate::syntax::tree::{TypeId, TypeKind};

impl Resolver<'_> {
    /// Looks up the types of a signature, whose variables are declared by their use.
    pub(super) fn signature(&mut self, id: TypeId) {
        let tree = self.tree;
        match tree[id].kind {
            TypeKind::Error => {}
            TypeKind::Variable { name } => declare(&mut self.resolved.variables.types, name),
            TypeKind::Constructor { name, arguments } => {
                self.type_name(id, name);
                for argument in &tree[arguments] {
                    self.signature(*argument);
                }
            }
            TypeKind::Refined { base, .. } => self.signature(base),
            TypeKind::Arrow {
                domain,
                row,
                codomain,
                ..
            } => {
                self.signature(domain);
                if let Some(variable) = row.variable {
                    declare(&mut self.resolved.variables.rows, variable);
                }
                self.signature(codomain);
            }
        }
    }

    /// Looks up the types of an annotation, whose variables are those of the signature.
    pub(super) fn annotation(&mut self, id: TypeId) {
        let tree = self.tree;
        match tree[id].kind {
            TypeKind::Error => {}
            TypeKind::Variable { name } => {
                if !self.resolved.variables.types.contains(&name) {
                    self.unknown_variable(name, tree[id].span);
                }
            }
            TypeKind::Constructor { name, arguments } => {
                self.type_name(id, name);
                for argument in &tree[arguments] {
                    self.annotation(*argument);
                }
            }
            TypeKind::Refined { base, .. } => self.annotation(base),
            TypeKind::Arrow {
                domain,
                row,
                codomain,
                arrow,
                ..
            } => {
                self.annotation(domain);
                let known = &self.resolved.variables.rows;
                if let Some(name) = row.variable.filter(|name| !known.contains(name)) {
                    self.unknown_variable(name, arrow);
                }
                self.annotation(codomain);
            }
        }
    }

    fn unknown_variable(&mut self, name: Name, span: Span) {
        let text = &self.program.names[name];
        let message = format!("`{text}` is no variable of the signature");
        self.report(Code::UnknownType, span, message);
    }

    fn type_name(&mut self, id: TypeId, name: Name) {
        let program = self.program;
        let ty = program.environment.type_named(name);
        if ty.is_none() {
            let text = &program.names[name];
            let start = self.tree[id].span.start;
            let len = u32::try_from(text.len()).unwrap_or(0);
            let span = Span::new(start, start + len);
            let suggestions = self.similar_types(text);
            let message = format!("`{text}` is no type");
            self.unresolved(Code::UnknownType, span, message, Place::Type, suggestions);
            return;
        }
        self.resolved.references.push(Reference {
            kind: ReferenceKind::Type,
            space: None,
            name,
            referent: Referent::Unknown,
            ty,
        });
    }
}

fn declare(variables: &mut Vec<Name>, name: Name) {
    if !variables.contains(&name) {
        variables.push(name);
    }
}
