//! A list of files with what is known of each, as a workspace keeps it.

use super::Known;
use crate::beneath::{Stamp, Stat};
use crate::identity::Identity;
use crate::path::WorkspacePath;
use crate::store::disk::{Disk, Kind};

pub(super) const MAGIC: &[u8; 8] = b"LONISTAT";
const VERSION: u8 = 2;
pub(super) const CHECKSUM_BYTES: usize = 32;
/// The magic, the version, and the length of all.
pub(super) const HEAD_BYTES: usize = MAGIC.len() + 1 + 8;
/// The longest cache that is read; that of two million files is a third of it.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// Device, inode, length, both stamps, mode, kind, blob.
const FIXED_BYTES: usize = 8 + 8 + 8 + 12 + 12 + 4 + 1 + 32;

/// The bytes of a file that ends with what [`encode`] wrote from an offset on, where its length fits what is said there.
pub(in crate::snapshot) fn read_behind(
    disk: &dyn Disk,
    path: &str,
    offset: u64,
) -> Option<Vec<u8>> {
    let length = disk.look(path).ok()??.bytes;
    let head = disk.read_range(path, offset, HEAD_BYTES).ok()?;
    let mut said = head.get(MAGIC.len() + 1..)?;
    let said = u64::from_le_bytes(take(&mut said)?);
    (length <= MAX_BYTES && offset.checked_add(said) == Some(length)).then_some(())?;
    disk.read(path, length).ok()
}

/// Writes files, ascending, with a checksum behind them.
pub(in crate::snapshot) fn encode(known: &[Known]) -> Vec<u8> {
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
pub(in crate::snapshot) fn decode(bytes: &[u8]) -> Option<Vec<Known>> {
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
