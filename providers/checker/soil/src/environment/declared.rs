//! Entries from declarations as they are written.

use super::{EntryBody, EntryField, EntryPayload, EntryShape, EntryVariant, Filler, TypeEntry};
use crate::hash::Digest;
use crate::json::Json;
use crate::syntax::tree::{
    Declaration, DeclarationBody, DeclaredField, FieldDefault, Literal, Payload, Tree, TypeId,
    TypeKind,
};
use crate::syntax::{Name, Names};

impl TypeEntry {
    /// Makes the entry of a declaration whose types stand in a tree.
    pub fn from_declaration(
        declaration: &Declaration,
        tree: &Tree,
        names: &Names,
        formal: Option<Digest>,
    ) -> Self {
        let reading = Reading { tree, names };
        let body = match &declaration.body {
            DeclarationBody::Opaque => EntryBody::Opaque,
            DeclarationBody::Alias(ty) => EntryBody::Alias(reading.shape(*ty)),
            DeclarationBody::Record(fields) => EntryBody::Record(reading.fields(fields)),
            DeclarationBody::Sum(variants) => {
                let variants = variants.iter().map(|variant| EntryVariant {
                    name: variant.name.name,
                    payload: match &variant.payload {
                        Payload::Empty => EntryPayload::Empty,
                        Payload::Type(ty) => EntryPayload::Value(reading.shape(*ty)),
                        Payload::Record(fields) => EntryPayload::Record(reading.fields(fields)),
                    },
                });
                EntryBody::Sum(variants.collect())
            }
        };
        let params = declaration.params.iter().map(|param| param.name);
        Self {
            name: declaration.name.name,
            params: params.collect(),
            body,
            formal,
        }
    }
}

struct Reading<'a> {
    tree: &'a Tree,
    names: &'a Names,
}

impl Reading<'_> {
    fn fields(&self, fields: &[DeclaredField]) -> Vec<EntryField> {
        let fields = fields.iter().map(|field| EntryField {
            name: field.field.name,
            shape: self.shape(field.ty),
            ignored: field.ignored.map(|default| self.filler(default)),
        });
        fields.collect()
    }

    fn filler(&self, default: FieldDefault) -> Filler {
        let text = |name: Name| self.names[name].to_owned();
        match default {
            FieldDefault::Sibling(field) => Filler::Copy(field.name),
            FieldDefault::Literal(Literal::Int(digits) | Literal::Float(digits)) => {
                Filler::Constant(Json::Number(text(digits)))
            }
            FieldDefault::Literal(Literal::Text(value)) => {
                Filler::Constant(Json::Text(text(value)))
            }
        }
    }

    fn shape(&self, ty: TypeId) -> EntryShape {
        match self.tree[ty].kind {
            TypeKind::Arrow { .. } | TypeKind::Error => EntryShape::Function,
            TypeKind::Variable { name } => EntryShape::Variable(name),
            TypeKind::Refined { base, .. } => self.shape(base),
            TypeKind::Constructor { name, arguments } => {
                let arguments = self.tree[arguments].iter();
                EntryShape::Type(name, arguments.map(|id| self.shape(*id)).collect())
            }
        }
    }
}
