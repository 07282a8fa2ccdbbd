//! Maps in the order of their keys.

use std::cmp::Ordering;

use rpds::RedBlackTreeMap;

use super::{Value, compare};

/// A persistent map.
#[derive(Clone, Debug, Default)]
pub struct Map(RedBlackTreeMap<Key, Value>);

/// A key, ordered as the language compares.
#[derive(Clone, Debug)]
struct Key(Value);

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        // Whoever looks up a key has paid for these comparisons by its size.
        compare::order(&self.0, &other.0)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key {}

impl Map {
    /// Counts the entries.
    pub fn len(&self) -> usize {
        self.0.size()
    }

    /// Says whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives the value of a key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.0.get(&Key(key.clone()))
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: Value, value: Value) {
        self.0.insert_mut(Key(key), value);
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &Value) {
        self.0.remove_mut(&Key(key.clone()));
    }

    /// Goes through the entries in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&Value, &Value)> + use<'_> {
        self.0.iter().map(|(key, value)| (&key.0, value))
    }

    /// Bounds the number of keys that one is compared with when it is looked up.
    ///
    /// Twice the depth of a balanced tree, by length alone, so that the price of a lookup does not depend on the order of inserts.
    pub(crate) fn lookup_steps(&self) -> u64 {
        let bits = usize::BITS - self.len().leading_zeros();
        u64::from(bits) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_in_the_order_of_their_keys() {
        let mut map = Map::default();
        for key in [5, -1, 3, 5, 0] {
            map.insert(Value::Signed(key), Value::Signed(key * 2));
        }
        let older = map.clone();
        map.remove(&Value::Signed(3));
        map.remove(&Value::Signed(77));
        let keys = |map: &Map| -> Vec<String> {
            let entries = map.iter();
            entries
                .map(|(key, value)| format!("{key:?} {value:?}"))
                .collect()
        };
        let expected = [
            "Signed(-1) Signed(-2)",
            "Signed(0) Signed(0)",
            "Signed(5) Signed(10)",
        ];
        assert_eq!(keys(&map), expected);
        assert_eq!((older.len(), map.len()), (4, 3));
        assert!(older.get(&Value::Signed(3)).is_some());
        assert!(map.get(&Value::Signed(3)).is_none());
    }
}
