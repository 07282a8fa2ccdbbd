//! Lists: appending to one shares what it has in common with the other.

use std::array;
use std::mem;
use std::rc::Rc;

use super::Value;
use super::release::release;

/// How many elements or children a node holds.
const WIDTH: usize = 32;

/// The bits of a position that choose a child.
const BITS: u32 = 5;

/// A persistent sequence: full blocks of 32 elements in a tree of 32-way nodes, the rest in a tail.
///
/// Reading an element walks a few levels. Appending copies the tail, unless nothing else refers to it.
#[derive(Clone, Debug, Default)]
pub struct List {
    len: usize,
    height: u32,
    root: Option<Rc<Node>>,
    tail: Block,
}

/// The children or elements stand in the node itself, so that each level costs one look at memory.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "of 32 nodes 31 are leaves, and a box would be one more look"
)]
enum Node {
    /// Children, of which the last ones may be missing.
    Branch([Option<Rc<Node>>; WIDTH]),
    Leaf(Full),
}

/// A block that is full.
#[derive(Clone, Debug)]
struct Full([Value; WIDTH]);

impl Drop for Full {
    fn drop(&mut self) {
        if self.0.iter().any(Value::holds_values) {
            release(
                self.0
                    .iter_mut()
                    .map(|value| mem::replace(value, Value::Unit)),
            );
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Block(Vec<Value>);

impl Drop for Block {
    fn drop(&mut self) {
        if self.0.iter().any(Value::holds_values) {
            release(self.0.drain(..));
        }
    }
}

impl List {
    /// Counts the elements.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Says whether there are no elements.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Gives an element.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.block(index).get(index % WIDTH)
    }

    /// Appends an element.
    #[inline]
    pub fn push(&mut self, value: Value) {
        if self.tail.0.len() == WIDTH {
            self.push_block();
        }
        self.tail.0.push(value);
        self.len += 1;
    }

    /// Goes through the elements.
    pub fn iter(&self) -> impl Iterator<Item = &Value> + use<'_> {
        (0..self.len.div_ceil(WIDTH)).flat_map(|block| self.block(block * WIDTH))
    }

    /// Gives the elements of the block in which a position stands; none beyond the end.
    #[inline]
    pub(super) fn block(&self, index: usize) -> &[Value] {
        if index >= self.len - self.tail.0.len() {
            let is_inside = index < self.len;
            return if is_inside { &self.tail.0 } else { &[] };
        }
        let mut node = self.root.as_deref();
        let mut shift = BITS * self.height;
        while let Some(Node::Branch(children)) = node {
            node = children[(index >> shift) % WIDTH].as_deref();
            shift = shift.saturating_sub(BITS);
        }
        match node {
            Some(Node::Leaf(block)) => &block.0,
            _ => &[],
        }
    }

    /// Moves the full tail into the tree, where `len` counts it already; its room is kept for the next one.
    #[cold]
    fn push_block(&mut self) {
        let mut values = self.tail.0.drain(..);
        let block = array::from_fn(|_| values.next().unwrap_or(Value::Unit));
        drop(values);
        let leaf = Rc::new(Node::Leaf(Full(block)));
        let Some(root) = &mut self.root else {
            self.root = Some(leaf);
            return;
        };
        let index = self.len - WIDTH;
        if index >> (BITS * (self.height + 1)) > 0 {
            let rest = chain(leaf, self.height);
            *root = branch([Some(Rc::clone(root)), Some(rest)]);
            self.height += 1;
            return;
        }
        let mut node = root;
        let mut height = self.height;
        while let Node::Branch(children) = Rc::make_mut(node) {
            height -= 1;
            let child = &mut children[(index >> (BITS * (height + 1))) % WIDTH];
            match child {
                Some(next) => node = next,
                empty => {
                    *empty = Some(chain(leaf, height));
                    return;
                }
            }
        }
    }
}

/// Puts branches of one child above a leaf.
fn chain(leaf: Rc<Node>, height: u32) -> Rc<Node> {
    (0..height).fold(leaf, |node, _| branch([Some(node), None]))
}

fn branch(first: [Option<Rc<Node>>; 2]) -> Rc<Node> {
    let mut first = first.into_iter();
    Rc::new(Node::Branch(array::from_fn(|_| first.next().flatten())))
}

impl From<Vec<Value>> for List {
    fn from(values: Vec<Value>) -> Self {
        if values.len() <= WIDTH {
            let len = values.len();
            let tail = Block(values);
            return Self {
                len,
                tail,
                ..Self::default()
            };
        }
        values.into_iter().collect()
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut list = Self::default();
        list.extend(values);
        list
    }
}

impl Extend<Value> for List {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, values: I) {
        for value in values {
            self.push(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: Option<&Value>) -> Option<i64> {
        match value {
            Some(Value::Signed(number)) => Some(*number),
            _ => None,
        }
    }

    #[test]
    fn elements_stand_where_they_were_put() {
        for len in [0, 1, 31, 32, 33, 64, 65, 1023, 1024, 1056, 1057, 33_000] {
            let list: List = (0..len).map(Value::Signed).collect();
            assert_eq!(i64::try_from(list.len()), Ok(len));
            for index in 0..len {
                let at = usize::try_from(index).expect("it is small");
                assert_eq!(number(list.get(at)), Some(index), "{len}");
            }
            assert_eq!(number(list.get(list.len())), None);
            assert_eq!(number(list.get(usize::MAX)), None);
            let all: Vec<_> = list.iter().map(|value| number(Some(value))).collect();
            let expected: Vec<_> = (0..len).map(Some).collect();
            assert_eq!(all, expected);
        }
    }

    #[test]
    fn an_older_list_does_not_see_what_is_appended() {
        let mut versions = vec![List::default()];
        for value in 0..2_000 {
            let mut next = versions[versions.len() - 1].clone();
            next.push(Value::Signed(value));
            versions.push(next);
        }
        // A second branch from every version must leave the first one alone.
        for version in &versions {
            let mut other = version.clone();
            other.push(Value::Signed(-1));
        }
        for (len, version) in versions.iter().enumerate() {
            assert_eq!(version.len(), len);
            let sum: i64 = version.iter().filter_map(|value| number(Some(value))).sum();
            let len = i64::try_from(len).expect("it is small");
            assert_eq!(sum, len * (len - 1) / 2);
        }
    }
}
