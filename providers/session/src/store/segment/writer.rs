//! Writing a segment: under a temporary name until every object in it is durable.

use std::collections::HashSet;
use std::io;

use super::{ENTRY_BYTES, HEADER_BYTES, Segment};
use crate::identity::{Domain, Identity, IdentityHasher};
use crate::store::disk::{Disk, parent_of};

/// Blobs of this size start on a page, so that a file system that clones can share their extents.
const ALIGNED_FROM_BYTES: u64 = 64 * 1024;

/// The page that such blobs start on.
const ALIGNMENT_BYTES: u64 = 4096;

/// How much is gathered before it is written.
const BUFFER_BYTES: usize = 1024 * 1024;

/// Why something cannot be stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The disk is full (`session/store-space`).
    #[error("there is no room for `{path}`: {needed_bytes} bytes are needed")]
    Space {
        /// The file, from the root of the workspace.
        path: String,
        /// How many bytes were to be written.
        needed_bytes: u64,
    },
    /// The system refused (`session/store-write`).
    #[error("`{path}` cannot be written")]
    Write {
        /// The file, from the root of the workspace.
        path: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl WriteError {
    /// Says which of the two it is.
    pub fn new(path: &str, needed_bytes: u64, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Space { path, needed_bytes }
            }
            _ => Self::Write { path, source },
        }
    }
}

/// A segment in the making. Dropped before [`SegmentWriter::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct SegmentWriter<'a> {
    disk: &'a dyn Disk,
    directory: String,
    /// The temporary file, once there is one.
    temporary: Option<String>,
    buffer: Vec<u8>,
    /// Bytes in the file, those in the buffer left out.
    written: u64,
    entries: Vec<[u8; ENTRY_BYTES]>,
    held: HashSet<(Domain, Identity)>,
}

impl<'a> SegmentWriter<'a> {
    /// Starts a segment in a directory of segments. Nothing is written before there is an object.
    pub fn new(disk: &'a dyn Disk, directory: &str) -> Self {
        Self {
            disk,
            directory: directory.to_owned(),
            temporary: None,
            buffer: super::header().to_vec(),
            written: 0,
            entries: Vec::new(),
            held: HashSet::new(),
        }
    }

    /// Whether this segment holds an object already.
    pub fn holds(&self, domain: Domain, identity: &Identity) -> bool {
        self.held.contains(&(domain, *identity))
    }

    /// Adds an object under the name that its bytes have; one that is here already is not added again.
    ///
    /// # Errors
    /// What the disk says.
    pub fn add(
        &mut self,
        domain: Domain,
        identity: Identity,
        bytes: &[u8],
    ) -> Result<(), WriteError> {
        debug_assert_eq!(
            Identity::of(domain, bytes),
            identity,
            "a name is its bytes'"
        );
        if self.held.insert((domain, identity)) {
            let offset = self.start(bytes.len() as u64);
            self.append(bytes)?;
            self.entry(domain, identity, offset, bytes.len() as u64);
        }
        Ok(())
    }

