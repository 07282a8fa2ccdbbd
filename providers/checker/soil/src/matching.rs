//! Whether the arms of a match cover every value, and whether each is ever reached.
//!
//! The arms are taken apart like a decision tree: at each step the first arm that is left says which part of the value is
//! looked at next. A branch without arms is a missing case; an arm that is first in no branch is never reached. Types
//! play no part beyond what the constructors of patterns say of them.

mod space;
mod witness;

pub(crate) use space::{Head, Key, Pattern, Patterns};

use crate::environment::Environment;
use crate::program::Program;
use space::{Branch, Cell, Occurrence, Row};

/// The most rows that are looked at in one match.
///
/// # Units and bounds
/// Rows of all matrices together: 200 000. More give `limit-exceeded`.
pub(crate) const MAX_ROWS: u64 = 200_000;

/// The most missing cases that are named.
pub(crate) const MAX_WITNESSES: usize = 8;

/// What is found about a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Patterns of missing cases, ready to be pasted.
    pub(crate) missing: Vec<String>,
    /// Whether further cases are missing.
    pub(crate) is_cut: bool,
    /// The arms that are never reached, each with the arms that cover it.
    pub(crate) redundant: Vec<(usize, Vec<usize>)>,
}

/// The bound on rows was reached, after so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyRows(pub(crate) u64);

/// Judges the patterns of a match's arms, in order.
pub(crate) fn judge(
    program: &Program,
    patterns: &Patterns,
    arms: &[Pattern],
) -> Result<Verdict, TooManyRows> {
    let mut walk = Walk::new(program, patterns, arms.len());
    walk.run(arms)?;
    let unreached: Vec<usize> = (0..arms.len()).filter(|arm| !walk.reached[*arm]).collect();
    let mut verdict = Verdict {
        missing: walk.missing,
        is_cut: walk.is_cut,
        redundant: Vec::new(),
    };
    if !unreached.is_empty() {
        let mut again = Walk::new(program, patterns, arms.len());
        again.wanted.clone_from(&unreached);
        again.run(arms)?;
        verdict.redundant = unreached.into_iter().zip(again.covered).collect();
    }
    Ok(verdict)
}

