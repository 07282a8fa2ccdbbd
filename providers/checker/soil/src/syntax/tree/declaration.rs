//! Declared types, as a `soil-type` block writes them.

use super::{Ident, Literal, TypeId};
use crate::source::Span;

/// `type T a = body`.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// From `type` to its last token.
    pub span: Span,
    /// The type's name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Ident>,
    /// What it is.
    pub body: DeclarationBody,
}

/// What a declared type is.
#[derive(Clone, Debug)]
pub enum DeclarationBody {
    /// `opaque`: values are made and used by builtins only.
    Opaque,
    /// `{ f : T, … }`.
    Record(Vec<DeclaredField>),
    /// `| A | B T | C { f : T }`.
    Sum(Vec<Variant>),
    /// Another name of a type.
    Alias(TypeId),
}

/// One field of a declared record.
#[derive(Clone, Debug)]
pub struct DeclaredField {
    /// Its name.
    pub field: Ident,
    /// Its type.
    pub ty: TypeId,
    /// What an ignored field is filled with.
    pub ignored: Option<FieldDefault>,
}

/// What fills an ignored field.
#[derive(Clone, Copy, Debug)]
pub enum FieldDefault {
    /// A literal.
    Literal(Literal),
    /// The value of another field of the same record.
    Sibling(Ident),
}

/// One variant of a declared sum.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its constructor.
    pub name: Ident,
    /// What it carries.
    pub payload: Payload,
}

/// What a variant carries.
#[derive(Clone, Debug)]
pub enum Payload {
    /// Nothing.
    Empty,
    /// One value.
    Type(TypeId),
    /// Named fields.
    Record(Vec<DeclaredField>),
}
