//! The types that a program may name: built-in, kernel and declared ones.
//!
//! Every type has a [`TypeId`]; those of the built-in and kernel types ([`ids`]) are the same in each environment. Types
//! of fields, payloads and aliases are [`Shape`]s, closed terms over the parameters of their declaration; aliases in them
//! stay as they are written and are expanded where a term is made of them.

mod build;
mod declaration;
mod declared;
mod derive;
mod group;
pub mod ids;
mod kernel;
mod number;
mod read;
mod shape;
mod traits;

pub use build::{
    EntryBody, EntryField, EntryPayload, EntryShape, EntryVariant, EnvironmentError, TypeEntry,
};
pub use declaration::declaration_line;
pub use derive::{Derived, Operation};
pub use ids::TypeId;
pub use number::Number;
pub use read::read;
pub use shape::Shape;

use crate::hash::Digest;
use crate::json::Json;
use crate::syntax::{Name, Names};
use crate::table::ByName;
use traits::Traits;

/// The number of a constructor within its environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConstructorId(u32);

impl ConstructorId {
    /// Gives the position among all constructors.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a constructor belongs.
#[derive(Clone, Copy, Debug)]
pub struct Constructor {
    /// The constructor's name.
    pub name: Name,
    /// Its sum.
    pub owner: TypeId,
    /// Its position among the variants of the sum.
    pub variant: u32,
    /// The one declared before it that has the same name.
    previous: Option<ConstructorId>,
}

/// A type with its name, its parameters and what its values are.
#[derive(Clone, Debug)]
pub struct DeclaredType {
    /// The name.
    pub name: Name,
    /// The parameters.
    pub params: Vec<Name>,
    /// What its values are.
    pub body: Body,
    /// The formal hash of its specification, if one is known.
    pub formal: Option<Digest>,
}

/// What the values of a type are.
#[derive(Clone, Debug)]
pub enum Body {
    /// Values that the language itself provides.
    Primitive,
    /// Values with named fields.
    Record(Vec<Field>),
    /// One of several variants.
    Sum {
        /// The variants in the order of the declaration.
        variants: Vec<Variant>,
        /// The constructor of the first; those of the others follow it.
        first: ConstructorId,
    },
    /// Values that only builtins look into.
    Opaque,
    /// Another name for a type.
    Alias(Shape),
}

/// A field of a record or of a variant.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name.
    pub name: Name,
    /// Its type.
    pub shape: Shape,
    /// What fills it, when no one writes it.
    pub ignored: Option<Filler>,
}

/// What fills an ignored field.
#[derive(Clone, Debug)]
pub enum Filler {
    /// Always the same value, in the JSON form of its type.
    Constant(Json),
    /// The value of another field.
    Copy(Name),
}

/// One variant of a sum.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The constructor's name.
    pub name: Name,
    /// What it carries.
    pub payload: Payload,
}

/// What a variant carries.
#[derive(Clone, Debug)]
pub enum Payload {
    /// Nothing.
    Empty,
    /// One value.
    Value(Shape),
    /// Named fields, written as a record and never bound whole.
    Record(Vec<Field>),
}

/// All types of a program.
#[derive(Clone, Debug)]
pub struct Environment {
    types: Vec<DeclaredType>,
    traits: Vec<Traits>,
    constructors: Vec<Constructor>,
    types_by_name: ByName<TypeId>,
    constructors_by_name: ByName<ConstructorId>,
    /// The records in which a field of this name is the first visible one.
    records_by_field: ByName<u32>,
    record_lists: Vec<Vec<TypeId>>,
}

impl Environment {
    /// Makes the environment of the built-in and kernel types alone.
    pub fn kernel_in(names: &mut Names) -> Self {
        kernel::environment(names)
    }

    /// Gives the type with this name.
    pub fn type_named(&self, name: Name) -> Option<TypeId> {
        self.types_by_name.get(name)
    }

    /// Lists all types, built-in and kernel ones first, then in the order of their declarations.
    pub fn types(&self) -> impl Iterator<Item = (TypeId, &DeclaredType)> {
        (0..).map(TypeId::new).zip(&self.types)
    }

    /// Lists the constructors with this name, the last declared first.
    pub fn constructors_named(&self, name: Name) -> impl Iterator<Item = ConstructorId> {
        let first = self.constructors_by_name.get(name);
        std::iter::successors(first, |id| self[*id].previous)
    }

    /// Lists all constructors in the order of their declarations.
    pub fn constructors(&self) -> impl Iterator<Item = (ConstructorId, &Constructor)> {
        (0..).map(ConstructorId).zip(&self.constructors)
    }

    /// Gives the constructor of this name that a sum has.
    pub fn constructor_of(&self, owner: TypeId, name: Name) -> Option<ConstructorId> {
        self.constructors_named(name)
            .find(|id| self[*id].owner == owner)
    }

    /// Gives the variant of a constructor.
    ///
    /// # Panics
    /// When the constructor is of another environment.
    pub fn variant(&self, id: ConstructorId) -> &Variant {
        let constructor = &self[id];
        match &self[constructor.owner].body {
            Body::Sum { variants, .. } => &variants[constructor.variant as usize],
            _ => unreachable!("only sums own constructors"),
        }
    }

    /// Gives the variants of a sum.
    pub fn variants(&self, id: TypeId) -> Option<&[Variant]> {
        match &self[id].body {
            Body::Sum { variants, .. } => Some(variants),
            _ => None,
        }
    }

    /// Gives the constructor of a variant of a sum.
    pub fn constructor_at(&self, owner: TypeId, variant: usize) -> Option<ConstructorId> {
        match &self[owner].body {
            Body::Sum { first, variants } if variant < variants.len() => {
                let offset = u32::try_from(variant).ok()?;
                Some(ConstructorId(first.0 + offset))
            }
            _ => None,
        }
    }

    /// Gives the fields of a record.
    pub fn record_fields(&self, id: TypeId) -> Option<&[Field]> {
        match &self[id].body {
            Body::Record(fields) => Some(fields),
            _ => None,
        }
    }

    /// Lists the records that have exactly these visible fields, in the order of their declarations.
    pub fn records_with(&self, fields: &[Name]) -> Vec<TypeId> {
        let has_all = |id: &&TypeId| {
            let declared = self.record_fields(**id).unwrap_or_default();
            let mut visible = declared.iter().filter(|field| field.ignored.is_none());
            visible.clone().count() == fields.len()
                && visible.all(|field| fields.contains(&field.name))
        };
        let mut found: Vec<TypeId> = fields
            .iter()
            .filter_map(|field| self.records_by_field.get(*field))
            .flat_map(|list| &self.record_lists[list as usize])
            .filter(has_all)
            .copied()
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl std::ops::Index<TypeId> for Environment {
    type Output = DeclaredType;

    fn index(&self, id: TypeId) -> &DeclaredType {
        &self.types[id.index()]
    }
}

impl std::ops::Index<ConstructorId> for Environment {
    type Output = Constructor;

    fn index(&self, id: ConstructorId) -> &Constructor {
        &self.constructors[id.index()]
    }
}

#[cfg(test)]
mod tests;
