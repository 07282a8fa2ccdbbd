//! Maps in the order of their keys.
//!
//! A map is a tree of wide nodes that versions share: a change copies the nodes on its way that another version holds too, and
//! changes the others in place. Nodes that lose entries are not filled up again, so a tree is as deep as its inserts made it.

use std::rc::Rc;

use super::{Value, compare};

/// The most entries of a leaf, and the most children of a node.
const WIDTH: usize = 32;

/// A persistent map.
#[derive(Clone, Debug, Default)]
pub struct Map {
    root: Node,
    len: usize,
}

#[derive(Clone, Debug)]
enum Node {
    /// Entries, in the order of their keys.
    Leaf(Rc<Vec<(Value, Value)>>),
    /// Children, at least one, each but the first with a key that none of its own is below.
    Inner(Rc<Vec<(Value, Node)>>),
}

impl Default for Node {
    fn default() -> Self {
        Self::Leaf(Rc::default())
    }
}

/// Finds a key among those of a node, or where it would stand.
fn find<T>(entries: &[(Value, T)], key: &Value) -> Result<usize, usize> {
    let Value::Signed(wanted) = key else {
        // Whoever looks up a key has paid for these comparisons by its size.
        return entries.binary_search_by(|(other, _)| compare::order(other, key));
    };
    // The keys of a map are of one type, so this search needs no branch for another.
    let number = |entry: &(Value, T)| match entry.0 {
        Value::Signed(number) => number,
        _ => i64::MAX,
    };
    let at = entries.partition_point(|entry| number(entry) < *wanted);
    match entries.get(at) {
        Some(entry) if number(entry) == *wanted => Ok(at),
        _ => Err(at),
    }
}

/// Finds the child in which a key stands if it is anywhere. The key of the first one, which takes all that is below, says nothing.
fn child_of(children: &[(Value, Node)], key: &Value) -> usize {
    match find(&children[1..], key) {
        Ok(before) => before + 1,
        Err(place) => place,
    }
}

impl Node {
    fn get(&self, key: &Value) -> Option<&Value> {
        let mut node = self;
        loop {
            match node {
                Self::Leaf(entries) => {
                    let at = find(entries, key).ok()?;
                    return Some(&entries[at].1);
                }
                Self::Inner(children) => node = &children[child_of(children, key)].1,
            }
        }
    }

    /// Sets the value of a key; gives whether the key is new, and the upper half where the node became too wide.
    fn insert(&mut self, key: Value, value: Value) -> (bool, Option<(Value, Self)>) {
        match self {
            Self::Leaf(entries) => {
                let entries = Rc::make_mut(entries);
                match find(entries, &key) {
                    Ok(at) => {
                        entries[at] = (key, value);
                        (false, None)
                    }
                    Err(at) => {
                        entries.insert(at, (key, value));
                        (true, upper_half(entries, Self::Leaf))
                    }
                }
            }
            Self::Inner(children) => {
                let children = Rc::make_mut(children);
                let at = child_of(children, &key);
                let (is_new, split) = children[at].1.insert(key, value);
                let Some(split) = split else {
                    return (is_new, None);
                };
                children.insert(at + 1, split);
                (is_new, upper_half(children, Self::Inner))
            }
        }
    }

    /// Takes a key out that is there.
    fn remove(&mut self, key: &Value) {
        match self {
            Self::Leaf(entries) => {
                if let Ok(at) = find(entries, key) {
                    Rc::make_mut(entries).remove(at);
                }
            }
            Self::Inner(children) => {
                let children = Rc::make_mut(children);
                let at = child_of(children, key);
                children[at].1.remove(key);
                if children.len() > 1 && children[at].1.is_empty() {
                    children.remove(at);
                }
            }
        }
    }

    /// Says whether nothing is in a node; an inner one keeps its last child.
    fn is_empty(&self) -> bool {
        match self {
            Self::Leaf(entries) => entries.is_empty(),
            Self::Inner(children) => children.len() == 1 && children[0].1.is_empty(),
        }
    }
}

