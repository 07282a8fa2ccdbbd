//! Terms of one definition, and the variables that inference fills in.
//!
//! Nodes stand in one table, which is emptied between definitions; a variable that is filled in becomes a link. Recursion over
//! terms is bounded by [`MAX_DEPTH`], and every step counts against [`MAX_STEPS`], so that no text makes a definition
//! take long or fill the host's stack.

mod instantiate;
mod row;
mod show;
mod unify;

pub(crate) use instantiate::Substitution;
pub(crate) use row::{RowId, RowTail, RowVariable};
pub(crate) use show::{Shower, VariableNames};
pub(crate) use unify::{Clash, Part};

use hashbrown::HashMap;

use crate::environment::{Environment, TypeId, ids};

/// The most steps of unification and copying in one definition.
///
/// # Units and bounds
/// Visited nodes: 5 000 000. More give `limit-exceeded` for the definition.
pub(crate) const MAX_STEPS: u64 = 5_000_000;

/// The deepest type that is looked at.
///
/// # Units and bounds
/// Levels: 500, as of trees. A deeper one gives `limit-exceeded` for the definition.
pub(crate) const MAX_DEPTH: u32 = 500;

/// A term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Ty(u32);

impl Ty {
    /// What is not known because of a mistake reported already; unifies with everything.
    pub(crate) const ERROR: Self = Self(0);

    /// Gives the term of a type without parameters that every environment has.
    pub(crate) const fn of(id: TypeId) -> Self {
        Self(id.number() + 1)
    }

    pub(crate) const BOOL: Self = Self::of(ids::BOOL);
    pub(crate) const I64: Self = Self::of(ids::I64);
    pub(crate) const F64: Self = Self::of(ids::F64);
    pub(crate) const UTF8: Self = Self::of(ids::UTF8);
}

/// The forms of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// Unifies with everything.
    Error,
    /// A variable that may still become any type; deeper `let` values have higher levels.
    Variable { level: u32 },
    /// A variable that became another term.
    Link(Ty),
    /// A variable of the signature, by number.
    Rigid(u32),
    /// A type with arguments, which stand side by side in a table; never an alias.
    Type { id: TypeId, start: u32, len: u32 },
    /// A function.
    Arrow {
        domain: Ty,
        row: RowId,
        codomain: Ty,
    },
}

/// The level of variables that a `let` has generalised.
pub(crate) const GENERIC: u32 = u32::MAX;

/// A bound that inference reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Steps,
    Depth,
}

/// All terms of one definition.
#[derive(Debug)]
pub(crate) struct Store {
    nodes: Vec<Node>,
    arguments: Vec<Ty>,
    rows: row::Rows,
    /// Variables that were filled in since the outermost snapshot, with what they were.
    trail: Vec<(Ty, Node)>,
    snapshots: u32,
    /// The level of the `let` value that is inferred.
    pub(crate) level: u32,
    steps: u64,
    exceeded: Option<Bound>,
    /// The new variables of the type that is copied, by the generalised ones.
    copies: HashMap<Ty, Ty>,
    /// The new variables in the order in which they were made.
    copied: Vec<Ty>,
}

impl Store {
    /// Makes a store without variables.
    pub(crate) fn new() -> Self {
        let mut store = Self {
            nodes: Vec::new(),
            arguments: Vec::new(),
            rows: row::Rows::new(),
            trail: Vec::new(),
            snapshots: 0,
            level: 0,
            steps: 0,
            exceeded: None,
            copies: HashMap::new(),
            copied: Vec::new(),
        };
        store.nodes.push(Node::Error);
        // One node for each type that every environment has; those with parameters are never reached through it.
        store.nodes.extend((0..ids::COUNT).map(|index| Node::Type {
            id: TypeId::from_index(index),
            start: 0,
            len: 0,
        }));
        store
    }

    /// Forgets all terms.
    pub(crate) fn clear(&mut self) {
        self.nodes.truncate(ids::COUNT + 1);
        self.arguments.clear();
        self.rows.clear();
        self.trail.clear();
        self.snapshots = 0;
        self.level = 0;
        self.steps = 0;
        self.exceeded = None;
    }

