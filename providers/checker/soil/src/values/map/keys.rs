//! The keys of one node.

use super::rank::Rank;
use crate::values::{Value, compare};

/// Keys in their order, each with its number.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    numbers: Vec<u64>,
    values: Vec<Value>,
}

impl Keys {
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.values.iter()
    }

    /// Finds a key, or where it would stand.
    #[inline]
    pub(super) fn find(&self, rank: Rank, key: &Value) -> Result<usize, usize> {
        let at = self.numbers.partition_point(|number| *number < rank.number);
        match self.numbers.get(at) {
            Some(number) if *number == rank.number => {
                if rank.is_exact {
                    Ok(at)
                } else {
                    self.find_among(at, rank, key)
                }
            }
            _ => Err(at),
        }
    }

    /// Finds a key among those with its number, the first of which is at a place.
    fn find_among(&self, start: usize, rank: Rank, key: &Value) -> Result<usize, usize> {
        let numbers = &self.numbers[start..];
        let count = numbers.partition_point(|number| *number == rank.number);
        let equal = &self.values[start..start + count];
        // Whoever looks up a key has paid for these comparisons by its size.
        let found = equal.binary_search_by(|other| compare::order(other, key));
        match found {
            Ok(place) => Ok(start + place),
            Err(place) => Err(start + place),
        }
    }

    pub(super) fn insert(&mut self, at: usize, rank: Rank, key: Value) {
        self.numbers.insert(at, rank.number);
        self.values.insert(at, key);
    }

    /// Puts a key in the place of an equal one.
    pub(super) fn replace(&mut self, at: usize, key: Value) {
        self.values[at] = key;
    }

    pub(super) fn remove(&mut self, at: usize) {
        self.numbers.remove(at);
        self.values.remove(at);
    }

    /// Keeps the keys before a place and gives the others.
    pub(super) fn split_off(&mut self, at: usize) -> Self {
        Self {
            numbers: self.numbers.split_off(at),
            values: self.values.split_off(at),
        }
    }

    /// Takes the first key out, with its number.
    pub(super) fn take_first(&mut self) -> (u64, Value) {
        (self.numbers.remove(0), self.values.remove(0))
    }

    /// Gives the first key with its number.
    pub(super) fn first(&self) -> (u64, Value) {
        (self.numbers[0], self.values[0].clone())
    }

    /// Makes keys of one.
    pub(super) fn of(first: (u64, Value)) -> Self {
        Self {
            numbers: vec![first.0],
            values: vec![first.1],
        }
    }

    /// Puts a key with its number at a place.
    pub(super) fn put(&mut self, at: usize, (number, key): (u64, Value)) {
        self.numbers.insert(at, number);
        self.values.insert(at, key);
    }
}