/// Splits what became too wide, and gives the upper half with its first key.
fn upper_half<T>(
    entries: &mut Vec<(Value, T)>,
    node: impl FnOnce(Rc<Vec<(Value, T)>>) -> Node,
) -> Option<(Value, Node)> {
    if entries.len() <= WIDTH {
        return None;
    }
    let upper = entries.split_off(entries.len() / 2);
    let key = upper[0].0.clone();
    Some((key, node(Rc::new(upper))))
}

impl Map {
    /// Counts the entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Says whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Gives the value of a key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.root.get(key)
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: Value, value: Value) {
        let (is_new, split) = self.root.insert(key, value);
        self.len += usize::from(is_new);
        if let Some(upper) = split {
            let lower = std::mem::take(&mut self.root);
            let children = vec![(upper.0.clone(), lower), upper];
            self.root = Node::Inner(Rc::new(children));
        }
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &Value) {
        if self.root.get(key).is_some() {
            self.root.remove(key);
            self.len -= 1;
        }
    }

    /// Goes through the entries in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&Value, &Value)> + use<'_> {
        let mut entries = Entries {
            leaf: [].iter(),
            open: Vec::new(),
        };
        entries.enter(&self.root);
        entries
    }

    /// Bounds the number of keys that one is compared with when it is looked up.
    ///
    /// Twice the depth of a balanced tree, by length alone, so that the price of a lookup does not depend on the order of inserts.
    pub(crate) fn lookup_steps(&self) -> u64 {
        let bits = usize::BITS - self.len().leading_zeros();
        u64::from(bits) + 1
    }
}

/// The entries of a map that were not gone through.
struct Entries<'m> {
    leaf: std::slice::Iter<'m, (Value, Value)>,
    open: Vec<std::slice::Iter<'m, (Value, Node)>>,
}

impl<'m> Entries<'m> {
    fn enter(&mut self, node: &'m Node) {
        match node {
            Node::Leaf(entries) => self.leaf = entries.iter(),
            Node::Inner(children) => self.open.push(children.iter()),
        }
    }
}

impl<'m> Iterator for Entries<'m> {
    type Item = (&'m Value, &'m Value);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((key, value)) = self.leaf.next() {
                return Some((key, value));
            }
            match self.open.last_mut()?.next() {
                Some((_, node)) => self.enter(node),
                None => {
                    self.open.pop();
                }
            }
        }
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

    /// Many changes in a fixed order, beside a map of the standard library; older versions stay as they were.
    #[test]
    fn changes_are_those_of_another_map() {
        let (mut map, mut other) = (Map::default(), std::collections::BTreeMap::new());
        let mut kept = Vec::new();
        let mut random = crate::values::SplitMix64::new(5);
        for step in 0..6_000_i64 {
            let key = i64::try_from(random.below(900)).expect("a small number");
            // Inserts prevail first and removals later, so that the map grows wide and then loses nearly all.
            if random.below(6_000) > u64::try_from(step).expect("a count") {
                map.insert(Value::Signed(key), Value::Signed(step));
                other.insert(key, step);
            } else {
                map.remove(&Value::Signed(key));
                other.remove(&key);
            }
            assert_eq!(map.len(), other.len());
            if step % 500 == 0 {
                kept.push((map.clone(), other.clone()));
            }
        }
        kept.push((map, other));
        for (map, other) in kept {
            let entries: Vec<(i64, i64)> = map
                .iter()
                .map(|(key, value)| (number(key), number(value)))
                .collect();
            assert_eq!(entries, other.clone().into_iter().collect::<Vec<_>>());
            for key in 0..900 {
                assert_eq!(
                    map.get(&Value::Signed(key)).map(number),
                    other.get(&key).copied()
                );
            }
        }
    }

    fn number(value: &Value) -> i64 {
        match value {
            Value::Signed(value) => *value,
            other => panic!("{other:?}"),
        }
    }
}
