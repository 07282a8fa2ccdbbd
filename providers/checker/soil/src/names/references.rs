//! What a definition refers to outside itself.

use super::Referent;
use crate::environment::TypeId;
use crate::syntax::{Name, Names};

/// The list of a document in which a reference stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReferenceKind {
    /// A public definition.
    Definition,
    /// A type in signature or annotations.
    Type,
    /// A builtin or `T::operation`.
    Builtin,
    /// A private definition.
    Private,
}

/// One name that a definition refers to, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The list in which it stands.
    pub kind: ReferenceKind,
    /// What stands before a `::`.
    pub space: Option<Name>,
    /// The name.
    pub name: Name,
    /// What it means, but for types.
    pub referent: Referent,
    /// The type that it means.
    pub ty: Option<TypeId>,
}

impl Reference {
    /// Gives the name as it is written.
    pub fn text(&self, names: &Names) -> String {
        let name = &names[self.name];
        match self.space {
            Some(space) => format!("{}::{name}", &names[space]),
            None => name.to_owned(),
        }
    }
}

/// All that a definition refers to, itself left out.
#[derive(Clone, Debug, Default)]
pub struct References {
    found: Vec<Reference>,
}

impl References {
    pub(super) fn push(&mut self, reference: Reference) {
        self.found.push(reference);
    }

    /// Lists the references with their texts: by kind, sorted by text, none twice.
    pub fn sorted(&self, names: &Names) -> Vec<(String, Reference)> {
        let texts = self.found.iter();
        let mut sorted: Vec<(String, Reference)> = texts
            .map(|reference| (reference.text(names), *reference))
            .collect();
        sorted.sort_by(|left, right| (left.1.kind, &left.0).cmp(&(right.1.kind, &right.0)));
        sorted.dedup_by(|right, left| right.1.kind == left.1.kind && right.0 == left.0);
        sorted
    }
}
