//! Declared types, each on one line.

use super::Printer;
use crate::syntax::tree::{
    Declaration, DeclarationBody, DeclaredField, FieldDefault, Payload, Variant,
};

impl Printer<'_> {
    pub(super) fn declaration(&mut self, declaration: &Declaration) {
        self.push("type ");
        self.name(declaration.name.name);
        for param in &declaration.params {
            self.push(" ");
            self.name(param.name);
        }
        self.push(" =");
        match &declaration.body {
            DeclarationBody::Opaque => self.push(" opaque"),
            DeclarationBody::Record(fields) => self.declared_fields(fields),
            DeclarationBody::Sum(variants) => {
                for variant in variants {
                    self.variant(variant);
                }
            }
            DeclarationBody::Alias(ty) => {
                self.push(" ");
                self.ty(*ty);
            }
        }
    }

    fn declared_fields(&mut self, fields: &[DeclaredField]) {
        let mut separator = " { ";
        for field in fields {
            self.push(std::mem::replace(&mut separator, ", "));
            self.name(field.field.name);
            self.push(" : ");
            self.ty(field.ty);
            match field.ignored {
                Some(FieldDefault::Literal(literal)) => {
                    self.push(" ignored = ");
                    self.literal(literal);
                }
                Some(FieldDefault::Sibling(field)) => {
                    self.push(" ignored = ");
                    self.name(field.name);
                }
                None => {}
            }
        }
        self.push(" }");
    }

    fn variant(&mut self, variant: &Variant) {
        self.push(" | ");
        self.name(variant.name.name);
        match &variant.payload {
            Payload::Empty => {}
            Payload::Type(ty) => {
                self.push(" ");
                self.atomic_type(*ty);
            }
            Payload::Record(fields) => self.declared_fields(fields),
        }
    }
}
