//! The nodes of a map.

use std::rc::Rc;

use super::rank::Rank;
use super::sorted::{Sorted, upper};
use crate::values::Value;

/// The blocks of numbers of a small map's only leaf.
const SMALL: usize = 1;

/// The blocks of numbers of other leaves.
const WIDE: usize = 4;

/// The blocks of numbers of an inner node, which is wider: few changes reach one, and each lookup passes all levels.
const INNER: usize = 8;

/// Keys with their values; between two changes never full.
type Leaf<const BLOCKS: usize> = Sorted<BLOCKS, (Value, Value)>;

/// What is below a place of a map.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A leaf with room for few entries, which only a map without inner nodes has.
    Small(Rc<Leaf<SMALL>>),
    Leaf(Rc<Leaf<WIDE>>),
    Inner(Rc<Inner>),
}

/// Children, at least one, with a key between each two: nothing behind it is below it, and all before it is.
#[derive(Clone, Debug)]
pub(super) struct Inner {
    keys: Sorted<INNER, Value>,
    children: Vec<Node>,
}

/// What a change of one entry did.
pub(super) struct Inserted {
    /// Whether the key was not there.
    pub(super) is_new: bool,
    /// Whether the leaf has to be split before the next change.
    pub(super) is_full: bool,
}

/// The upper half of a node that became too wide, with the key that separates it.
pub(super) struct Split {
    number: u64,
    key: Value,
    upper: Node,
}

/// The entries of a leaf.
pub(super) type Entries<'m> = std::slice::Iter<'m, (Value, Value)>;

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
            keys: Sorted::default(),
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
                Self::Small(leaf) => return value_of(leaf, rank, key),
                Self::Leaf(leaf) => return value_of(leaf, rank, key),
                Self::Inner(inner) => node = &inner.children[inner.child_of(rank, key)],
            }
        }
    }

    /// Sets the value of a key. A leaf that is full then has to be [split](Self::split).
    #[inline]
    pub(super) fn insert(&mut self, rank: Rank, key: Value, value: Value) -> Inserted {
        let mut node = self;
        loop {
            match node {
                Self::Small(leaf) => return put(own(leaf), rank, key, value),
                Self::Leaf(leaf) => return put(own(leaf), rank, key, value),
                Self::Inner(inner) => {
                    let inner = own(inner);
                    let at = inner.child_of(rank, &key);
                    node = &mut inner.children[at];
                }
            }
        }
    }

    /// Splits the full leaf in which a key stands, and what becomes full above it; gives the upper half of this node, if it is one.
    pub(super) fn split(&mut self, rank: Rank, key: &Value) -> Option<Split> {
        match self {
            Self::Small(leaf) => {
                *self = Self::Leaf(Rc::new(own(leaf).split_off(0)));
                None
            }
            Self::Leaf(leaf) => {
                let leaf = own(leaf);
                let is_last = leaf.find(rank, key) == Ok(leaf.len() - 1);
                let upper = leaf.split_off(middle(leaf.len(), is_last));
                let (number, key) = upper.first();
                let upper = Self::Leaf(Rc::new(upper));
                Some(Split { number, key, upper })
            }
            Self::Inner(inner) => {
                let inner = own(inner);
                let at = inner.child_of(rank, key);
                let split = inner.children[at].split(rank, key)?;
                inner.take(at, split)
            }
        }
    }

    /// Takes a key out that is there.
    pub(super) fn remove(&mut self, rank: Rank, key: &Value) {
        match self {
            Self::Small(leaf) => take(own(leaf), rank, key),
            Self::Leaf(leaf) => take(own(leaf), rank, key),
            Self::Inner(inner) => {
                let inner = own(inner);
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
            Self::Small(leaf) => leaf.is_empty(),
            Self::Leaf(leaf) => leaf.is_empty(),
            Self::Inner(inner) => inner.children.len() == 1 && inner.children[0].is_empty(),
        }
    }
}

/// Gives a node for change, as a copy where another version holds it too.
#[inline]
fn own<T: Clone>(node: &mut Rc<T>) -> &mut T {
    if Rc::strong_count(node) > 1 {
        *node = Rc::new(T::clone(node));
    }
    Rc::get_mut(node).expect("no other version holds it, and nothing refers to a node weakly")
}

/// Gives the value of a key in a leaf.
#[inline]
fn value_of<'l, const BLOCKS: usize>(
    leaf: &'l Leaf<BLOCKS>,
    rank: Rank,
    key: &Value,
) -> Option<&'l Value> {
    let at = leaf.find(rank, key).ok()?;
    let (_, value) = leaf.entry(at)?;
    Some(value)
}

/// Sets the value of a key in a leaf.
#[inline]
fn put<const BLOCKS: usize>(
    leaf: &mut Leaf<BLOCKS>,
    rank: Rank,
    key: Value,
    value: Value,
) -> Inserted {
    match leaf.find(rank, &key) {
        Ok(at) => {
            leaf.replace(at, (key, value));
            Inserted {
                is_new: false,
                is_full: false,
            }
        }
        Err(at) => {
            leaf.insert(at, rank.number, (key, value));
            Inserted {
                is_new: true,
                is_full: leaf.is_full(),
            }
        }
    }
}

/// Takes a key out of a leaf, if it is there.
fn take<const BLOCKS: usize>(leaf: &mut Leaf<BLOCKS>, rank: Rank, key: &Value) {
    if let Ok(at) = leaf.find(rank, key) {
        leaf.remove(at);
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
        if !self.keys.is_full() {
            return None;
        }
        let len = self.children.len();
        let middle = middle(len, at + 2 == len);
        // The key before the first of the upper children goes up.
        let mut keys: Sorted<INNER, Value> = self.keys.split_off(middle - 1);
        let (number, key) = keys.remove(0);
        let children = upper(&mut self.children, middle, len);
        let upper = Node::Inner(Rc::new(Self { keys, children }));
        Some(Split { number, key, upper })
    }
}

/// Where a node is split: before its last part, where that is the newest, so that rising keys leave full nodes.
const fn middle(len: usize, is_last_new: bool) -> usize {
    if is_last_new { len - 1 } else { len / 2 }
}