/// One way through the decision tree of a match.
struct Walk<'a> {
    program: &'a Program,
    environment: &'a Environment,
    patterns: &'a Patterns,
    open: Vec<Branch>,
    /// What was chosen on the way to each branch, as a list that ends at the whole value.
    choices: Vec<witness::Choice>,
    occurrences: u32,
    rows: u64,
    reached: Vec<bool>,
    missing: Vec<String>,
    is_cut: bool,
    /// The arms whose covering arms are looked for.
    wanted: Vec<usize>,
    covered: Vec<Vec<usize>>,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program, patterns: &'a Patterns, arms: usize) -> Self {
        Self {
            program,
            environment: &program.environment,
            patterns,
            open: Vec::new(),
            choices: Vec::new(),
            occurrences: 1,
            rows: 0,
            reached: vec![false; arms],
            missing: Vec::new(),
            is_cut: false,
            wanted: Vec::new(),
            covered: Vec::new(),
        }
    }

    fn run(&mut self, arms: &[Pattern]) -> Result<(), TooManyRows> {
        self.covered = vec![Vec::new(); self.wanted.len()];
        let rows = arms.iter().enumerate().map(|(arm, pattern)| Row {
            arm,
            cells: cells(Occurrence::ROOT, [*pattern]),
        });
        self.open.push(Branch {
            rows: rows.collect(),
            choice: None,
        });
        while let Some(branch) = self.open.pop() {
            self.rows += branch.rows.len() as u64 + 1;
            if self.rows > MAX_ROWS {
                return Err(TooManyRows(self.rows));
            }
            self.branch(branch);
        }
        Ok(())
    }

    fn branch(&mut self, branch: Branch) {
        let Some(first) = branch.rows.first() else {
            self.add_missing(branch.choice);
            return;
        };
        let Some(cell) = first.cells.first().copied() else {
            self.reached[first.arm] = true;
            for (position, arm) in self.wanted.iter().enumerate() {
                let is_here = branch.rows[1..].iter().any(|row| row.arm == *arm);
                if is_here && !self.covered[position].contains(&first.arm) {
                    self.covered[position].push(first.arm);
                }
            }
            return;
        };
        match self.patterns.head(cell.pattern) {
            Head::Wildcard => {}
            Head::Record(_) => self.split_record(branch, cell),
            Head::Constructor(_) => self.split_sum(branch, cell),
            Head::Literal(_) => self.split_literals(branch, cell),
        }
    }

    fn fresh(&mut self, count: usize) -> Occurrence {
        let first = Occurrence(self.occurrences);
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.occurrences = self.occurrences.saturating_add(count);
        first
    }

    /// Takes apart a record, which has one form.
    fn split_record(&mut self, branch: Branch, cell: Cell) {
        let parts = self.patterns.parts(cell.pattern).len();
        let first = self.fresh(parts);
        let head = self.patterns.head(cell.pattern);
        let choice = self.choose(
            branch.choice,
            cell.occurrence,
            witness::Chosen::Form(head, first),
        );
        let rows = branch.rows.into_iter();
        let rows = rows.map(|row| self.expanded(row, cell.occurrence, first));
        let rows = rows.collect();
        self.open.push(Branch {
            rows,
            choice: Some(choice),
        });
    }

    /// Takes apart a sum: one branch for each variant that an arm names, and one for the others.
    fn split_sum(&mut self, branch: Branch, cell: Cell) {
        let Head::Constructor(any) = self.patterns.head(cell.pattern) else {
            return;
        };
        let owner = self.environment[any].owner;
        let Some(variants) = self.environment.variants(owner) else {
            return;
        };
        let mut groups = vec![None; variants.len()];
        let mut named: Vec<usize> = Vec::new();
        for row in &branch.rows {
            if let Some(Head::Constructor(id)) = self.head_at(row, cell.occurrence) {
                let variant = self.environment[id].variant as usize;
                if groups[variant].is_none() {
                    groups[variant] = Some(self.patterns.head(row.at(cell.occurrence)));
                    named.push(variant);
                }
            }
        }
        named.sort_unstable();
        if named.len() < variants.len() {
            let others: Vec<usize> = (0..variants.len())
                .filter(|variant| groups[*variant].is_none())
                .take(MAX_WITNESSES + 1)
                .collect();
            let chosen = witness::Chosen::Others(owner, others);
            self.push_rest(&branch, cell.occurrence, chosen);
        }
        let keys = named.iter().filter_map(|variant| groups[*variant]);
        let heads: Vec<Head> = keys.collect();
        self.push_groups(branch, cell.occurrence, &heads);
    }

    /// Takes apart a scalar: one branch for each literal that an arm names, and one for all others.
    fn split_literals(&mut self, branch: Branch, cell: Cell) {
        let mut heads: Vec<Head> = Vec::new();
        let mut seen = hashbrown::HashSet::new();
        for row in &branch.rows {
            if let Some(head) = self.head_at(row, cell.occurrence)
                && seen.insert(head)
            {
                heads.push(head);
            }
        }
        self.push_rest(&branch, cell.occurrence, witness::Chosen::Any);
        self.push_groups(branch, cell.occurrence, &heads);
    }

    /// Adds the branch of values that no head names: only rows that take any value are left.
    fn push_rest(&mut self, branch: &Branch, occurrence: Occurrence, chosen: witness::Chosen) {
        let rows = branch.rows.iter();
        let rows = rows.filter(|row| self.head_at(row, occurrence).is_none());
        let rows = rows.cloned().collect();
        let choice = self.choose(branch.choice, occurrence, chosen);
        self.open.push(Branch {
            rows,
            choice: Some(choice),
        });
    }

    /// Adds one branch for each head; the first one is looked at next.
    fn push_groups(&mut self, branch: Branch, occurrence: Occurrence, heads: &[Head]) {
        let index: hashbrown::HashMap<Head, usize> =
            heads.iter().copied().zip(0..heads.len()).collect();
        let mut groups: Vec<Vec<Row>> = vec![Vec::new(); heads.len()];
        let firsts: Vec<Occurrence> = heads
            .iter()
            .map(|head| self.fresh(self.patterns.arity(*head)))
            .collect();
        for row in branch.rows {
            if let Some(head) = self.head_at(&row, occurrence) {
                if let Some(group) = index.get(&head).copied() {
                    groups[group].push(self.expanded(row, occurrence, firsts[group]));
                }
                continue;
            }
            // The rows of all branches count, so that this stays within the bound.
            self.rows += groups.len() as u64;
            if self.rows > MAX_ROWS {
                return;
            }
            for group in &mut groups {
                group.push(row.clone());
            }
        }
        let groups = groups.into_iter().zip(heads).zip(firsts);
        let branches: Vec<Branch> = groups
            .map(|((rows, head), first)| {
                let chosen = witness::Chosen::Form(*head, first);
                let choice = self.choose(branch.choice, occurrence, chosen);
                Branch {
                    rows,
                    choice: Some(choice),
                }
            })
            .collect();
        self.open.extend(branches.into_iter().rev());
    }

    /// Replaces a cell by those of its parts.
    fn expanded(&self, row: Row, occurrence: Occurrence, first: Occurrence) -> Row {
        let mut expanded = Row {
            arm: row.arm,
            cells: Vec::with_capacity(row.cells.len()),
        };
        for cell in row.cells {
            if cell.occurrence == occurrence {
                let parts = self.patterns.parts(cell.pattern).iter().copied();
                expanded.cells.extend(cells(first, parts));
            } else {
                expanded.cells.push(cell);
            }
        }
        expanded
    }

    fn head_at(&self, row: &Row, occurrence: Occurrence) -> Option<Head> {
        match self.patterns.head(row.at(occurrence)) {
            Head::Wildcard => None,
            head => Some(head),
        }
    }
}

/// Makes the cells of patterns that do not take any value.
fn cells(first: Occurrence, patterns: impl IntoIterator<Item = Pattern>) -> Vec<Cell> {
    let patterns = (first.0..).map(Occurrence).zip(patterns);
    let cells = patterns.map(|(occurrence, pattern)| Cell {
        occurrence,
        pattern,
    });
    cells
        .filter(|cell| cell.pattern != Pattern::WILDCARD)
        .collect()
}

#[cfg(test)]
mod tests;
