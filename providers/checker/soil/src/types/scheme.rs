//! Types of global things, over their variables.

use crate::environment::{Environment, TypeId};
use crate::syntax::Name;
use crate::syntax::tree::{self, Effects, Tree, TypeKind};

/// A node of a scheme, within its [`Schemes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemeType(u32);

/// The type of a definition or a builtin.
///
/// Variables are numbered by first appearance in the written signature, those of types and of rows each from 0.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// The whole type.
    pub root: SchemeType,
    /// How many type variables it has.
    pub variables: u32,
    /// How many row variables it has.
    pub row_variables: u32,
}

/// The forms of a scheme's node.
#[derive(Clone, Copy, Debug)]
pub enum SchemeNode {
    /// What did not read or does not exist; unifies with everything.
    Error,
    /// A type variable.
    Variable(u32),
    /// A type with its arguments, at these places of the arguments; may be an alias.
    Type {
        /// The type.
        id: TypeId,
        /// The place of its first argument.
        start: u32,
        /// How many arguments it has.
        len: u32,
    },
    /// A function.
    Arrow {
        /// The type of the argument.
        domain: SchemeType,
        /// What a call performs.
        row: SchemeRow,
        /// The type of the result.
        codomain: SchemeType,
    },
}

/// What a call of a function performs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemeRow {
    /// The effects named; `ffi` has brought `panic` with it.
    pub effects: Effects,
    /// The row variable.
    pub variable: Option<u32>,
}

/// The nodes of many schemes.
#[derive(Clone, Debug)]
pub struct Schemes {
    nodes: Vec<SchemeNode>,
    arguments: Vec<SchemeType>,
}

/// The variables of a written signature, by number.
#[derive(Clone, Debug, Default)]
pub struct WrittenVariables {
    /// Names of type variables.
    pub types: Vec<Name>,
    /// Names of row variables.
    pub rows: Vec<Name>,
}

impl Schemes {
    /// Makes a table without schemes.
    pub fn new() -> Self {
        let nodes = vec![SchemeNode::Error];
        let arguments = Vec::new();
        Self { nodes, arguments }
    }

    /// Gives the arguments of a type.
    pub fn arguments(&self, start: u32, len: u32) -> &[SchemeType] {
        let start = start as usize;
        &self.arguments[start..start + len as usize]
    }

    /// Makes the scheme of a written signature; what is unknown in it or has a wrong number of arguments is an error node.
    pub fn add(
        &mut self,
        tree: &Tree,
        signature: tree::TypeId,
        environment: &Environment,
        variables: &mut WrittenVariables,
    ) -> Scheme {
        let mut writing = Writing {
            schemes: self,
            tree,
            environment,
            variables,
        };
        let root = writing.node(signature);
        Scheme {
            root,
            variables: count(variables.types.len()),
            row_variables: count(variables.rows.len()),
        }
    }

    fn push(&mut self, node: SchemeNode) -> SchemeType {
        self.nodes.push(node);
        SchemeType(count(self.nodes.len() - 1))
    }
}

impl Default for Schemes {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Index<SchemeType> for Schemes {
    type Output = SchemeNode;

    fn index(&self, ty: SchemeType) -> &SchemeNode {
        &self.nodes[ty.0 as usize]
    }
}

/// The node of what is not known; the first of each table.
const ERROR: SchemeType = SchemeType(0);

struct Writing<'a> {
    schemes: &'a mut Schemes,
    tree: &'a Tree,
    environment: &'a Environment,
    variables: &'a mut WrittenVariables,
}

impl Writing<'_> {
    fn node(&mut self, id: tree::TypeId) -> SchemeType {
        match self.tree[id].kind {
            TypeKind::Error => ERROR,
            TypeKind::Refined { base, .. } => self.node(base),
            TypeKind::Variable { name } => {
                let number = number(&mut self.variables.types, name);
                self.schemes.push(SchemeNode::Variable(number))
            }
            TypeKind::Constructor { name, arguments } => {
                let found = self.environment.type_named(name);
                let arity = arguments.len();
                let fits = |id: &TypeId| self.environment[*id].params.len() == arity;
                // Arguments are numbered for their variables even where the type is not known.
                let written = self.tree[arguments].iter();
                let written: Vec<SchemeType> = written.map(|id| self.node(*id)).collect();
                let Some(id) = found.filter(fits) else {
                    return ERROR;
                };
                let start = count(self.schemes.arguments.len());
                self.schemes.arguments.extend(written);
                let len = count(arity);
                self.schemes.push(SchemeNode::Type { id, start, len })
            }
            TypeKind::Arrow {
                domain,
                row,
                codomain,
                ..
            } => {
                let domain = self.node(domain);
                let row = SchemeRow {
                    effects: row.effects.closed(),
                    variable: row
                        .variable
                        .map(|name| number(&mut self.variables.rows, name)),
                };
                let codomain = self.node(codomain);
                self.schemes.push(SchemeNode::Arrow {
                    domain,
                    row,
                    codomain,
                })
            }
        }
    }
}

/// Gives the number of a variable, a new one at its first appearance.
fn number(names: &mut Vec<Name>, name: Name) -> u32 {
    let position = names.iter().position(|known| *known == name);
    count(position.unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    }))
}

fn count(len: usize) -> u32 {
    u32::try_from(len).expect("a program in memory has fewer than 2^32 type nodes")
}
