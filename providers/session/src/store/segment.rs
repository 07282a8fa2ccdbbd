//! Segments: files of many objects, written once and never changed.
//!
//! Owns the layout: a header, the objects, and behind them an index with its checksum, so that a segment which was cut short
//! is never taken for a smaller one. Each object is named by its own hash; bytes between objects are zero.

mod writer;

use super::disk::Disk;
use crate::identity::{Domain, Identity};

pub use writer::{SegmentWriter, WriteError};

const MAGIC: &[u8; 8] = b"LONISSEG";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 16;

/// Domain, identity, offset and length.
const ENTRY_BYTES: usize = 1 + 32 + 8 + 8;

/// The number of entries and the checksum of header, index and number.
const FOOTER_BYTES: usize = 8 + 32;

/// The longest index that is read: that of some ten million objects.
const MAX_INDEX_BYTES: u64 = 512 * 1024 * 1024;

/// How much of an object is held while it is checked or copied.
const CHUNK_BYTES: usize = 1024 * 1024;

/// Where an object lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Bytes from the start of the segment.
    pub offset: u64,
    /// Length of the object.
    pub bytes: u64,
}

/// A segment whose index was read and found right; its objects are checked as they are read.
#[derive(Debug)]
pub struct Segment {
    path: String,
    /// Entries, sorted.
    index: Vec<u8>,
    objects_end: u64,
}

