//! Rows: what a call performs.

use super::Store;
use crate::syntax::tree::Effects;

/// A row of one definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RowId(u32);

impl RowId {
    /// The row that performs nothing and never will.
    pub(crate) const EMPTY: Self = Self(0);
}

/// What a row may still become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowTail {
    /// Nothing more.
    Closed,
    /// What a variable of the signature stands for, by number.
    Rigid(u32),
    /// Anything.
    Open(RowVariable),
}

/// A part of rows that is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RowVariable(u32);

#[derive(Clone, Copy, Debug)]
struct Row {
    effects: Effects,
    tail: RowTail,
}

/// The rows of one definition.
#[derive(Debug)]
pub(super) struct Rows {
    all: Vec<Row>,
    /// What each variable became.
    filled: Vec<Option<RowId>>,
    trail: Vec<RowVariable>,
    pub(super) snapshots: u32,
}

/// What was known of rows at some time.
pub(super) type RowMark = usize;

const CLOSED: Row = Row {
    effects: Effects::NONE,
    tail: RowTail::Closed,
};

impl Rows {
    pub(super) fn new() -> Self {
        Self {
            all: vec![CLOSED],
            filled: Vec::new(),
            trail: Vec::new(),
            snapshots: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.all.truncate(1);
        self.filled.clear();
        self.trail.clear();
        self.snapshots = 0;
    }

    pub(super) fn mark(&self) -> RowMark {
        self.trail.len()
    }

    /// Counts the rows and the variables.
    pub(super) fn len(&self) -> (usize, usize) {
        (self.all.len(), self.filled.len())
    }

    /// Forgets the rows and variables made last, which nothing refers to.
    pub(super) fn truncate(&mut self, (rows, variables): (usize, usize)) {
        self.all.truncate(rows);
        self.filled.truncate(variables);
    }

    pub(super) fn forget(&mut self) {
        self.trail.clear();
    }

    pub(super) fn rollback(&mut self, mark: RowMark) {
        for variable in self.trail.drain(mark..) {
            self.filled[variable.0 as usize] = None;
        }
    }

    fn push(&mut self, effects: Effects, tail: RowTail) -> RowId {
        let index = u32::try_from(self.all.len()).expect("steps bound the number of rows");
        self.all.push(Row { effects, tail });
        RowId(index)
    }

    fn variable(&mut self) -> RowVariable {
        let index = u32::try_from(self.filled.len()).expect("steps bound the number of rows");
        self.filled.push(None);
        RowVariable(index)
    }

    /// Makes a variable stand for effects and a tail; both may be what it is already.
    fn fill(&mut self, variable: RowVariable, effects: Effects, tail: RowTail) {
        if effects.is_empty() && tail == RowTail::Open(variable) {
            return;
        }
        let row = self.push(effects, tail);
        self.filled[variable.0 as usize] = Some(row);
        if self.snapshots > 0 {
            self.trail.push(variable);
        }
    }

    fn resolve(&self, row: RowId) -> (Effects, RowTail) {
        let Row { effects, tail } = self.all[row.0 as usize];
        self.follow(effects, tail)
    }

    /// Lists the variables that a row has gone through.
    fn chain(&self, row: RowId) -> impl Iterator<Item = RowVariable> {
        let variable = |row: RowId| match self.all[row.0 as usize].tail {
            RowTail::Open(variable) => Some(variable),
            _ => None,
        };
        std::iter::successors(variable(row), move |last| {
            self.filled[last.0 as usize].and_then(variable)
        })
    }

    fn follow(&self, mut effects: Effects, mut tail: RowTail) -> (Effects, RowTail) {
        while let RowTail::Open(variable) = tail {
            let Some(next) = self.filled[variable.0 as usize] else {
                break;
            };
            let next = self.all[next.0 as usize];
            effects = effects.union(next.effects);
            tail = next.tail;
        }
        (effects, tail)
    }
}

impl Store {
    /// Makes a row of known effects and a tail.
    pub(crate) fn row(&mut self, effects: Effects, tail: RowTail) -> RowId {
        if effects.is_empty() && tail == RowTail::Closed {
            return RowId::EMPTY;
        }
        self.rows.push(effects, tail)
    }

    /// Makes a row of which nothing is known.
    pub(crate) fn fresh_row(&mut self) -> RowId {
        self.open_row(Effects::NONE)
    }

    /// Makes a row of known effects that may become more.
    pub(crate) fn open_row(&mut self, effects: Effects) -> RowId {
        let variable = self.rows.variable();
        self.rows.push(effects, RowTail::Open(variable))
    }

    /// Makes a tail that may become anything.
    pub(crate) fn fresh_tail(&mut self) -> RowTail {
        RowTail::Open(self.rows.variable())
    }

    /// Gives the effects known of a row, and what it may still become.
    pub(crate) fn effects(&self, row: RowId) -> (Effects, RowTail) {
        self.rows.resolve(row)
    }

    /// Gives the last variable that a row has gone through: rows that were made equal have the same.
    pub(crate) fn last_variable(&self, row: RowId) -> Option<RowVariable> {
        self.rows.chain(row).last()
    }

    /// Makes two rows equal; false when they cannot be.
    pub(crate) fn unify_rows(&mut self, left: RowId, right: RowId) -> bool {
        if left == right {
            return true;
        }
        let (left_effects, left_tail) = self.rows.resolve(left);
        let (right_effects, right_tail) = self.rows.resolve(right);
        let rows = &mut self.rows;
        match (left_tail, right_tail) {
            (RowTail::Open(left), RowTail::Open(right)) if left == right => {
                if left_effects != right_effects {
                    let both = left_effects.union(right_effects);
                    let tail = RowTail::Open(rows.variable());
                    rows.fill(left, both, tail);
                }
                true
            }
            (RowTail::Open(left), RowTail::Open(right)) => {
                let tail = if left_effects == right_effects {
                    RowTail::Open(right)
                } else {
                    let tail = RowTail::Open(rows.variable());
                    rows.fill(right, left_effects.without(right_effects), tail);
                    tail
                };
                rows.fill(left, right_effects.without(left_effects), tail);
                true
            }
            (RowTail::Open(variable), tail) => {
                let fits = left_effects.without(right_effects).is_empty();
                if fits {
                    rows.fill(variable, right_effects.without(left_effects), tail);
                }
                fits
            }
            (tail, RowTail::Open(variable)) => {
                let fits = right_effects.without(left_effects).is_empty();
                if fits {
                    rows.fill(variable, left_effects.without(right_effects), tail);
                }
                fits
            }
            _ => left_tail == right_tail && left_effects == right_effects,
        }
    }

    /// Lets a row grow to what is performed within it, as far as it is open; true when it changed.
    pub(crate) fn grow(&mut self, context: RowId, performed: RowId) -> bool {
        let (effects, tail) = self.rows.resolve(performed);
        let (present, own) = self.rows.resolve(context);
        let RowTail::Open(variable) = own else {
            return false;
        };
        let missing = effects.without(present);
        let tail = match tail {
            RowTail::Rigid(_) => tail,
            _ if missing.is_empty() => return false,
            _ => RowTail::Open(self.rows.variable()),
        };
        self.rows.fill(variable, missing, tail);
        true
    }
}
