//! Checking every byte of a store, and putting damage aside.

use std::collections::BTreeSet;
use std::io;

use super::StoredObjects;
use crate::identity::{Domain, Identity};
use crate::store::disk::{Disk, parent_of};
use crate::store::layout::{self, QUARANTINE};
use crate::store::segment::{Damage, Segment, SegmentError, SegmentWriter, WriteError};

/// What a check of the whole store found.
#[derive(Debug, Default)]
pub struct Verification {
    /// Objects with other bytes than their name says, of which no whole copy is here.
    pub damaged: Vec<Damage>,
    /// Segments that hold damage, with what they say about themselves where that is the damage.
    pub segments: Vec<(String, Option<String>)>,
    /// Bytes that were read.
    pub bytes: u64,
}

/// What a repair did.
#[derive(Debug, Default)]
pub struct Repair {
    /// Objects that are whole again.
    pub restored: Vec<(Domain, Identity)>,
    /// Objects that nobody has the bytes of.
    pub lost: Vec<(Domain, Identity)>,
    /// Files that were put aside, from the root of the workspace.
    pub quarantined: Vec<String>,
}

impl StoredObjects<'_> {
    /// Reads and checks every byte of every segment.
    ///
    /// # Errors
    /// A segment that cannot be read at all; damage is a finding.
    pub fn verify(&self) -> Result<Verification, SegmentError> {
        let mut found = Verification::default();
        for error in &self.unusable {
            match error {
                SegmentError::Damaged { path, reason } => {
                    found
                        .segments
                        .push((path.clone(), Some((*reason).to_owned())));
                }
                SegmentError::Read { path, .. } => {
                    found.segments.push((path.clone(), Some(error.to_string())));
                }
            }
        }
        for segment in &self.segments {
            found.bytes += segment
                .objects()
                .map(|(.., place)| place.bytes)
                .sum::<u64>();
            match segment.verify(self.disk) {
                Ok(damages) if damages.is_empty() => {}
                Ok(damages) => {
                    found.segments.push((segment.path().to_owned(), None));
                    found.damaged.extend(damages);
                }
                Err(SegmentError::Damaged { path, reason }) => {
                    found.segments.push((path, Some(reason.to_owned())));
                }
                Err(error) => return Err(error),
            }
        }
        found
            .damaged
            .retain(|damage| !self.is_whole(damage.domain, &damage.identity));
        Ok(found)
    }

    /// Moves damaged segments to quarantine after their whole objects, and those that `known` has the bytes of, were stored
    /// again. The store lock is held for this.
    ///
    /// # Errors
    /// What the disk says. Whatever was whole before still is.
    pub fn repair(
        &mut self,
        found: &Verification,
        mut known: impl FnMut(Domain, &Identity) -> Option<Vec<u8>>,
    ) -> Result<Repair, WriteError> {
        let mut repair = Repair::default();
        let aside: BTreeSet<&str> = found
            .segments
            .iter()
            .map(|(path, _)| path.as_str())
            .collect();
        let mut writer = self.writer();
        for segment in &self.segments {
            if aside.contains(segment.path()) {
                save(self.disk, segment, &mut writer, &mut known, &mut repair)?;
            }
        }
        self.adopt(writer.finish()?);
        for path in aside {
            self.quarantine(path)
                .map_err(|source| WriteError::new(path, 0, source))?;
            repair.quarantined.push(path.to_owned());
        }
        self.segments
            .retain(|segment| !repair.quarantined.iter().any(|path| path == segment.path()));
        self.unusable.clear();
        repair
            .lost
            .retain(|(domain, identity)| !self.is_whole(*domain, identity));
        Ok(repair)
    }

    fn quarantine(&self, path: &str) -> io::Result<()> {
        layout::make_directories(self.disk, QUARANTINE)?;
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        self.disk.rename(path, &format!("{QUARANTINE}/{name}"))?;
        self.disk.sync(QUARANTINE)?;
        self.disk.sync(parent_of(path))
    }
}

fn save(
    disk: &dyn Disk,
    segment: &Segment,
    writer: &mut SegmentWriter<'_>,
    known: &mut impl FnMut(Domain, &Identity) -> Option<Vec<u8>>,
    repair: &mut Repair,
) -> Result<(), WriteError> {
    for (domain, identity, place) in segment.objects() {
        let mut bytes = Vec::new();
        let observed = segment.copy(disk, domain, place, |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        });
        if observed.is_ok_and(|observed| observed == Some(identity)) {
            writer.add(domain, identity, &bytes)?;
            continue;
        }
        match known(domain, &identity) {
            Some(bytes) if Identity::of(domain, &bytes) == identity => {
                writer.add(domain, identity, &bytes)?;
                repair.restored.push((domain, identity));
            }
            _ => repair.lost.push((domain, identity)),
        }
    }
    Ok(())
}
