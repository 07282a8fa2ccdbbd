//! Maps in the order of their keys.
//!
//! A map is a tree of wide nodes that versions share: a change copies the nodes on its way that another version holds too, and
//! changes the others in place. Nodes that lose entries are not filled up again, so a tree is as deep as its inserts made it.

mod node;
mod rank;
mod sorted;

#[cfg(test)]
mod tests;

use super::Value;
use node::{Children, Entries, Node};
use rank::Rank;

/// A persistent map.
#[derive(Clone, Debug, Default)]
pub struct Map {
    root: Node,
    len: usize,
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
        self.root.get(Rank::of(key), key)
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: Value, value: Value) {
        let rank = Rank::of(&key);
        // A leaf has room for one more; only one that this fills is looked for again, by a copy of the key.
        let again = (!rank.is_exact).then(|| key.clone());
        let inserted = self.root.insert(rank, key, value);
        self.len += usize::from(inserted.is_new);
        if inserted.is_full
            && let Some(split) = self
                .root
                .split(rank, again.as_ref().unwrap_or(&Value::Unit))
        {
            let lower = std::mem::take(&mut self.root);
            self.root = Node::above(lower, split);
        }
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &Value) {
        let rank = Rank::of(key);
        // A key that is not there must not make nodes be copied.
        if self.root.get(rank, key).is_some() {
            self.root.remove(rank, key);
            self.len -= 1;
        }
    }

    /// Goes through the entries in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&Value, &Value)> + use<'_> {
        let mut walk = Walk {
            leaf: None,
            open: Vec::new(),
        };
        walk.enter(&self.root);
        walk
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
struct Walk<'m> {
    leaf: Option<Entries<'m>>,
    open: Vec<Children<'m>>,
}

impl<'m> Walk<'m> {
    fn enter(&mut self, node: &'m Node) {
        match node {
            Node::Small(leaf) => self.leaf = Some(leaf.iter()),
            Node::Leaf(leaf) => self.leaf = Some(leaf.iter()),
            Node::Inner(inner) => self.open.push(inner.iter()),
        }
    }
}

impl<'m> Iterator for Walk<'m> {
    type Item = (&'m Value, &'m Value);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((key, value)) = self.leaf.as_mut().and_then(Iterator::next) {
                return Some((key, value));
            }
            match self.open.last_mut()?.next() {
                Some(node) => self.enter(node),
                None => {
                    self.open.pop();
                }
            }
        }
    }
}