/// A segment that cannot be used (`session/snapshot-mismatch`).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentError {
    /// The file is no whole segment.
    #[error("`{path}` is damaged: {reason}")]
    Damaged {
        /// The file, from the root of the workspace.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The file cannot be read.
    #[error("`{path}` cannot be read")]
    Read {
        /// The file, from the root of the workspace.
        path: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

/// An object whose bytes are not what its name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The domain of the object.
    pub domain: Domain,
    /// The name of the object.
    pub identity: Identity,
    /// The identity of what stands there; `None` where the file ends before.
    pub observed: Option<Identity>,
}

impl Segment {
    /// Opens a segment and checks its index.
    ///
    /// # Errors
    /// A file that cannot be read or is no whole segment.
    pub fn open(disk: &dyn Disk, path: &str) -> Result<Self, SegmentError> {
        let damaged = |reason| SegmentError::Damaged {
            path: path.to_owned(),
            reason,
        };
        let look = disk.look(path).map_err(|source| read_error(path, source))?;
        let length = look.ok_or_else(|| damaged("it is gone"))?.bytes;
        let range = |offset, length| {
            disk.read_range(path, offset, length)
                .map_err(|source| read_error(path, source))
        };
        let body = length
            .checked_sub((HEADER_BYTES + FOOTER_BYTES) as u64)
            .ok_or_else(|| damaged("it is too short for a segment"))?;
        let header = range(0, HEADER_BYTES)?;
        if header != self::header() {
            return Err(damaged("its header is not that of this version"));
        }
        let footer = range(length - FOOTER_BYTES as u64, FOOTER_BYTES)?;
        let (count, checksum) = footer.split_at_checked(8).unwrap_or_default();
        let index_bytes = number(count)
            .checked_mul(ENTRY_BYTES as u64)
            .filter(|bytes| *bytes <= body)
            .ok_or_else(|| damaged("it holds fewer bytes than its index needs"))?;
        if index_bytes > MAX_INDEX_BYTES {
            return Err(damaged("its index is longer than one can be"));
        }
        let objects_end = HEADER_BYTES as u64 + body - index_bytes;
        let size = usize::try_from(index_bytes).map_err(|_| damaged("its index is too large"))?;
        let index = range(objects_end, size)?;
        if checksum != self::checksum(&index, objects_end) || index.len() != size {
            return Err(damaged("the checksum of its index does not hold"));
        }
        Ok(Self {
            path: path.to_owned(),
            index,
            objects_end,
        })
    }

    /// The file, from the root of the workspace.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// How many objects it holds.
    pub fn len(&self) -> usize {
        self.index.len() / ENTRY_BYTES
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Where an object lies.
    pub fn find(&self, domain: Domain, identity: &Identity) -> Option<Place> {
        let entries = self.index.as_chunks::<ENTRY_BYTES>().0;
        let mut key = [domain.code(); 33];
        key[1..].copy_from_slice(identity.as_bytes());
        // As one number the first bytes are compared at once, and hardly ever two entries begin alike.
        let head = |bytes: &[u8]| bytes.first_chunk().copied().map(u128::from_be_bytes);
        let wanted = head(&key);
        let found = entries.binary_search_by(|entry| {
            let heads = head(entry).cmp(&wanted);
            heads.then_with(|| entry[16..33].cmp(&key[16..]))
        });
        found.ok().map(|index| place(&entries[index]))
    }

    /// Its objects, ascending by domain and identity.
    pub fn objects(&self) -> impl Iterator<Item = (Domain, Identity, Place)> + '_ {
        let entries = self.index.as_chunks::<ENTRY_BYTES>().0.iter();
        entries.filter_map(|entry| {
            let domain = Domain::from_code(entry[0])?;
            let identity = Identity::from_bytes(*entry[1..].first_chunk()?);
            Some((domain, identity, place(entry)))
        })
    }

    /// Gives an object piece by piece and says what its bytes hash to; `None` where the file ends before.
    ///
    /// What was given counts only if the identity is the one asked for.
    ///
    /// # Errors
    /// A file that cannot be read, and what `take` says.
    pub fn copy(
        &self,
        disk: &dyn Disk,
        domain: Domain,
        place: Place,
        mut take: impl FnMut(&[u8]) -> std::io::Result<()>,
    ) -> std::io::Result<Option<Identity>> {
        let mut hasher = crate::identity::IdentityHasher::new(domain);
        let mut done = 0;
        while done < place.bytes {
            let left = usize::try_from(place.bytes - done).unwrap_or(usize::MAX);
            let bytes = disk.read_range(&self.path, place.offset + done, left.min(CHUNK_BYTES))?;
            if bytes.is_empty() {
                return Ok(None);
            }
            hasher.update(&bytes);
            take(&bytes)?;
            done += bytes.len() as u64;
        }
        Ok(Some(hasher.finish()))
    }

    /// Checks every byte: all objects, and that nothing but zeros lies between them.
    ///
    /// # Errors
    /// A file that cannot be read, and bytes between objects that are not zero.
    pub fn verify(&self, disk: &dyn Disk) -> Result<Vec<Damage>, SegmentError> {
        let read = |source| read_error(&self.path, source);
        let mut damages = Vec::new();
        let mut end = HEADER_BYTES as u64;
        let mut objects: Vec<_> = self.objects().collect();
        objects.sort_unstable_by_key(|(.., place)| (place.offset, place.bytes));
        for (domain, identity, place) in objects {
            self.check_gap(disk, end, place.offset)?;
            end = end.max(place.offset.saturating_add(place.bytes));
            let observed = self.copy(disk, domain, place, |_| Ok(())).map_err(read)?;
            if observed != Some(identity) {
                damages.push(Damage {
                    domain,
                    identity,
                    observed,
                });
            }
        }
        self.check_gap(disk, end, self.objects_end)?;
        Ok(damages)
    }

    fn check_gap(&self, disk: &dyn Disk, start: u64, end: u64) -> Result<(), SegmentError> {
        let length = usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX);
        let gap = disk
            .read_range(&self.path, start, length.min(CHUNK_BYTES))
            .map_err(|source| read_error(&self.path, source))?;
        if length < CHUNK_BYTES && gap.iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        Err(SegmentError::Damaged {
            path: self.path.clone(),
            reason: "bytes between its objects are not zero",
        })
    }
}

fn read_error(path: &str, source: std::io::Error) -> SegmentError {
    SegmentError::Read {
        path: path.to_owned(),
        source,
    }
}

fn header() -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header
}

fn checksum(index: &[u8], objects_end: u64) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&header());
    hasher.update(index);
    hasher.update(&objects_end.to_le_bytes());
    *hasher.finalize().as_bytes()
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .first_chunk()
        .map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn place(entry: &[u8; ENTRY_BYTES]) -> Place {
    Place {
        offset: number(&entry[33..]),
        bytes: number(&entry[41..]),
    }
}

#[cfg(test)]
mod tests;
