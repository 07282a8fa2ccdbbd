//! Ids and lists of nodes.

use std::fmt;
use std::marker::PhantomData;

/// Several things of one kind that stand side by side in a table of the tree.
pub struct List<T> {
    start: u32,
    len: u32,
    kind: PhantomData<fn() -> T>,
}

impl<T> List<T> {
    /// The list without entries.
    pub const EMPTY: Self = Self::new(0, 0);

    pub(super) const fn new(start: u32, len: u32) -> Self {
        let kind = PhantomData;
        Self { start, len, kind }
    }

    /// Counts the entries.
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Says whether there are no entries.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    pub(super) const fn range(self) -> std::ops::Range<usize> {
        let start = self.start as usize;
        start..start + self.len as usize
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T> fmt::Debug for List<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.range(), formatter)
    }
}

/// Turns the length of a table into the id of the node added next.
///
/// # Panics
/// Past 2^32 nodes; a text has at most a few nodes per byte and at most 1 MiB.
pub(super) fn next_index(len: usize) -> u32 {
    u32::try_from(len).expect("a tree of one source text has fewer than 2^32 nodes")
}

macro_rules! nodes {
    ($($id:ident $node:ident $table:ident, $add:ident($kind:ident) $count:ident $ids:ident, $what:literal;)*) => {$(
        impl std::ops::Index<$id> for Tree {
            type Output = $node;

            fn index(&self, id: $id) -> &$node {
                &self.$table[id.index()]
            }
        }

        impl Tree {
            #[doc = concat!("Adds ", $what, " whose parts were added before.")]
            pub fn $add(&mut self, span: Span, kind: $kind) -> $id {
                let id = $id::new(list::next_index(self.$table.len()));
                self.$table.push($node { span, kind });
                id
            }

            #[doc = concat!("Gives the number of nodes of this kind; every id of ", $what, " is below it.")]
            pub fn $count(&self) -> usize {
                self.$table.len()
            }

            #[doc = concat!("Lists the ids of all nodes of this kind, parts before what they are part of.")]
            pub fn $ids(&self) -> impl Iterator<Item = $id> + use<> {
                (0..list::next_index(self.$table.len())).map($id::new)
            }
        }
    )*};
}

macro_rules! lists {
    ($($item:ident $table:ident $add:ident $what:literal;)*) => {$(
        impl std::ops::Index<List<$item>> for Tree {
            type Output = [$item];

            fn index(&self, list: List<$item>) -> &[$item] {
                &self.$table[list.range()]
            }
        }

        impl Tree {
            #[doc = concat!("Adds ", $what, " as one list.")]
            pub fn $add(&mut self, items: impl IntoIterator<Item = $item>) -> List<$item> {
                let start = self.$table.len();
                self.$table.extend(items);
                let len = self.$table.len() - start;
                List::new(list::next_index(start), list::next_index(len))
            }
        }
    )*};
}

macro_rules! id {
    ($id:ident $what:literal) => {
        #[doc = concat!("The number of ", $what, " of one tree, dense from 0.")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $id(std::num::NonZeroU32);

        impl $id {
            pub(super) fn new(index: u32) -> Self {
                Self(std::num::NonZeroU32::MIN.saturating_add(index))
            }

            /// Gives the position in its table, as an index of side tables.
            pub const fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }
    };
}

pub(super) use {id, lists, nodes};
