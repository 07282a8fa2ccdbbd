//! The objects of a store: all its segments as one set of names.
//!
//! Reading checks length and hash of every object and changes nothing; damage is put aside by [`StoredObjects::repair`] alone.

mod repair;

use std::io;

use super::disk::Disk;
use super::layout::OBJECTS;
use super::objects::{ObjectError, ObjectMap, ReadObjects};
use super::segment::{Segment, SegmentError, SegmentWriter, WriteError};
use crate::identity::{Domain, Identity};

pub use repair::{Repair, Verification};

/// The objects of a store.
#[derive(Debug)]
pub struct StoredObjects<'a> {
    disk: &'a dyn Disk,
    /// The newest first: what was written again after damage is found before the damage.
    segments: Vec<Segment>,
    unusable: Vec<SegmentError>,
}

impl<'a> StoredObjects<'a> {
    /// Reads the indexes of all segments. One that is damaged or cannot be read hides its objects and nothing else.
    ///
    /// # Errors
    /// A directory of objects that cannot be read (`session/snapshot-read`).
    pub fn open(disk: &'a dyn Disk) -> Result<Self, ObjectError> {
        let names = match disk.list(OBJECTS) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            names => names.map_err(|source| ObjectError::Read {
                path: OBJECTS.to_owned(),
                source,
            })?,
        };
        let mut numbers: Vec<u64> = names
            .iter()
            .filter_map(|name| name.strip_suffix(".seg")?.parse().ok())
            .collect();
        numbers.sort_unstable();
        let mut store = Self {
            disk,
            segments: Vec::new(),
            unusable: Vec::new(),
        };
        for number in numbers.into_iter().rev() {
            match Segment::open(disk, &format!("{OBJECTS}/{number}.seg")) {
                Ok(segment) => store.segments.push(segment),
                Err(error) => store.unusable.push(error),
            }
        }
        Ok(store)
    }

    /// The disk that the store lies on.
    pub fn disk(&self) -> &'a dyn Disk {
        self.disk
    }

    /// Its segments, the newest first.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Segments whose objects cannot be had.
    pub fn unusable(&self) -> &[SegmentError] {
        &self.unusable
    }

    /// Starts a segment of this store.
    pub fn writer(&self) -> SegmentWriter<'a> {
        SegmentWriter::new(self.disk, OBJECTS)
    }

    /// Takes a finished segment into the set.
    pub fn adopt(&mut self, segment: Option<Segment>) {
        self.segments.splice(0..0, segment);
    }

    /// Takes segments out of the set whose files are gone.
    pub(crate) fn forget(&mut self, paths: &[String]) {
        self.segments
            .retain(|segment| !paths.iter().any(|path| path == segment.path()));
    }

    /// Stores what is not here yet, in one segment and with one sync of its bytes.
    ///
    /// An object that is here is read and checked, and stored again if it is damaged.
    ///
    /// # Errors
    /// What the disk says; nothing was added then.
    pub fn add(&mut self, objects: &ObjectMap) -> Result<(), WriteError> {
        let mut writer = self.writer();
        for (domain, identity, bytes) in objects.iter() {
            if !self.is_whole(domain, &identity) {
                writer.add(domain, identity, bytes)?;
            }
        }
        self.adopt(writer.finish()?);
        Ok(())
    }

    /// Whether an object is here with the right bytes; all of them are read.
    pub fn is_whole(&self, domain: Domain, identity: &Identity) -> bool {
        self.contains(domain, identity) && self.copy(domain, identity, |_| Ok(())).is_ok()
    }

    /// Whether an object is here with exactly these bytes.
    pub fn equals(&self, domain: Domain, identity: &Identity, bytes: &[u8]) -> bool {
        self.segments.iter().any(|segment| {
            segment.find(domain, identity).is_some_and(|place| {
                place.bytes == bytes.len() as u64
                    && self
                        .disk
                        .read_range(segment.path(), place.offset, bytes.len())
                        .is_ok_and(|stored| stored == bytes)
            })
        })
    }

    /// Gives the bytes of an object piece by piece. What was given counts only if this succeeds.
    ///
    /// # Errors
    /// An object that is missing, damaged or cannot be read; what `take` says is a [`ObjectError::Read`].
    pub fn copy(
        &self,
        domain: Domain,
        identity: &Identity,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), ObjectError> {
        let mut failure = ObjectError::Missing {
            domain,
            identity: *identity,
        };
        for segment in &self.segments {
            let Some(place) = segment.find(domain, identity) else {
                continue;
            };
            let mut given = false;
            let observed = segment
                .copy(self.disk, domain, place, |bytes| {
                    given = true;
                    take(bytes)
                })
                .map_err(|source| ObjectError::Read {
                    path: segment.path().to_owned(),
                    source,
                })?;
            if observed == Some(*identity) {
                return Ok(());
            }
            failure = mismatch(domain, identity, observed);
            // Another copy cannot follow what was given already.
            if given {
                break;
            }
        }
        Err(failure)
    }
}

fn mismatch(domain: Domain, identity: &Identity, observed: Option<Identity>) -> ObjectError {
    ObjectError::Mismatch {
        domain,
        identity: *identity,
        observed: observed.map_or_else(
            || "fewer bytes than its length".to_owned(),
            |observed| observed.to_string(),
        ),
    }
}

impl ReadObjects for StoredObjects<'_> {
    fn read(&self, domain: Domain, identity: &Identity) -> Result<Vec<u8>, ObjectError> {
        let mut failure = ObjectError::Missing {
            domain,
            identity: *identity,
        };
        for segment in &self.segments {
            let Some(place) = segment.find(domain, identity) else {
                continue;
            };
            let mut bytes = Vec::new();
            let observed = segment.copy(self.disk, domain, place, |piece| {
                bytes.extend_from_slice(piece);
                Ok(())
            });
            match observed {
                Ok(observed) if observed == Some(*identity) => return Ok(bytes),
                Ok(observed) => failure = mismatch(domain, identity, observed),
                Err(source) => {
                    failure = ObjectError::Read {
                        path: segment.path().to_owned(),
                        source,
                    };
                }
            }
        }
        Err(failure)
    }

    fn contains(&self, domain: Domain, identity: &Identity) -> bool {
        self.segments
            .iter()
            .any(|segment| segment.find(domain, identity).is_some())
    }
}

#[cfg(test)]
mod tests;
