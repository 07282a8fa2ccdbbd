//! Whether evidence is hermetic: the one fact of a record that no log holds.

use crate::evidence::Evidence;
use crate::identity::{Domain, Identity};
use crate::store::disk::Disk;
use crate::store::layout::OBJECTS;
use crate::store::segment::Segment;

/// Looks at the newest segments first, where the evidence of a current snapshot lies; `None` where it cannot be read.
pub(super) fn of(disk: &dyn Disk, evidence: &Identity) -> Option<bool> {
    let names = disk.list(OBJECTS).ok()?;
    let mut numbers: Vec<u64> = names
        .iter()
        .filter_map(|name| name.strip_suffix(".seg")?.parse().ok())
        .collect();
    numbers.sort_unstable();
    let segments = numbers.into_iter().rev();
    segments
        .filter_map(|number| Segment::open(disk, &format!("{OBJECTS}/{number}.seg")).ok())
        .find_map(|segment| read(disk, &segment, evidence))
        .map(|evidence| evidence.hermetic)
}

fn read(disk: &dyn Disk, segment: &Segment, identity: &Identity) -> Option<Evidence> {
    let place = segment.find(Domain::Evidence, identity)?;
    let mut bytes = Vec::new();
    let observed = segment.copy(disk, Domain::Evidence, place, |piece| {
        bytes.extend_from_slice(piece);
        Ok(())
    });
    let is_whole = observed.is_ok_and(|observed| observed == Some(*identity));
    is_whole.then(|| serde_json::from_slice(&bytes).ok())?
}
