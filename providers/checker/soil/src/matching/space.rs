//! Patterns as heads and parts.

use crate::environment::{ConstructorId, TypeId};
use crate::syntax::Name;

/// The number of a pattern within its [`Patterns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern(u32);

impl Pattern {
    /// The pattern that takes any value.
    pub(crate) const WILDCARD: Self = Self(0);
}

/// What a pattern asks of the value itself, its parts left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Head {
    /// Nothing.
    Wildcard,
    /// Nothing; the value is a record of this type.
    Record(TypeId),
    /// That the value is of this variant.
    Constructor(ConstructorId),
    /// That the value is this one.
    Literal(Key),
}

/// A literal as it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// Digits without leading zeros.
    Int(Name),
    /// The bits of a number.
    Float(u64),
    /// A text.
    Text(Name),
}

/// Patterns of one match.
#[derive(Clone, Debug)]
pub(crate) struct Patterns {
    nodes: Vec<(Head, std::ops::Range<usize>)>,
    parts: Vec<Pattern>,
    arities: hashbrown::HashMap<Head, usize>,
}

impl Patterns {
    /// Makes a table with the wildcard alone.
    pub(crate) fn new() -> Self {
        Self {
            nodes: vec![(Head::Wildcard, 0..0)],
            parts: Vec::new(),
            arities: hashbrown::HashMap::new(),
        }
    }

    /// Adds a pattern; parts of equal heads are equally many.
    ///
    /// A record all of whose parts take any value takes any value itself.
    pub(crate) fn add(&mut self, head: Head, parts: &[Pattern]) -> Pattern {
        let is_wild = |part: &Pattern| *part == Pattern::WILDCARD;
        if matches!(head, Head::Record(_)) && parts.iter().all(is_wild) {
            return Pattern::WILDCARD;
        }
        let start = self.parts.len();
        self.parts.extend_from_slice(parts);
        self.arities.insert(head, parts.len());
        self.nodes.push((head, start..self.parts.len()));
        let index = self.nodes.len() - 1;
        Pattern(u32::try_from(index).expect("a tree of one source text has fewer than 2^32 nodes"))
    }

    pub(crate) fn head(&self, pattern: Pattern) -> Head {
        self.nodes[pattern.0 as usize].0
    }

    pub(crate) fn parts(&self, pattern: Pattern) -> &[Pattern] {
        &self.parts[self.nodes[pattern.0 as usize].1.clone()]
    }

    /// Counts the parts of patterns with this head.
    pub(super) fn arity(&self, head: Head) -> usize {
        self.arities.get(&head).copied().unwrap_or(0)
    }
}

/// A place within the value that is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Occurrence(pub(super) u32);

impl Occurrence {
    /// The whole value.
    pub(super) const ROOT: Self = Self(0);
}

/// What an arm asks of one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) occurrence: Occurrence,
    pub(super) pattern: Pattern,
}

/// What an arm still asks; places of which it takes any value are left out.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) arm: usize,
    pub(super) cells: Vec<Cell>,
}

impl Row {
    /// Gives what the arm asks of a place.
    pub(super) fn at(&self, occurrence: Occurrence) -> Pattern {
        let mut cells = self.cells.iter();
        let cell = cells.find(|cell| cell.occurrence == occurrence);
        cell.map_or(Pattern::WILDCARD, |cell| cell.pattern)
    }
}

/// The arms that are left on one way through the match.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) rows: Vec<Row>,
    /// The choice made last on the way.
    pub(super) choice: Option<usize>,
}
