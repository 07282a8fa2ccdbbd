//! What a change of a file changes, so that one that was not touched need not be read again.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use serde::{Deserialize, Serialize};

/// How much older than a look a file has to be to be told from one that was changed right after it.
///
/// # Units and bounds
/// Nanoseconds: 100 ms, more than one tick of any clock that stamps files.
const MIN_AGE_NANOS: u128 = 100_000_000;

/// Size, times and inode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stamp {
    size: u64,
    modified: i128,
    changed: i128,
    inode: u64,
}

impl Stamp {
    /// Takes the stamp of a file that was looked at.
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let nanos =
            |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        Self {
            size: metadata.size(),
            modified: nanos(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanos(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }

    /// Says whether a change after a look, in nanoseconds since 1970, would show.
    pub(crate) fn is_older_than(&self, looked: u128) -> bool {
        let last = self.modified.max(self.changed);
        u128::try_from(last).is_ok_and(|last| last + MIN_AGE_NANOS < looked)
    }
}
