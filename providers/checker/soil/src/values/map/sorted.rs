//! What one node holds in the order of its keys.

use super::rank::Rank;
use crate::values::{Value, compare};

/// How many numbers are compared without waiting for each other.
const BLOCK: usize = 8;

/// Something with a key.
pub(super) trait Keyed {
    fn key(&self) -> &Value;
}

impl Keyed for Value {
    fn key(&self) -> &Value {
        self
    }
}

impl Keyed for (Value, Value) {
    fn key(&self) -> &Value {
        &self.0
    }
}

/// Entries in the order of their keys, each with the number of its key.
///
/// The numbers stand in the node itself and are searched in two rounds, of which block it is and where in the block; a search
/// that halves what is left would wait for memory three times as often.
#[derive(Clone, Debug)]
pub(super) struct Sorted<const BLOCKS: usize, T> {
    /// Behind those of entries stand the greatest numbers there are, so that all blocks are searched alike.
    numbers: [[u64; BLOCK]; BLOCKS],
    entries: Vec<T>,
}

impl<const BLOCKS: usize, T> Default for Sorted<BLOCKS, T> {
    fn default() -> Self {
        Self {
            numbers: [[u64::MAX; BLOCK]; BLOCKS],
            entries: Vec::new(),
        }
    }
}

impl<const BLOCKS: usize, T: Keyed> Sorted<BLOCKS, T> {
    /// The most entries that there is room for.
    pub(super) const CAPACITY: usize = BLOCK * BLOCKS;

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Says whether one more entry would find no room.
    pub(super) fn is_full(&self) -> bool {
        self.entries.len() == Self::CAPACITY
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.entries.iter()
    }

    pub(super) fn entry(&self, at: usize) -> Option<&T> {
        self.entries.get(at)
    }

    /// Finds a key, or where it would stand.
    #[inline]
    pub(super) fn find(&self, rank: Rank, key: &Value) -> Result<usize, usize> {
        let at = self.first_from(rank.number);
        match self.numbers.as_flattened().get(at) {
            Some(number) if *number == rank.number && at < self.entries.len() => {
                if rank.is_exact {
                    Ok(at)
                } else {
                    self.find_among(at, rank, key)
                }
            }
            _ => Err(at),
        }
    }

    /// Counts the numbers below one.
    #[inline]
    fn first_from(&self, wanted: u64) -> usize {
        let is_below = |number: &u64| usize::from(*number < wanted);
        let lasts = self.numbers[..BLOCKS - 1]
            .iter()
            .map(|block| &block[BLOCK - 1]);
        let block: usize = lasts.map(is_below).sum();
        let within: usize = self.numbers[block].iter().map(is_below).sum();
        block * BLOCK + within
    }

    /// Finds a key among those with its number, the first of which is at a place.
    fn find_among(&self, start: usize, rank: Rank, key: &Value) -> Result<usize, usize> {
        let numbers = &self.numbers.as_flattened()[start..self.entries.len()];
        let count = numbers.partition_point(|number| *number == rank.number);
        let equal = &self.entries[start..start + count];
        // Whoever looks up a key has paid for these comparisons by its size.
        let found = equal.binary_search_by(|other| compare::order(other.key(), key));
        match found {
            Ok(place) => Ok(start + place),
            Err(place) => Err(start + place),
        }
    }

    /// Puts an entry at a place; there has to be room for it.
    #[inline]
    pub(super) fn insert(&mut self, at: usize, number: u64, entry: T) {
        let numbers = self.numbers.as_flattened_mut();
        numbers.copy_within(at..self.entries.len(), at + 1);
        numbers[at] = number;
        self.entries.insert(at, entry);
    }

    /// Puts an entry in the place of one with the same key.
    pub(super) fn replace(&mut self, at: usize, entry: T) {
        self.entries[at] = entry;
    }

    /// Takes an entry out, with the number of its key.
    pub(super) fn remove(&mut self, at: usize) -> (u64, T) {
        let numbers = self.numbers.as_flattened_mut();
        let number = numbers[at];
        numbers.copy_within(at + 1..self.entries.len(), at);
        let entry = self.entries.remove(at);
        numbers[self.entries.len()] = u64::MAX;
        (number, entry)
    }

    /// Gives the first key with its number.
    pub(super) fn first(&self) -> (u64, Value) {
        (self.numbers[0][0], self.entries[0].key().clone())
    }

    /// Keeps the entries before a place and gives the others, with room for as many as there may be.
    pub(super) fn split_off<const OTHERS: usize>(&mut self, at: usize) -> Sorted<OTHERS, T> {
        let mut others = Sorted::<OTHERS, T>::default();
        let moved = &mut self.numbers.as_flattened_mut()[at..self.entries.len()];
        others.numbers.as_flattened_mut()[..moved.len()].copy_from_slice(moved);
        moved.fill(u64::MAX);
        others.entries = upper(&mut self.entries, at, Sorted::<OTHERS, T>::CAPACITY);
        others
    }
}

/// Keeps what stands before a place and gives the rest, with room for a whole node.
pub(super) fn upper<T>(values: &mut Vec<T>, at: usize, capacity: usize) -> Vec<T> {
    let mut rest = Vec::with_capacity(capacity);
    rest.extend(values.drain(at..));
    rest
}
