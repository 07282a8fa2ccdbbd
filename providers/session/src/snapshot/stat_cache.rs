//! The stat cache: which live files are known to hold which bytes, so that they need not be read again.
//!
//! It only saves time. What is in doubt is not in it: a file that changed so shortly before it was read that its stamps could
//! stay the same in a further change. A cache that is missing, cut or foreign is empty.

use std::io;

use crate::beneath::{Stamp, Stat};
use crate::identity::Identity;
use crate::path::WorkspacePath;
use crate::store::disk::{Disk, Kind};
use crate::store::layout::STAT_CACHE;

const MAGIC: &[u8; 8] = b"LONISTAT";
const VERSION: u8 = 2;
const CHECKSUM_BYTES: usize = 32;
/// The magic, the version, and the length of all.
const HEAD_BYTES: usize = MAGIC.len() + 1 + 8;
/// The longest cache that is read; that of two million files is a third of it.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// Device, inode, length, both stamps, mode, kind, blob.
const FIXED_BYTES: usize = 8 + 8 + 8 + 12 + 12 + 4 + 1 + 32;

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

/// What is known about live files, ascending by path bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatCache(Vec<Known>);

impl StatCache {
    /// Keeps what can be trusted of files whose hashing began after `began`, by the clock of their file system.
    pub fn new(mut known: Vec<Known>, began: Stamp) -> Self {
        known.retain(|known| is_at_rest(&known.stat, began));
        known.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        Self(known)
    }

    /// Reads the cache of a store; anything but a whole cache is an empty one.
    pub fn load(disk: &dyn Disk) -> Self {
        Self(read(disk, STAT_CACHE, 0).unwrap_or_default())
    }

    /// Whether the cache of a store can be read; one that cannot is as good as none.
    pub fn is_readable(disk: &dyn Disk) -> bool {
        read(disk, STAT_CACHE, 0).is_some()
    }

    /// Writes the cache of a store. It is not synced: a torn one is found by its checksum.
    ///
    /// # Errors
    /// What the system says.
    pub fn save(&self, disk: &dyn Disk) -> io::Result<()> {
        let temporary = format!("{STAT_CACHE}.tmp");
        match disk.remove_file(&temporary) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => disk.create_file(&temporary, &encode(&self.0), 0o644)?,
        }
        disk.rename(&temporary, STAT_CACHE)
    }

    /// How many files are known.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is known, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Known> {
        self.0.iter()
    }

    /// Looks files up whose paths ascend.
    pub(super) fn lookup(&self) -> Lookup<'_> {
        Lookup { left: &self.0 }
    }
}

/// Finds ascending paths in one pass.
pub(super) struct Lookup<'a> {
    left: &'a [Known],
}

impl Lookup<'_> {
    /// The content of a file, if it is known for exactly this state.
    pub(super) fn find(&mut self, path: &WorkspacePath, stat: &Stat) -> Option<Identity> {
        let skip = self
            .left
            .iter()
            .take_while(|known| known.path < *path)
            .count();
        self.left = &self.left[skip..];
        let known = self.left.first()?;
        (known.path == *path && same(&known.stat, stat)).then_some(known.blob)
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

/// Reads what [`encode`] wrote, from an offset to the end of a file; `None` for anything else, which is not read where its length
/// shows it.
fn read(disk: &dyn Disk, path: &str, offset: u64) -> Option<Vec<Known>> {
    let bytes = read_behind(disk, path, offset)?;
    decode(bytes.get(usize::try_from(offset).ok()?..)?)
}

/// The bytes of a file that ends with what [`encode`] wrote from an offset on, where its length fits what is said there.
pub(super) fn read_behind(disk: &dyn Disk, path: &str, offset: u64) -> Option<Vec<u8>> {
    let length = disk.look(path).ok()??.bytes;
    let head = disk.read_range(path, offset, HEAD_BYTES).ok()?;
    let mut said = head.get(MAGIC.len() + 1..)?;
    let said = u64::from_le_bytes(take(&mut said)?);
    (length <= MAX_BYTES && offset.checked_add(said) == Some(length)).then_some(())?;
    disk.read(path, length).ok()
}

/// Writes files, ascending, with a checksum behind them.
pub(super) fn encode(known: &[Known]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 + known.len() * (FIXED_BYTES + 64));
    bytes.extend_from_slice(MAGIC);
    bytes.push(VERSION);
    bytes.extend_from_slice(&[0; 8]);
    for Known { path, stat, blob } in known {
        let path = path.as_str().as_bytes();
        let length = u16::try_from(path.len()).unwrap_or(u16::MAX);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(path);
        for number in [stat.device, stat.inode, stat.bytes] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for stamp in [stat.modified, stat.changed] {
            bytes.extend_from_slice(&stamp.seconds.to_le_bytes());
            bytes.extend_from_slice(&stamp.nanoseconds.to_le_bytes());
        }
        bytes.extend_from_slice(&stat.mode.to_le_bytes());
        bytes.push(u8::from(stat.kind == Kind::Link));
        bytes.extend_from_slice(blob.as_bytes());
    }
    let length = (bytes.len() + CHECKSUM_BYTES) as u64;
    bytes[MAGIC.len() + 1..HEAD_BYTES].copy_from_slice(&length.to_le_bytes());
    let checksum = blake3::hash(&bytes);
    bytes.extend_from_slice(checksum.as_bytes());
    bytes
}

/// Reads what [`encode`] wrote; `None` for anything else.
pub(super) fn decode(bytes: &[u8]) -> Option<Vec<Known>> {
    let (body, checksum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM_BYTES)?)?;
    if blake3::hash(body).as_bytes() != checksum {
        return None;
    }
    let mut left = body.strip_prefix(MAGIC)?.strip_prefix(&[VERSION])?;
    (u64::from_le_bytes(take(&mut left)?) == bytes.len() as u64).then_some(())?;
    let mut known: Vec<Known> = Vec::with_capacity(left.len() / (FIXED_BYTES + 16));
    while !left.is_empty() {
        let length = usize::from(u16::from_le_bytes(take(&mut left)?));
        let (path, rest) = left.split_at_checked(length)?;
        left = rest;
        let path = WorkspacePath::from_bytes(path).ok()?;
        let [device, inode, bytes] = [take(&mut left)?, take(&mut left)?, take(&mut left)?];
        let mut stamp = || {
            Some(Stamp {
                seconds: i64::from_le_bytes(take(&mut left)?),
                nanoseconds: u32::from_le_bytes(take(&mut left)?),
            })
        };
        let (modified, changed) = (stamp()?, stamp()?);
        let mode = u32::from_le_bytes(take(&mut left)?);
        let [is_link] = take(&mut left)?;
        let stat = Stat {
            kind: if is_link == 0 { Kind::File } else { Kind::Link },
            device: u64::from_le_bytes(device),
            inode: u64::from_le_bytes(inode),
            links: 1,
            mode,
            bytes: u64::from_le_bytes(bytes),
            modified,
            changed,
        };
        let blob = Identity::from_bytes(take(&mut left)?);
        if known.last().is_some_and(|last| last.path >= path) {
            return None;
        }
        known.push(Known { path, stat, blob });
    }
    Some(known)
}

fn take<const LENGTH: usize>(left: &mut &[u8]) -> Option<[u8; LENGTH]> {
    let (taken, rest) = left.split_first_chunk()?;
    *left = rest;
    Some(*taken)
}

#[cfg(test)]
mod tests;
