//! The bytes of a stat cache: a head, the snapshot and its trees, then the files, and a checksum behind them.

use super::{Noted, Whole};
use crate::beneath::{Stamp, Stat};
use crate::identity::Identity;
use crate::snapshot::tree::{Entry, Snapshot};
use crate::store::disk::Kind;

use super::listing::{CHECKSUM_BYTES, HEAD_BYTES, MAGIC};

const VERSION: u8 = 3;

/// Device, inode, length, both stamps, mode.
const STATE_BYTES: usize = 8 + 8 + 8 + 12 + 12 + 4;

/// The state, what it is, and the blob.
pub(super) const FIXED_BYTES: usize = STATE_BYTES + 1 + 32;

const LINK: u8 = 1;
const EXECUTABLE: u8 = 2;
const TRUSTED: u8 = 4;

/// All that stands before the files; the length is that of the whole cache, once it is [`sealed`].
pub(super) fn head(whole: Option<&Whole>) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(MAGIC);
    bytes.push(VERSION);
    bytes.extend_from_slice(&[0; 8]);
    bytes.push(u8::from(whole.is_some()));
    if let Some(whole) = whole {
        bytes.extend_from_slice(whole.identity.as_bytes());
        bytes.extend_from_slice(whole.snapshot.root.as_bytes());
        for number in [
            whole.snapshot.files,
            whole.snapshot.bytes,
            whole.trees.len() as u64,
        ] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for tree in &whole.trees {
            bytes.extend_from_slice(tree.as_bytes());
        }
    }
    bytes
}

/// Adds a file.
pub(super) fn push(bytes: &mut Vec<u8>, path: &str, stat: &Stat, entry: &Entry, is_trusted: bool) {
    // A path has at most 4,096 bytes.
    let length = u16::try_from(path.len()).unwrap_or(u16::MAX);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(path.as_bytes());
    bytes.extend_from_slice(&state(stat));
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    bytes.push(
        flag(entry.is_link(), LINK)
            | flag(entry.is_executable(), EXECUTABLE)
            | flag(is_trusted, TRUSTED),
    );
    bytes.extend_from_slice(entry.blob().as_bytes());
}

/// What a look at a file saw, as it is stored; the number of its names does not count.
pub(super) fn state(stat: &Stat) -> [u8; STATE_BYTES] {
    let mut state = [0; STATE_BYTES];
    let mut at = 0;
    let mut put = |bytes: &[u8]| {
        state[at..at + bytes.len()].copy_from_slice(bytes);
        at += bytes.len();
    };
    for number in [stat.device, stat.inode, stat.bytes] {
        put(&number.to_le_bytes());
    }
    for stamp in [stat.modified, stat.changed] {
        put(&stamp.seconds.to_le_bytes());
        put(&stamp.nanoseconds.to_le_bytes());
    }
    put(&stat.mode.to_le_bytes());
    state
}

/// Reads what [`state`] wrote.
pub(super) fn stat(mut state: &[u8], kind: Kind) -> Option<Stat> {
    let left = &mut state;
    let mut number = || Some(u64::from_le_bytes(take(left)?));
    let (device, inode, bytes) = (number()?, number()?, number()?);
    let mut stamp = || {
        Some(Stamp {
            seconds: i64::from_le_bytes(take(left)?),
            nanoseconds: u32::from_le_bytes(take(left)?),
        })
    };
    let (modified, changed) = (stamp()?, stamp()?);
    Some(Stat {
        kind,
        device,
        inode,
        links: 1,
        mode: u32::from_le_bytes(take(left)?),
        bytes,
        modified,
        changed,
    })
}

/// The file that stands first, and what stands behind it.
pub(super) fn entry(mut bytes: &[u8]) -> Option<(Noted<'_>, &[u8])> {
    let length = usize::from(u16::from_le_bytes(take(&mut bytes)?));
    let (path, rest) = bytes.split_at_checked(length)?;
    let (stat, mut rest) = rest.split_at_checked(STATE_BYTES)?;
    let [flags] = take(&mut rest)?;
    let blob = Identity::from_bytes(take(&mut rest)?);
    let bytes = u64::from_le_bytes(*stat[16..].first_chunk()?);
    let entry = if flags & LINK == 0 {
        Entry::File {
            executable: flags & EXECUTABLE != 0,
            blob,
            bytes,
        }
    } else {
        Entry::Link { blob, bytes }
    };
    let noted = Noted {
        path,
        entry,
        stat,
        is_trusted: flags & TRUSTED != 0,
    };
    Some((noted, rest))
}

/// Adds the length and the checksum.
pub(super) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = (bytes.len() + CHECKSUM_BYTES) as u64;
    bytes[MAGIC.len() + 1..HEAD_BYTES].copy_from_slice(&length.to_le_bytes());
    let checksum = blake3::hash(&bytes);
    bytes.extend_from_slice(checksum.as_bytes());
    bytes
}

/// Takes length and checksum off again; `None` where they do not fit.
pub(super) fn unsealed(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let (body, checksum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM_BYTES)?)?;
    let mut head = body.strip_prefix(MAGIC)?.strip_prefix(&[VERSION])?;
    let fits = u64::from_le_bytes(take(&mut head)?) == bytes.len() as u64
        && blake3::hash(body).as_bytes() == checksum;
    fits.then_some(())?;
    bytes.truncate(bytes.len() - CHECKSUM_BYTES);
    bytes[MAGIC.len() + 1..HEAD_BYTES].fill(0);
    Some(bytes)
}

/// The snapshot, and where each file starts; `None` for what [`push`] did not write.
pub(super) fn parse(bytes: &[u8]) -> Option<(Option<Whole>, Vec<usize>)> {
    let mut left = bytes.get(HEAD_BYTES..)?;
    let [is_whole] = take(&mut left)?;
    let whole = match is_whole {
        0 => None,
        _ => Some(whole(&mut left)?),
    };
    let mut files = Vec::with_capacity(left.len() / (FIXED_BYTES + 16));
    let mut last: Option<&[u8]> = None;
    while !left.is_empty() {
        files.push(bytes.len() - left.len());
        let (noted, rest) = entry(left)?;
        if last.is_some_and(|last| last >= noted.path) {
            return None;
        }
        last = Some(noted.path);
        left = rest;
    }
    Some((whole, files))
}

fn whole(left: &mut &[u8]) -> Option<Whole> {
    let identity = Identity::from_bytes(take(left)?);
    let root = Identity::from_bytes(take(left)?);
    let mut number = || Some(u64::from_le_bytes(take(left)?));
    let (files, bytes, count) = (number()?, number()?, number()?);
    let length = usize::try_from(count).ok()?.checked_mul(32)?;
    let (trees, rest) = left.split_at_checked(length)?;
    *left = rest;
    let trees = trees.as_chunks().0.iter();
    Some(Whole {
        identity,
        snapshot: Snapshot { root, files, bytes },
        trees: trees.map(|tree| Identity::from_bytes(*tree)).collect(),
    })
}

fn take<const LENGTH: usize>(left: &mut &[u8]) -> Option<[u8; LENGTH]> {
    let (taken, rest) = left.split_first_chunk()?;
    *left = rest;
    Some(*taken)
}
