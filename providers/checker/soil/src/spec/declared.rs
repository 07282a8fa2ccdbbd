//! What a type's file says.

use super::block::{Block, BlockKind};
use super::{Clause, Reader};
use crate::diagnostic::Code;
use crate::syntax::parse_declaration;
use crate::syntax::tree::{
    Declaration, DeclarationBody, DeclaredField, FieldDefault, Ident, Payload, TypeId, TypeKind,
};

/// The blocks of a type's file, those that read.
#[derive(Clone, Debug, Default)]
pub struct TypeSpec {
    /// The declaration, its types in the tree of the file.
    pub declaration: Option<Declaration>,
    /// What holds of every value.
    pub invariants: Vec<Clause>,
}

impl Reader<'_> {
    pub(super) fn type_spec(&mut self, blocks: &[Block<'_>]) -> TypeSpec {
        let mut spec = TypeSpec::default();
        for block in blocks {
            if block.kind == BlockKind::Invariant {
                spec.invariants = self.clauses(block.fence);
                continue;
            }
            let part = self.part(block.fence.content);
            let result = parse_declaration(part, self.names, &mut self.tree);
            spec.declaration = self.accept(Code::TrTypeSyntax, result);
        }
        self.check_labels(&spec.invariants.iter().collect::<Vec<_>>());
        if let Some(declaration) = &spec.declaration {
            self.check_declaration(declaration);
        }
        spec
    }

    fn check_declaration(&mut self, declaration: &Declaration) {
        self.check_distinct(&declaration.params);
        match &declaration.body {
            DeclarationBody::Opaque => {}
            DeclarationBody::Record(fields) => self.check_fields(fields, declaration),
            DeclarationBody::Alias(ty) => self.check_field_type(*ty, declaration),
            DeclarationBody::Sum(variants) => {
                let names: Vec<Ident> = variants.iter().map(|variant| variant.name).collect();
                self.check_distinct(&names);
                for variant in variants {
                    match &variant.payload {
                        Payload::Empty => {}
                        Payload::Type(ty) => self.check_field_type(*ty, declaration),
                        Payload::Record(fields) => self.check_fields(fields, declaration),
                    }
                }
            }
        }
    }

    fn check_distinct(&mut self, names: &[Ident]) {
        for (position, ident) in names.iter().enumerate() {
            if names[..position]
                .iter()
                .any(|earlier| earlier.name == ident.name)
            {
                let message = format!("`{}` is there twice", &self.names[ident.name]);
                self.report(Code::TrTypeSyntax, ident.span, message);
            }
        }
    }

    fn check_fields(&mut self, fields: &[DeclaredField], declaration: &Declaration) {
        for field in fields {
            self.check_field_type(field.ty, declaration);
            let Some(FieldDefault::Sibling(sibling)) = field.ignored else {
                continue;
            };
            let is_there = fields
                .iter()
                .any(|other| other.field.name == sibling.name && other.ignored.is_none());
            if !is_there {
                let name = &self.names[sibling.name];
                let message = format!("`{name}` is no field beside this one that is not ignored");
                self.report(Code::TrIgnoredDefault, sibling.span, message);
            }
        }
    }

    /// Reports functions and undeclared variables in the type of a field, a payload or an alias.
    fn check_field_type(&mut self, ty: TypeId, declaration: &Declaration) {
        let span = self.tree[ty].span;
        match self.tree[ty].kind {
            TypeKind::Arrow { .. } => {
                let message = "a declared type holds no functions";
                self.report(Code::MalformedInput, span, message);
            }
            TypeKind::Variable { name } => {
                if !declaration.params.iter().any(|param| param.name == name) {
                    let message = format!("`{}` is no parameter of the type", &self.names[name]);
                    self.report(Code::TrTypeSyntax, span, message);
                }
            }
            TypeKind::Constructor { arguments, .. } => {
                let arguments = self.tree[arguments].to_vec();
                for argument in arguments {
                    self.check_field_type(argument, declaration);
                }
            }
            TypeKind::Refined { base, .. } => self.check_field_type(base, declaration),
            TypeKind::Error => {}
        }
    }
}
