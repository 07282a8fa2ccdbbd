//! The hashes of a program's definitions.

use std::sync::LazyLock;

use hashbrown::HashMap;

use super::{BASE_BUILTIN, Digest, EXTENDED_BUILTIN, Edge, soil_hash};
use crate::check::{CheckOptions, Checked, CheckedDefinition, Depth, check};
use crate::environment::{Environment, TypeId, declaration_line};
use crate::names::{Reference, ReferenceKind, Referent};
use crate::print;
use crate::program::{DefinitionId, Program, prelude};
use crate::syntax::Names;

/// A definition with its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashedDefinition {
    /// The definition.
    pub id: DefinitionId,
    /// Its hash; none when that of something it refers to is not known.
    pub soil_hash: Option<Digest>,
    /// The public definitions that it refers to, as written, with their hashes.
    pub calls: Vec<(String, Option<Digest>)>,
    /// The private definitions that it refers to, with their hashes.
    pub private_helpers: Vec<(String, Option<Digest>)>,
}

/// Hashes the definitions of a program whose names were looked up.
///
/// A definition of which only the signature is read has no hash of its own here: `known` gives it.
pub fn soil_hashes(
    checked: &Checked<'_>,
    known: impl Fn(DefinitionId) -> Option<Digest>,
) -> Vec<HashedDefinition> {
    let mut hashes: Vec<HashedDefinition> = Vec::with_capacity(checked.definitions.len());
    let mut own: HashMap<DefinitionId, Option<Digest>> = HashMap::new();
    let types = TypeHashes::new(&checked.program.environment, &checked.program.names);
    let program = checked.program;
    for definition in &checked.definitions {
        let references = definition.references.sorted(&program.names);
        let digest = |reference: &Reference| match reference.referent {
            Referent::Definition(id) => own.get(&id).copied().unwrap_or_else(|| known(id)),
            Referent::Prelude(id) => prelude_hash(id),
            _ => None,
        };
        let mut edges = Some(Vec::new());
        let (mut calls, mut private_helpers) = (Vec::new(), Vec::new());
        for (text, reference) in &references {
            let referent = match reference.kind {
                ReferenceKind::Definition | ReferenceKind::Private => {
                    let found = digest(reference);
                    let list = if reference.kind == ReferenceKind::Private {
                        &mut private_helpers
                    } else {
                        &mut calls
                    };
                    list.push((text.clone(), found));
                    found.map(|digest| digest.to_string())
                }
                ReferenceKind::Builtin => Some(builtin_referent(reference).to_owned()),
                ReferenceKind::Type => match reference.ty {
                    Some(ty) if !ty.is_kernel() => Some(types.hash(ty).to_string()),
                    _ => continue,
                },
            };
            let edge = referent.map(|referent| Edge {
                name: text.clone(),
                referent,
            });
            edges = edges.zip(edge).map(|(mut edges, edge)| {
                edges.push(edge);
                edges
            });
        }
        let soil_hash = edges.map(|edges| soil_hash(&hash_form(program, definition.id), &edges));
        own.insert(definition.id, soil_hash);
        hashes.push(HashedDefinition {
            id: definition.id,
            soil_hash,
            calls,
            private_helpers,
        });
    }
    hashes
}

/// Hashes a definition as if what it calls had the hashes that a lock holds, by the names as written.
///
/// None when the hash of something it refers to is not known.
pub fn soil_hash_with(
    checked: &Checked<'_>,
    definition: &CheckedDefinition,
    stored: impl Fn(&str) -> Option<Digest>,
) -> Option<Digest> {
    let program = checked.program;
    let types = TypeHashes::new(&program.environment, &program.names);
    let mut edges = Vec::new();
    for (text, reference) in definition.references.sorted(&program.names) {
        let referent = match reference.kind {
            ReferenceKind::Definition | ReferenceKind::Private => stored(&text)?.to_string(),
            ReferenceKind::Builtin => builtin_referent(&reference).to_owned(),
            ReferenceKind::Type => match reference.ty {
                Some(ty) if !ty.is_kernel() => types.hash(ty).to_string(),
                _ => continue,
            },
        };
        edges.push(Edge {
            name: text,
            referent,
        });
    }
    Some(soil_hash(&hash_form(program, definition.id), &edges))
}

fn hash_form(program: &Program, id: DefinitionId) -> String {
    let tree = &program.file_of(id).tree;
    print::hash_form(tree, &program.names, program.written(id))
}

fn builtin_referent(reference: &Reference) -> &'static str {
    match reference.referent {
        Referent::Builtin(id) if !id.is_base() => EXTENDED_BUILTIN,
        _ => BASE_BUILTIN,
    }
}

/// Gives the hash of a definition of the prelude.
fn prelude_hash(id: DefinitionId) -> Option<Digest> {
    static HASHES: LazyLock<Vec<HashedDefinition>> = LazyLock::new(|| {
        let options = CheckOptions {
            depth: Depth::Names,
            is_rich: false,
        };
        soil_hashes(&check(prelude(), options), |_| None)
    });
    let mut hashes = HASHES.iter();
    hashes.find(|hashed| hashed.id == id)?.soil_hash
}

/// What declared types count as in the hashes of definitions that name them.
#[derive(Debug)]
pub struct TypeHashes<'a> {
    environment: &'a Environment,
    names: &'a Names,
    /// For each type the group of types that need each other to which it belongs.
    groups: Vec<u32>,
}

impl<'a> TypeHashes<'a> {
    /// Finds the types that need each other.
    pub fn new(environment: &'a Environment, names: &'a Names) -> Self {
        Self {
            environment,
            names,
            groups: environment.groups(),
        }
    }

    /// Gives what a declared type counts as: its formal hash, or the cycle hash where it is in a cycle.
    ///
    /// A type whose entry has no formal hash counts with the digest of its declaration.
    pub fn hash(&self, id: TypeId) -> Digest {
        let line = |id: TypeId| declaration_line(self.environment, self.names, id);
        self.cycle_hash(id).unwrap_or_else(|| {
            let declared = self.environment[id].formal;
            declared.unwrap_or_else(|| Digest::of(["soil-type/1", &line(id)]))
        })
    }

    /// Gives the hash of the cycle that a type is in: of two or more types that need each other.
    pub fn cycle_hash(&self, id: TypeId) -> Option<Digest> {
        let group = self.groups[id.index()];
        let members = self.environment.types().map(|(id, _)| id);
        let members = members.filter(|id| self.groups[id.index()] == group);
        let mut members: Vec<TypeId> = members.collect();
        if members.len() < 2 {
            return None;
        }
        members.sort_by_key(|id| &self.names[self.environment[*id].name]);
        let lines = members
            .iter()
            .map(|id| declaration_line(self.environment, self.names, *id));
        let parts = std::iter::once("soil-cycle/1".to_owned()).chain(lines);
        Some(Digest::of(parts))
    }
}
