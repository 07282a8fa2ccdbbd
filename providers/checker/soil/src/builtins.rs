//! What the language provides without a definition.

mod table;

use std::sync::LazyLock;

use crate::environment::Environment;
use crate::source::FileId;
use crate::syntax::tree::{Tree, TypeId};
use crate::syntax::{Name, Names, Part, parse_signature};
use crate::types::{Scheme, Schemes, WrittenVariables};
use table::TABLE;

/// The number of a builtin, by its place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BuiltinId(u16);

impl BuiltinId {
    /// Gives the position in the table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Lists all builtins.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).map(Self).take(TABLE.len())
    }

    /// Gives the builtin with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|id| id.name() == name)
    }

    /// Gives its name.
    pub fn name(self) -> &'static str {
        let signature = self.signature();
        signature.split(' ').next().unwrap_or(signature)
    }

    /// Gives `name : type`.
    pub fn signature(self) -> &'static str {
        TABLE[self.index()].1
    }

    /// Gives the text of its type.
    pub fn type_text(self) -> &'static str {
        let signature = self.signature();
        signature
            .split_once(" : ")
            .map_or(signature, |(_, text)| text)
    }

    /// Says whether it is a base builtin, whose name nothing else may have; the names of the others are soft.
    pub fn is_base(self) -> bool {
        TABLE[self.index()].0
    }

    /// Says whether the first type variable of its type has to have an order at each use.
    pub fn needs_order(self) -> bool {
        matches!(self.name(), "map_get" | "map_insert" | "map_remove")
    }
}

/// The types of all builtins.
#[derive(Debug)]
pub struct Builtins {
    /// The nodes of the types.
    pub schemes: Schemes,
    types: Vec<(Scheme, TypeId)>,
    /// The written types.
    pub tree: Tree,
    /// The names in the written types.
    pub names: Names,
}

static BUILTINS: LazyLock<Builtins> = LazyLock::new(Builtins::read);

impl Builtins {
    /// Gives the types of all builtins.
    pub fn get() -> &'static Self {
        &BUILTINS
    }

    /// Gives the type of one.
    pub fn scheme(&self, id: BuiltinId) -> Scheme {
        self.types[id.index()].0
    }

    /// Gives the type of one as it is written.
    pub fn written(&self, id: BuiltinId) -> TypeId {
        self.types[id.index()].1
    }

    fn read() -> Self {
        let mut names = Names::new();
        let environment = Environment::kernel_in(&mut names);
        let mut tree = Tree::new();
        let mut schemes = Schemes::new();
        let types = BuiltinId::all().map(|id| {
            let text = id.signature();
            let part = Part {
                file: FileId::new(0),
                bytes: text.as_bytes(),
                range: 0..text.len(),
            };
            let (_, ty) = parse_signature(part, &mut names, &mut tree)
                .expect("the table holds signatures that read");
            let mut variables = WrittenVariables::default();
            let scheme = schemes.add(&tree, ty, &environment, &mut variables);
            (scheme, ty)
        });
        let types = types.collect();
        Self {
            schemes,
            types,
            tree,
            names,
        }
    }
}

/// Gives the names of all builtins, in the order of the table.
pub(crate) fn intern(names: &mut Names) -> Vec<(Name, BuiltinId)> {
    BuiltinId::all()
        .map(|id| (names.intern(id.name()), id))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print;

    #[test]
    fn types_are_canonical_and_known() {
        let builtins = Builtins::get();
        for id in BuiltinId::all() {
            let written = builtins.written(id);
            let printed = print::ty(&builtins.tree, &builtins.names, written);
            assert_eq!(printed, id.type_text(), "{}", id.name());
            assert_eq!(BuiltinId::named(id.name()), Some(id), "each name once");
            assert!(!format!("{:?}", builtins.scheme(id)).is_empty());
        }
        assert_eq!(BuiltinId::all().filter(|id| id.is_base()).count(), 19);
    }
}
