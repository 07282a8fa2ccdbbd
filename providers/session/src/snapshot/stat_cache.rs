//! The stat cache: which live files are known to hold which bytes, so that they need not be read again.
//!
//! It only saves time. What is in doubt is not trusted: a file that changed so shortly before it was read that its stamps could
//! stay the same in a further change. A cache that is missing, cut or foreign is empty.
//!
//! It also says which snapshot its files made, so that one that differs in few of them is made from that.

mod layout;
mod listing;

use std::io;

use super::tree::{Entry, Snapshot};
use crate::beneath::{Stamp, Stat};
use crate::identity::Identity;
use crate::path::WorkspacePath;
use crate::store::disk::{Disk, Kind};
use crate::store::layout::STAT_CACHE;
pub(super) use listing::{decode, encode, read_behind};

/// How long the stamps of a file must have been at rest: kernel stamps lag the clock by up to a tick.
const MARGIN_NANOSECONDS: i128 = 50_000_000;

/// The same where stamps have no fraction of a second.
const COARSE_MARGIN_NANOSECONDS: i128 = 2_000_000_000;

/// A file or link whose content is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its path.
    pub path: WorkspacePath,
    /// What the file system said before and after it was read.
    pub stat: Stat,
    /// Identity of its content.
    pub blob: Identity,
}

/// What is known about live files, and the snapshot that they made.
///
/// It is held as it is stored: of most files nothing is asked but whether they are as they were.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct StatCache {
    bytes: Vec<u8>,
    /// Where each file stands in the bytes, ascending by path bytes.
    files: Vec<usize>,
    whole: Option<Whole>,
}

/// The snapshot of exactly the files of a cache, and every tree of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Whole {
    pub(super) identity: Identity,
    pub(super) snapshot: Snapshot,
    /// All trees; there may be some that are none of it any more.
    pub(super) trees: Vec<Identity>,
}

/// What a cache says of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Noted<'c> {
    pub(super) path: &'c [u8],
    /// What stood there in the snapshot.
    pub(super) entry: Entry,
    /// The state of the file as it is stored.
    stat: &'c [u8],
    /// Whether a file in just this state still holds it.
    is_trusted: bool,
}

impl StatCache {
    /// Keeps files, ascending, whose hashing began after `began` by the clock of their file system; only what was at rest is trusted.
    pub(super) fn new<'f>(
        files: impl ExactSizeIterator<Item = (&'f str, &'f Stat, Entry)>,
        whole: Option<Whole>,
        began: Stamp,
    ) -> Self {
        let mut bytes = layout::head(whole.as_ref());
        bytes.reserve(files.len() * (layout::FIXED_BYTES + 64));
        let mut starts = Vec::with_capacity(files.len());
        for (path, stat, entry) in files {
            starts.push(bytes.len());
            layout::push(&mut bytes, path, stat, &entry, is_at_rest(stat, began));
        }
        Self {
            bytes,
            files: starts,
            whole,
        }
    }

    /// Reads the cache of a store; anything but a whole cache is an empty one.
    pub fn load(disk: &dyn Disk) -> Self {
        Self::read(disk).unwrap_or_default()
    }

    /// Whether the cache of a store can be read; one that cannot is as good as none.
    pub fn is_readable(disk: &dyn Disk) -> bool {
        Self::read(disk).is_some()
    }

    fn read(disk: &dyn Disk) -> Option<Self> {
        let mut bytes = layout::unsealed(read_behind(disk, STAT_CACHE, 0)?)?;
        let (whole, files) = layout::parse(&bytes)?;
        bytes.shrink_to_fit();
        Some(Self {
            bytes,
            files,
            whole,
        })
    }

    /// Writes the cache of a store. It is not synced: a torn one is found by its checksum.
    ///
    /// # Errors
    /// What the system says.
    pub fn save(&self, disk: &dyn Disk) -> io::Result<()> {
        let temporary = format!("{STAT_CACHE}.tmp");
        match disk.remove_file(&temporary) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => disk.create_file(&temporary, &layout::sealed(self.bytes.clone()), 0o644)?,
        }
        disk.rename(&temporary, STAT_CACHE)
    }

    /// How many files it has.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The snapshot of exactly these files.
    pub(super) const fn whole(&self) -> Option<&Whole> {
        self.whole.as_ref()
    }

    /// What is said of all files, ascending.
    pub(super) fn noted(&self) -> impl Iterator<Item = Noted<'_>> {
        self.files.iter().map(|at| self.at(*at))
    }

    /// The files that are trusted, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = Known> + '_ {
        let trusted = self.noted().filter(|noted| noted.is_trusted);
        trusted.filter_map(|noted| noted.known())
    }

    fn at(&self, at: usize) -> Noted<'_> {
        layout::entry(&self.bytes[at..])
            .expect("each start was written by `push` or read by `parse`")
            .0
    }
}

impl std::fmt::Debug for StatCache {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("StatCache")
            .field("files", &self.files.len())
            .field("whole", &self.whole)
            .finish_non_exhaustive()
    }
}

impl Noted<'_> {
    /// Whether a file that is seen in this state is known to hold what is noted.
    pub(super) fn holds_of(&self, stat: &Stat) -> bool {
        let is_link = stat.kind == Kind::Link;
        self.is_trusted && self.entry.is_link() == is_link && self.stat == layout::state(stat)
    }

    fn known(&self) -> Option<Known> {
        let kind = if self.entry.is_link() {
            Kind::Link
        } else {
            Kind::File
        };
        Some(Known {
            path: WorkspacePath::from_bytes(self.path).ok()?,
            stat: layout::stat(self.stat, kind)?,
            blob: self.entry.blob(),
        })
    }
}

/// Whether two looks at a file saw the same state; the number of its names does not count.
pub(super) fn same(left: &Stat, right: &Stat) -> bool {
    let right = Stat {
        links: left.links,
        ..*right
    };
    *left == right
}

/// Whether the stamps of a file are old enough at a moment for every later change to show in them.
pub(super) fn is_at_rest(stat: &Stat, began: Stamp) -> bool {
    // The change stamp is the kernel's own; a modification stamp may be whole because somebody set it so.
    let margin = if stat.changed.nanoseconds == 0 {
        COARSE_MARGIN_NANOSECONDS
    } else {
        MARGIN_NANOSECONDS
    };
    let latest = stat.modified.max(stat.changed).total_nanoseconds();
    latest + margin <= began.total_nanoseconds()
}

#[cfg(test)]
mod tests;
