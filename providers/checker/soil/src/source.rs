//! Source texts and places in them.
//!
//! A [`Span`] is a pair of byte offsets and says nothing about its file; a [`FileId`] says which text of a [`Sources`] it
//! belongs to. Lines and columns are for display only, and are found when a document is written ([`LineIndex`]).

mod lines;
mod span;

use std::sync::Arc;

pub use lines::{LineIndex, Position};
pub use span::Span;

/// The longest source text that is read.
///
/// # Units and bounds
/// Bytes: 1 MiB. A longer text gives `limit-exceeded` and an empty tree.
pub const MAX_SOURCE_BYTES: usize = 1 << 20;

/// The number of one text within a [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u32);

impl FileId {
    /// Gives the id of the text at this position of the list of sources.
    pub const fn new(index: u32) -> Self {
        Self(index)
    }

    /// Gives the position in the list of sources.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One text with the path that documents show for it.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path as the program or the command line gives it; never opened.
    pub path: Arc<str>,
    /// The bytes, which need not be UTF-8.
    pub bytes: Arc<[u8]>,
}

/// The texts that one run speaks of, in program order.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    sources: Vec<Source>,
}

impl Sources {
    /// Makes an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a text and gives its id.
    ///
    /// # Panics
    /// Past 2^32 texts, which no address space holds.
    pub fn add(&mut self, path: impl Into<Arc<str>>, bytes: impl Into<Arc<[u8]>>) -> FileId {
        let index = u32::try_from(self.sources.len()).expect("fewer than 2^32 texts fit in memory");
        self.sources.push(Source {
            path: path.into(),
            bytes: bytes.into(),
        });
        FileId(index)
    }

    /// Gives the text with this id, if it is one of these.
    pub fn get(&self, file: FileId) -> Option<&Source> {
        self.sources.get(file.index())
    }

    /// Puts other bytes in the place of a text's.
    pub(crate) fn replace(&mut self, file: FileId, bytes: impl Into<Arc<[u8]>>) {
        if let Some(source) = self.sources.get_mut(file.index()) {
            source.bytes = bytes.into();
        }
    }

    /// Lists the texts with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        (0..).map(FileId).zip(&self.sources)
    }
}