    /// Gives the bound that was reached, if one was.
    pub(crate) fn exceeded(&self) -> Option<Bound> {
        self.exceeded
    }

    /// Counts the steps taken.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Counts one step at a depth; false when a bound is reached.
    pub(crate) fn step(&mut self, depth: u32) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            self.exceeded.get_or_insert(Bound::Steps);
        } else if depth > MAX_DEPTH {
            self.exceeded.get_or_insert(Bound::Depth);
        }
        self.exceeded.is_none()
    }

    fn push(&mut self, node: Node) -> Ty {
        let index = u32::try_from(self.nodes.len()).expect("steps bound the number of nodes");
        self.nodes.push(node);
        Ty(index)
    }

    /// Makes a new variable.
    pub(crate) fn fresh(&mut self) -> Ty {
        let level = self.level;
        self.push(Node::Variable { level })
    }

    /// Makes the term of a variable of the signature.
    pub(crate) fn rigid(&mut self, number: u32) -> Ty {
        self.push(Node::Rigid(number))
    }

    /// Makes a function.
    pub(crate) fn arrow(&mut self, domain: Ty, row: RowId, codomain: Ty) -> Ty {
        self.push(Node::Arrow {
            domain,
            row,
            codomain,
        })
    }

    /// Makes a type with arguments; it is no alias.
    pub(crate) fn applied(&mut self, id: TypeId, arguments: &[Ty]) -> Ty {
        if arguments.is_empty() && id.is_kernel() {
            return Ty::of(id);
        }
        let start = u32::try_from(self.arguments.len()).expect("steps bound the arguments");
        self.arguments.extend_from_slice(arguments);
        let len = u32::try_from(arguments.len()).expect("a type has few parameters");
        self.push(Node::Type { id, start, len })
    }

    /// Makes a type with a new variable for each parameter; it is no alias.
    pub(crate) fn applied_fresh(&mut self, id: TypeId, environment: &Environment) -> Ty {
        let count = environment[id].params.len();
        if count == 0 && id.is_kernel() {
            return Ty::of(id);
        }
        let arguments: Vec<Ty> = (0..count).map(|_| self.fresh()).collect();
        self.applied(id, &arguments)
    }

    /// Gives the arguments of a type.
    pub(crate) fn arguments(&self, start: u32, len: u32) -> &[Ty] {
        let start = start as usize;
        &self.arguments[start..start + len as usize]
    }

    /// Gives one argument of a type.
    pub(crate) fn argument(&self, start: u32, index: u32) -> Ty {
        self.arguments[(start + index) as usize]
    }

    /// Follows links to the term that is meant.
    pub(crate) fn shallow(&self, mut ty: Ty) -> Ty {
        while let Node::Link(next) = self.nodes[ty.0 as usize] {
            ty = next;
        }
        ty
    }

    /// Gives the form of the term that is meant, which is no link.
    pub(crate) fn node(&self, ty: Ty) -> Node {
        self.nodes[self.shallow(ty).0 as usize]
    }

    /// Says whether a type is not known because of a mistake reported already.
    pub(crate) fn is_error(&self, ty: Ty) -> bool {
        matches!(self.node(ty), Node::Error)
    }

    /// Says whether nothing is known of a type yet.
    pub(crate) fn is_variable(&self, ty: Ty) -> bool {
        matches!(self.node(ty), Node::Variable { .. })
    }

    /// Fills in a variable, which is no link.
    fn fill(&mut self, variable: Ty, ty: Ty) {
        let index = variable.0 as usize;
        if self.snapshots > 0 {
            self.trail.push((variable, self.nodes[index]));
        }
        self.nodes[index] = Node::Link(ty);
    }

    fn set_level(&mut self, variable: Ty, level: u32) {
        let index = variable.0 as usize;
        if self.snapshots > 0 {
            self.trail.push((variable, self.nodes[index]));
        }
        self.nodes[index] = Node::Variable { level };
    }

    /// Remembers what is known, for [`rollback`](Self::rollback) or [`commit`](Self::commit).
    pub(crate) fn snapshot(&mut self) -> Snapshot {
        self.snapshots += 1;
        self.rows.snapshots += 1;
        Snapshot {
            trail: self.trail.len(),
            rows: self.rows.mark(),
        }
    }

    /// Keeps what was learned since a snapshot.
    pub(crate) fn commit(&mut self, _snapshot: Snapshot) {
        self.snapshots -= 1;
        self.rows.snapshots -= 1;
        if self.snapshots == 0 {
            self.trail.clear();
            self.rows.forget();
        }
    }

    /// Forgets what was learned since a snapshot.
    pub(crate) fn rollback(&mut self, snapshot: Snapshot) {
        while self.trail.len() > snapshot.trail {
            if let Some((variable, node)) = self.trail.pop() {
                self.nodes[variable.0 as usize] = node;
            }
        }
        self.rows.rollback(snapshot.rows);
        self.commit(snapshot);
    }

    /// Begins counting steps anew, for a search that is taken back; gives what is to be restored behind it.
    pub(crate) fn begin_budget(&mut self) -> Budget {
        Budget {
            steps: std::mem::take(&mut self.steps),
            exceeded: self.exceeded,
            nodes: self.nodes.len(),
            arguments: self.arguments.len(),
            rows: self.rows.len(),
        }
    }

    /// Ends a search: its steps do not count, and the terms that it made are forgotten.
    pub(crate) fn end_budget(&mut self, budget: &Budget) {
        self.steps = budget.steps;
        self.exceeded = budget.exceeded;
        self.nodes.truncate(budget.nodes);
        self.arguments.truncate(budget.arguments);
        self.rows.truncate(budget.rows);
    }

    /// Makes every variable in a type not known because of a mistake reported already.
    pub(crate) fn poison(&mut self, ty: Ty) {
        self.poison_at(ty, None, 0);
    }

    /// Does so with the variables that a deeper level than the given one introduced.
    pub(crate) fn poison_above(&mut self, ty: Ty, level: u32) {
        self.poison_at(ty, Some(level), 0);
    }

    fn poison_at(&mut self, ty: Ty, above: Option<u32>, depth: u32) {
        let ty = self.shallow(ty);
        match self.node(ty) {
            Node::Variable { level: GENERIC } => {}
            Node::Variable { level } if above.is_none_or(|above| level > above) => {
                self.fill(ty, Ty::ERROR);
            }
            Node::Type { start, len, .. } if len > 0 && self.step(depth) => {
                for index in 0..len {
                    self.poison_at(self.argument(start, index), above, depth + 1);
                }
            }
            Node::Arrow {
                domain, codomain, ..
            } if self.step(depth) => {
                self.poison_at(domain, above, depth + 1);
                self.poison_at(codomain, above, depth + 1);
            }
            _ => {}
        }
    }

    /// Says whether some part of a type is not known because of a mistake reported already.
    pub(crate) fn holds_error(&mut self, ty: Ty) -> bool {
        self.holds(ty, &|node| matches!(node, Node::Error), 0)
    }

    /// Says whether a variable, of the signature or not yet known, is in a type.
    pub(crate) fn holds_variable(&mut self, ty: Ty) -> bool {
        let is_variable = |node| matches!(node, Node::Variable { .. } | Node::Rigid(_));
        self.holds(ty, &is_variable, 0)
    }

    fn holds(&mut self, ty: Ty, is_meant: &impl Fn(Node) -> bool, depth: u32) -> bool {
        let node = self.node(ty);
        if is_meant(node) {
            return true;
        }
        if !self.step(depth) {
            return false;
        }
        match node {
            Node::Type { start, len, .. } => {
                (0..len).any(|index| self.holds(self.argument(start, index), is_meant, depth + 1))
            }
            Node::Arrow {
                domain, codomain, ..
            } => {
                self.holds(domain, is_meant, depth + 1) || self.holds(codomain, is_meant, depth + 1)
            }
            _ => false,
        }
    }
}

/// What a search is measured by.
#[derive(Debug)]
#[must_use]
pub(crate) struct Budget {
    steps: u64,
    exceeded: Option<Bound>,
    nodes: usize,
    arguments: usize,
    rows: (usize, usize),
}

/// What was known at some time.
#[derive(Debug)]
#[must_use]
pub(crate) struct Snapshot {
    trail: usize,
    rows: row::RowMark,
}