    /// Adds a blob that is too large to be held, as `read` fills buffers with it; gives its identity and length.
    ///
    /// Once its identity is known, `wanted` may say that it is not needed, and it is taken back.
    ///
    /// # Errors
    /// What the disk says; `read` is answered in the inner result, and then nothing was added.
    pub fn add_stream(
        &mut self,
        mut read: impl FnMut(&mut [u8]) -> io::Result<usize>,
        wanted: impl FnOnce(&Identity) -> bool,
    ) -> Result<io::Result<(Identity, u64)>, WriteError> {
        let offset = self.start(ALIGNED_FROM_BYTES);
        let mut hasher = IdentityHasher::new(Domain::Blob);
        let mut bytes = 0;
        let mut buffer = vec![0; BUFFER_BYTES];
        loop {
            match read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => {
                    hasher.update(&buffer[..length]);
                    self.append(&buffer[..length])?;
                    bytes += length as u64;
                }
                Err(error) => {
                    self.cut(offset)?;
                    return Ok(Err(error));
                }
            }
        }
        let identity = hasher.finish();
        if wanted(&identity) && self.held.insert((Domain::Blob, identity)) {
            self.entry(Domain::Blob, identity, offset, bytes);
        } else {
            self.cut(offset)?;
        }
        Ok(Ok((identity, bytes)))
    }

    /// Makes the segment durable and gives it its name; `None` where no object was added.
    ///
    /// # Errors
    /// What the disk says; the temporary file is removed then.
    ///
    /// # Panics
    /// Never: the file is there once there is an entry.
    pub fn finish(mut self) -> Result<Option<Segment>, WriteError> {
        if self.entries.is_empty() {
            return Ok(None);
        }
        let objects_end = self.written + self.buffer.len() as u64;
        self.entries.sort_unstable();
        let index = self.entries.concat();
        self.append(&index)?;
        self.append(&(self.entries.len() as u64).to_le_bytes())?;
        self.append(&super::checksum(&index, objects_end))?;
        self.flush()?;
        let temporary = self.temporary.clone().expect("what was flushed has a file");
        let path = self
            .publish(&temporary)
            .map_err(|source| WriteError::new(&temporary, self.written, source))?;
        self.temporary = None;
        Ok(Some(Segment {
            path,
            index,
            objects_end,
        }))
    }

    /// Syncs the bytes, moves them to the next free number, syncs the name.
    fn publish(&self, temporary: &str) -> io::Result<String> {
        self.disk.sync(temporary)?;
        let mut number = next_number(&self.disk.list(&self.directory)?);
        loop {
            let path = format!("{}/{number}.seg", self.directory);
            let moved = match self.disk.rename_new(temporary, &path) {
                Err(error) if error.kind() == io::ErrorKind::Unsupported => self
                    .disk
                    .link(temporary, &path)
                    .and_then(|()| self.disk.remove_file(temporary)),
                moved => moved,
            };
            match moved {
                // Another command of this store was faster.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
                Ok(()) => {
                    self.disk.sync(parent_of(&path))?;
                    return Ok(path);
                }
            }
        }
    }

    /// The offset of the next object of this length, with zeros up to it.
    fn start(&mut self, bytes: u64) -> u64 {
        let offset = self.written + self.buffer.len() as u64;
        if bytes < ALIGNED_FROM_BYTES {
            return offset;
        }
        let aligned = offset.next_multiple_of(ALIGNMENT_BYTES);
        let padding = usize::try_from(aligned - offset).unwrap_or(0);
        self.buffer.resize(self.buffer.len() + padding, 0);
        aligned
    }

    fn entry(&mut self, domain: Domain, identity: Identity, offset: u64, bytes: u64) {
        let mut entry = [0; ENTRY_BYTES];
        entry[0] = domain.code();
        entry[1..33].copy_from_slice(identity.as_bytes());
        entry[33..41].copy_from_slice(&offset.to_le_bytes());
        entry[41..].copy_from_slice(&bytes.to_le_bytes());
        self.entries.push(entry);
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        if self.buffer.len() + bytes.len() > BUFFER_BYTES {
            self.flush()?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        let temporary = match self.temporary.take() {
            Some(temporary) => temporary,
            None => self.create()?,
        };
        let length = self.buffer.len() as u64;
        let appended = self.disk.append(&temporary, &self.buffer);
        let appended = appended.map_err(|source| WriteError::new(&temporary, length, source));
        self.temporary = Some(temporary);
        appended?;
        self.written += length;
        self.buffer.clear();
        Ok(())
    }

    fn create(&self) -> Result<String, WriteError> {
        let mut number = 0_u64;
        loop {
            let temporary = format!("{}/new-{number}.tmp", self.directory);
            match self.disk.create_file(&temporary, b"", 0o644) {
                Ok(()) => return Ok(temporary),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(WriteError::new(&temporary, 0, error)),
            }
        }
    }

    /// Takes back what was added from an offset on.
    fn cut(&mut self, offset: u64) -> Result<(), WriteError> {
        if let Some(kept) = offset.checked_sub(self.written) {
            self.buffer
                .truncate(usize::try_from(kept).unwrap_or(usize::MAX));
            return Ok(());
        }
        self.buffer.clear();
        self.written = offset;
        match &self.temporary {
            None => Ok(()),
            Some(temporary) => self
                .disk
                .cut(temporary, offset)
                .map_err(|source| WriteError::new(temporary, 0, source)),
        }
    }
}

impl Drop for SegmentWriter<'_> {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // What stays is a temporary name that nobody reads; `gc` removes it.
            let _ = self.disk.remove_file(temporary);
        }
    }
}

fn next_number(names: &[String]) -> u64 {
    let numbers = names
        .iter()
        .filter_map(|name| name.strip_suffix(".seg")?.parse::<u64>().ok());
    numbers.max().map_or(1, |last| last.saturating_add(1))
}

const _: () = assert!(HEADER_BYTES < BUFFER_BYTES);
