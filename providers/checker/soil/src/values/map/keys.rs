//! The keys of one node.

use super::rank::Rank;
use crate::values::{Value, compare};

/// How many numbers are compared without waiting for each other.
const BLOCK: usize = 8;

/// Keys in their order, each with its number.
///
/// The numbers stand in the node itself and are searched in two rounds, of which block it is and where in the block; a search
/// that halves what is left would wait for memory three times as often.
#[derive(Clone, Debug)]
pub(super) struct Keys<const BLOCKS: usize> {
    /// Behind the last key's stand the greatest numbers there are, so that all blocks are searched alike.
    numbers: [[u64; BLOCK]; BLOCKS],
    values: Vec<Value>,
}

impl<const BLOCKS: usize> Default for Keys<BLOCKS> {
    fn default() -> Self {
        Self {
            numbers: [[u64::MAX; BLOCK]; BLOCKS],
            values: Vec::new(),
        }
    }
}

impl<const BLOCKS: usize> Keys<BLOCKS> {
    /// The most keys that there is room for.
    pub(super) const CAPACITY: usize = BLOCK * BLOCKS;

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.values.iter()
    }

    /// Finds a key, or where it would stand.
    #[inline]
    pub(super) fn find(&self, rank: Rank, key: &Value) -> Result<usize, usize> {
        let at = self.first_from(rank.number);
        match self.numbers.as_flattened().get(at) {
            Some(number) if *number == rank.number && at < self.values.len() => {
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
        let numbers = &self.numbers.as_flattened()[start..self.values.len()];
        let count = numbers.partition_point(|number| *number == rank.number);
        let equal = &self.values[start..start + count];
        // Whoever looks up a key has paid for these comparisons by its size.
        let found = equal.binary_search_by(|other| compare::order(other, key));
        match found {
            Ok(place) => Ok(start + place),
            Err(place) => Err(start + place),
        }
    }

    /// Puts a key at a place; there has to be room for it.
    #[inline]
    pub(super) fn insert(&mut self, at: usize, number: u64, key: Value) {
        let numbers = self.numbers.as_flattened_mut();
        numbers.copy_within(at..self.values.len(), at + 1);
        numbers[at] = number;
        self.values.insert(at, key);
    }

    /// Puts a key in the place of an equal one.
    pub(super) fn replace(&mut self, at: usize, key: Value) {
        self.values[at] = key;
    }

    /// Takes a key out, with its number.
    pub(super) fn remove(&mut self, at: usize) -> (u64, Value) {
        let numbers = self.numbers.as_flattened_mut();
        let number = numbers[at];
        numbers.copy_within(at + 1..self.values.len(), at);
        let key = self.values.remove(at);
        numbers[self.values.len()] = u64::MAX;
        (number, key)
    }

    /// Gives the first key with its number.
    pub(super) fn first(&self) -> (u64, Value) {
        (self.numbers[0][0], self.values[0].clone())
    }

    /// Keeps the keys before a place and gives the others, with room for as many as there may be.
    pub(super) fn split_off<const OTHERS: usize>(&mut self, at: usize) -> Keys<OTHERS> {
        let mut others = Keys::<OTHERS>::default();
        let moved = &mut self.numbers.as_flattened_mut()[at..self.values.len()];
        others.numbers.as_flattened_mut()[..moved.len()].copy_from_slice(moved);
        moved.fill(u64::MAX);
        others.values = upper(&mut self.values, at, Keys::<OTHERS>::CAPACITY);
        others
    }
}

/// Keeps what stands before a place and gives the rest, with room for a whole node.
pub(super) fn upper<T>(values: &mut Vec<T>, at: usize, capacity: usize) -> Vec<T> {
    let mut rest = Vec::with_capacity(capacity);
    rest.extend(values.drain(at..));
    rest
}
