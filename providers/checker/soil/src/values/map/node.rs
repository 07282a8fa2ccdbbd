//! The nodes of a map.

use std::rc::Rc;

use super::keys::Keys;
use super::rank::Rank;
use crate::values::Value;

/// The most entries of a leaf.
const LEAF_WIDTH: usize = 32;

/// The most children of an inner node: wider than a leaf, since few changes reach one and each lookup passes all levels.
const INNER_WIDTH: usize = 64;

/// What is below a place of a map.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Leaf(Rc<Leaf>),
    Inner(Rc<Inner>),
}

/// Entries in the order of their keys.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaf {
    keys: Keys,
    values: Vec<Value>,
}

/// Children, at least one, with a key between each two: nothing behind it is below it, and all before it is.
#[derive(Clone, Debug)]
pub(super) struct Inner {
    keys: Keys,
    children: Vec<Node>,
}

/// The upper half of a node that became too wide, with the key that separates it.
pub(super) struct Split {
    key: (u64, Value),
    upper: Node,
}

/// The entries of a leaf.
pub(super) type Entries<'m> =
    std::iter::Zip<std::slice::Iter<'m, Value>, std::slice::Iter<'m, Value>>;

/// The children of an inner node.
pub(super) type Children<'m> = std::slice::Iter<'m, Node>;

impl Default for Node {
    fn default() -> Self {
        Self::Leaf(Rc::default())
    }
}

impl Node {
    /// Puts a node above the two halves of another.
    pub(super) fn above(lower: Self, split: Split) -> Self {
        Self::Inner(Rc::new(Inner {
            keys: Keys::of(split.key),
            children: vec![lower, split.upper],
        }))
    }

    #[inline]
    pub(super) fn get(&self, rank: Rank, key: &Value) -> Option<&Value> {
        let mut node = self;
        loop {
            match node {
                Self::Leaf(leaf) => {
                    let at = leaf.keys.find(rank, key).ok()?;
                    return leaf.values.get(at);
                }
                Self::Inner(inner) => node = &inner.children[inner.child_of(rank, key)],
            }
        }
    }

    /// Sets the value of a key; gives whether the key is new, and the upper half where the node became too wide.
    pub(super) fn insert(&mut self, rank: Rank, key: Value, value: Value) -> (bool, Option<Split>) {
        match self {
            Self::Leaf(leaf) => Rc::make_mut(leaf).insert(rank, key, value),
            Self::Inner(inner) => {
                let inner = Rc::make_mut(inner);
                let at = inner.child_of(rank, &key);
                let (is_new, split) = inner.children[at].insert(rank, key, value);
                (is_new, split.and_then(|split| inner.take(at, split)))
            }
        }
    }

    /// Takes a key out that is there.
    pub(super) fn remove(&mut self, rank: Rank, key: &Value) {
        match self {
            Self::Leaf(leaf) => {
                if let Ok(at) = leaf.keys.find(rank, key) {
                    let leaf = Rc::make_mut(leaf);
                    leaf.keys.remove(at);
                    leaf.values.remove(at);
                }
            }
            Self::Inner(inner) => {
                let inner = Rc::make_mut(inner);
                let at = inner.child_of(rank, key);
                inner.children[at].remove(rank, key);
                if inner.children.len() > 1 && inner.children[at].is_empty() {
                    inner.children.remove(at);
                    // What was above the key before the child is now above the one before that.
                    inner.keys.remove(at.saturating_sub(1));
                }
            }
        }
    }

    /// Says whether nothing is in a node; an inner one keeps its last child.
    fn is_empty(&self) -> bool {
        match self {
            Self::Leaf(leaf) => leaf.values.is_empty(),
            Self::Inner(inner) => inner.children.len() == 1 && inner.children[0].is_empty(),
        }
    }
}

impl Leaf {
    pub(super) fn iter(&self) -> Entries<'_> {
        self.keys.iter().zip(self.values.iter())
    }

    #[inline]
    fn insert(&mut self, rank: Rank, key: Value, value: Value) -> (bool, Option<Split>) {
        match self.keys.find(rank, &key) {
            Ok(at) => {
                self.keys.replace(at, key);
                self.values[at] = value;
                (false, None)
            }
            Err(at) => {
                self.keys.insert(at, rank, key);
                self.values.insert(at, value);
                (true, self.split(at))
            }
        }
    }

    fn split(&mut self, inserted: usize) -> Option<Split> {
        if self.values.len() <= LEAF_WIDTH {
            return None;
        }
        let middle = middle(self.values.len(), inserted);
        let upper = Self {
            keys: self.keys.split_off(middle),
            values: self.values.split_off(middle),
        };
        Some(Split {
            key: upper.keys.first(),
            upper: Node::Leaf(Rc::new(upper)),
        })
    }
}

impl Inner {
    pub(super) fn iter(&self) -> Children<'_> {
        self.children.iter()
    }

    /// Finds the child in which a key stands if it is anywhere.
    #[inline]
    fn child_of(&self, rank: Rank, key: &Value) -> usize {
        match self.keys.find(rank, key) {
            Ok(before) => before + 1,
            Err(place) => place,
        }
    }

    /// Takes the upper half of a child; gives its own where it became too wide.
    fn take(&mut self, at: usize, split: Split) -> Option<Split> {
        self.keys.put(at, split.key);
        self.children.insert(at + 1, split.upper);
        if self.children.len() <= INNER_WIDTH {
            return None;
        }
        let middle = middle(self.children.len(), at + 1);
        // The key before the first of the upper children goes up.
        let mut keys = self.keys.split_off(middle - 1);
        let key = keys.take_first();
        let children = self.children.split_off(middle);
        Some(Split {
            key,
            upper: Node::Inner(Rc::new(Self { keys, children })),
        })
    }
}

/// Where a node is split: behind what it had, where something was put at its end, so that ascending keys leave full nodes.
const fn middle(len: usize, inserted: usize) -> usize {
    if inserted + 1 == len {
        inserted
    } else {
        len / 2
    }
}
