//! The nodes of a map.

use std::rc::Rc;

use super::keys::{Keys, upper};
use super::rank::Rank;
use crate::values::Value;

/// The blocks of numbers of a small map's only leaf.
const SMALL: usize = 1;

/// The blocks of numbers of other leaves.
const WIDE: usize = 4;

/// The blocks of numbers of an inner node, which is wider: few changes reach one, and each lookup passes all levels.
const INNER: usize = 8;

/// What is below a place of a map.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A leaf with room for few entries, which only a map without inner nodes has.
    Small(Rc<Leaf<SMALL>>),
    Leaf(Rc<Leaf<WIDE>>),
    Inner(Rc<Inner>),
}

/// Entries in the order of their keys, always fewer than there is room for.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaf<const BLOCKS: usize> {
    keys: Keys<BLOCKS>,
    values: Vec<Value>,
}

/// Children, at least one, with a key between each two: nothing behind it is below it, and all before it is.
#[derive(Clone, Debug)]
pub(super) struct Inner {
    keys: Keys<INNER>,
    children: Vec<Node>,
}

/// The upper half of a node that became too wide, with the key that separates it.
pub(super) struct Split {
    number: u64,
    key: Value,
    upper: Node,
}

/// The entries of a leaf.
pub(super) type Entries<'m> =
    std::iter::Zip<std::slice::Iter<'m, Value>, std::slice::Iter<'m, Value>>;

/// The children of an inner node.
pub(super) type Children<'m> = std::slice::Iter<'m, Node>;

impl Default for Node {
    fn default() -> Self {
        Self::Small(Rc::default())
    }
}

impl Node {
    /// Puts a node above the two halves of another.
    pub(super) fn above(lower: Self, split: Split) -> Self {
        let mut inner = Inner {
            keys: Keys::default(),
            children: vec![lower],
        };
        inner.put(0, split);
        Self::Inner(Rc::new(inner))
    }

    #[inline]
    pub(super) fn get(&self, rank: Rank, key: &Value) -> Option<&Value> {
        let mut node = self;
        loop {
            match node {
                Self::Small(leaf) => return leaf.get(rank, key),
                Self::Leaf(leaf) => return leaf.get(rank, key),
                Self::Inner(inner) => node = &inner.children[inner.child_of(rank, key)],
            }
        }
    }

    /// Sets the value of a key; gives whether the key is new, and the upper half where the node became too wide.
    pub(super) fn insert(&mut self, rank: Rank, key: Value, value: Value) -> (bool, Option<Split>) {
        match self {
            Self::Small(leaf) => {
                let leaf = Rc::make_mut(leaf);
                let (is_new, _) = leaf.insert(rank, key, value);
                if leaf.is_full() {
                    *self = Self::Leaf(Rc::new(leaf.split_off(0)));
                }
                (is_new, None)
            }
            Self::Leaf(leaf) => {
                let leaf = Rc::make_mut(leaf);
                let (is_new, at) = leaf.insert(rank, key, value);
                (is_new, leaf.is_full().then(|| leaf.split(at)))
            }
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
            Self::Small(leaf) => Rc::make_mut(leaf).remove(rank, key),
            Self::Leaf(leaf) => Rc::make_mut(leaf).remove(rank, key),
            Self::Inner(inner) => {
                let inner = Rc::make_mut(inner);
                let at = inner.child_of(rank, key);
                inner.children[at].remove(rank, key);
                if inner.children.len() > 1 && inner.children[at].is_empty() {
                    inner.children.remove(at);
                    // The child before it now reaches up to the key behind it; before the first one there is none.
                    inner.keys.remove(at.saturating_sub(1));
                }
            }
        }
    }

    /// Says whether nothing is in a node; an inner one keeps its last child.
    fn is_empty(&self) -> bool {
        match self {
            Self::Small(leaf) => leaf.values.is_empty(),
            Self::Leaf(leaf) => leaf.values.is_empty(),
            Self::Inner(inner) => inner.children.len() == 1 && inner.children[0].is_empty(),
        }
    }
}

impl<const BLOCKS: usize> Leaf<BLOCKS> {
    pub(super) fn iter(&self) -> Entries<'_> {
        self.keys.iter().zip(self.values.iter())
    }

    #[inline]
    fn get(&self, rank: Rank, key: &Value) -> Option<&Value> {
        let at = self.keys.find(rank, key).ok()?;
        self.values.get(at)
    }

    /// Sets the value of a key; gives whether the key is new, and where it stands.
    #[inline]
    fn insert(&mut self, rank: Rank, key: Value, value: Value) -> (bool, usize) {
        match self.keys.find(rank, &key) {
            Ok(at) => {
                self.keys.replace(at, key);
                self.values[at] = value;
                (false, at)
            }
            Err(at) => {
                self.keys.insert(at, rank.number, key);
                self.values.insert(at, value);
                (true, at)
            }
        }
    }

    fn is_full(&self) -> bool {
        self.values.len() == Keys::<BLOCKS>::CAPACITY
    }

    fn remove(&mut self, rank: Rank, key: &Value) {
        if let Ok(at) = self.keys.find(rank, key) {
            self.keys.remove(at);
            self.values.remove(at);
        }
    }

    fn split_off<const OTHERS: usize>(&mut self, at: usize) -> Leaf<OTHERS> {
        Leaf {
            keys: self.keys.split_off(at),
            values: upper(&mut self.values, at, Keys::<OTHERS>::CAPACITY),
        }
    }
}

impl Leaf<WIDE> {
    fn split(&mut self, inserted: usize) -> Split {
        let middle = middle(self.values.len(), inserted);
        let upper = self.split_off(middle);
        let (number, key) = upper.keys.first();
        Split {
            number,
            key,
            upper: Node::Leaf(Rc::new(upper)),
        }
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

    /// Puts the upper half of a child behind it.
    fn put(&mut self, at: usize, split: Split) {
        self.keys.insert(at, split.number, split.key);
        self.children.insert(at + 1, split.upper);
    }

    /// Takes the upper half of a child; gives its own where it became too wide.
    fn take(&mut self, at: usize, split: Split) -> Option<Split> {
        self.put(at, split);
        if self.keys.len() < Keys::<INNER>::CAPACITY {
            return None;
        }
        let middle = middle(self.children.len(), at + 1);
        // The key before the first of the upper children goes up.
        let mut keys: Keys<INNER> = self.keys.split_off(middle - 1);
        let (number, key) = keys.remove(0);
        let children = upper(&mut self.children, middle, Keys::<INNER>::CAPACITY + 1);
        Some(Split {
            number,
            key,
            upper: Node::Inner(Rc::new(Self { keys, children })),
        })
    }
}

/// Where a node is split: behind what it had, where something was put at its end, so that rising keys leave full nodes.
const fn middle(len: usize, inserted: usize) -> usize {
    if inserted + 1 == len {
        inserted
    } else {
        len / 2
    }
}
