//! The type that is asked for, and how it is compared.

use thiserror::Error;

use super::Trial;
use crate::environment::Environment;
use crate::program::Program;
use crate::source::FileId;
use crate::syntax::tree::{Tree, TypeId, TypeKind};
use crate::syntax::{Names, Part, parse_type};
use crate::types::store::{RowTail, Store, Substitution, Ty};
use crate::types::{Scheme, Schemes, WrittenVariables};

/// A type to search for, over the types of one program.
#[derive(Clone, Debug)]
pub struct Goal {
    pub(super) schemes: Schemes,
    pub(super) scheme: Scheme,
}

/// A text that is no type of the program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GoalError {
    /// The text does not read.
    #[error("is no type: {0}")]
    Syntax(String),
    /// A type in it is not declared.
    #[error("names the type `{0}`, which is not declared")]
    UnknownType(String),
    /// A type in it has a wrong number of arguments.
    #[error("gives `{name}` {given} arguments, it takes {expected}")]
    Arity {
        /// The type.
        name: String,
        /// How many arguments it takes.
        expected: usize,
        /// How many it has here.
        given: usize,
    },
}

impl Goal {
    /// Reads a type as a signature has it behind its `:`; refinements in it count for nothing.
    ///
    /// # Errors
    /// When the text does not read, or names a type that the program does not have.
    pub fn read(program: &Program, text: &str) -> Result<Self, GoalError> {
        let mut names = program.names.clone();
        let mut tree = Tree::new();
        let part = Part {
            file: FileId::new(0),
            bytes: text.as_bytes(),
            range: 0..text.len(),
        };
        let ty = parse_type(part, &mut names, &mut tree).map_err(|diagnostics| {
            let first = diagnostics.into_sorted().into_iter().next();
            GoalError::Syntax(first.map(|found| found.message).unwrap_or_default())
        })?;
        known(&tree, ty, &program.environment, &names)?;
        let mut schemes = Schemes::new();
        let mut variables = WrittenVariables::default();
        let scheme = schemes.add(&tree, ty, &program.environment, &mut variables);
        Ok(Self { schemes, scheme })
    }
}

/// Refuses types that are not declared or have a wrong number of arguments.
fn known(
    tree: &Tree,
    ty: TypeId,
    environment: &Environment,
    names: &Names,
) -> Result<(), GoalError> {
    match tree[ty].kind {
        TypeKind::Error | TypeKind::Variable { .. } => Ok(()),
        TypeKind::Refined { base, .. } => known(tree, base, environment, names),
        TypeKind::Arrow {
            domain, codomain, ..
        } => {
            known(tree, domain, environment, names)?;
            known(tree, codomain, environment, names)
        }
        TypeKind::Constructor { name, arguments } => {
            let text = || names[name].to_owned();
            let found = environment.type_named(name);
            let found = found.ok_or_else(|| GoalError::UnknownType(text()))?;
            let expected = environment[found].params.len();
            let given = arguments.len();
            if expected != given {
                let name = text();
                return Err(GoalError::Arity {
                    name,
                    expected,
                    given,
                });
            }
            let mut arguments = tree[arguments].iter();
            arguments.try_for_each(|id| known(tree, *id, environment, names))
        }
    }
}

/// What the variables of a type are during a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Variables {
    /// They may become anything.
    Open,
    /// They may become anything, and so may closed rows where the definition gives them.
    Used,
    /// They stand for themselves.
    Rigid,
}

impl Trial<'_> {
    /// Says whether the definition's own signature does not read, so that it would match everything.
    pub(super) fn holds_error(&self, store: &mut Store) -> bool {
        store.clear();
        let own = self.own(store, Variables::Open);
        store.holds_error(own)
    }

    /// Says whether the definition can be used where the goal is wanted.
    pub(super) fn is_usable(&self, store: &mut Store) -> bool {
        self.meets(store, Variables::Used, Variables::Rigid)
    }

    /// Says whether the goal is an instance of the definition's type, rows and all.
    pub(super) fn is_general(&self, store: &mut Store) -> bool {
        self.meets(store, Variables::Open, Variables::Rigid)
    }

    /// Says whether the definition's type is an instance of the goal.
    pub(super) fn is_instance(&self, store: &mut Store) -> bool {
        self.meets(store, Variables::Rigid, Variables::Open)
    }

    /// Asks whether the parts of both types fit together in another way, the goal's variables standing for themselves.
    pub(super) fn fits(
        &self,
        store: &mut Store,
        ask: impl FnOnce(&mut Store, Ty, Ty) -> bool,
    ) -> bool {
        store.clear();
        let own = self.own(store, Variables::Used);
        let goal = self.wanted(store, Variables::Rigid);
        ask(store, own, goal) && store.exceeded().is_none()
    }

    fn meets(&self, store: &mut Store, own: Variables, wanted: Variables) -> bool {
        store.clear();
        let own = self.own(store, own);
        let wanted = self.wanted(store, wanted);
        store.unify(own, wanted).is_ok() && store.exceeded().is_none()
    }

    fn own(&self, store: &mut Store, variables: Variables) -> Ty {
        let scheme = self.program[self.id].scheme;
        self.copy(store, &self.program.schemes, scheme, variables)
    }

    fn wanted(&self, store: &mut Store, variables: Variables) -> Ty {
        self.copy(store, &self.goal.schemes, self.goal.scheme, variables)
    }

    fn copy(
        &self,
        store: &mut Store,
        schemes: &Schemes,
        scheme: Scheme,
        variables: Variables,
    ) -> Ty {
        let is_rigid = variables == Variables::Rigid;
        let mut types = Vec::new();
        for number in 0..scheme.variables {
            types.push(if is_rigid {
                store.rigid(number)
            } else {
                store.fresh()
            });
        }
        let mut rows = Vec::new();
        for number in 0..scheme.row_variables {
            rows.push(if is_rigid {
                RowTail::Rigid(number)
            } else {
                store.fresh_tail()
            });
        }
        let substitution = Substitution {
            schemes,
            environment: &self.program.environment,
            types: &types,
            rows: &rows,
            opens_rows: variables == Variables::Used,
        };
        store.copy_scheme(scheme.root, &substitution, true)
    }
}
