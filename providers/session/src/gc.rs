//! Collecting what nothing needs any more.
//!
//! Owns what is reachable from given roots and how segments are written again without the rest. Which sessions are roots is for
//! the caller, who holds every transaction lock and the store lock meanwhile. What is to stay is durable in its new place before
//! the old one goes, so that a crash loses nothing.

use std::collections::{HashMap, HashSet};
use std::io;

use serde_json::Value;

use crate::identity::{Domain, Identity};
use crate::snapshot::tree::{Node, Snapshot, Tree, TreeError};
use crate::store::disk::Disk;
use crate::store::layout::OBJECTS;
use crate::store::objects::{ObjectError, ReadObjects};
use crate::store::segment::{Place, Segment, SegmentWriter, WriteError};
use crate::store::stored::StoredObjects;

/// The domains of stored objects.
const DOMAINS: [Domain; 8] = [
    Domain::Blob,
    Domain::Tree,
    Domain::Snapshot,
    Domain::Patch,
    Domain::ChangeSet,
    Domain::Policy,
    Domain::ObligationSet,
    Domain::Evidence,
];

/// Objects from this length on are copied piece by piece.
const STREAMED_BYTES: u64 = 1024 * 1024;

/// How many dead objects a plan names.
const SAMPLES: usize = 50;

/// Why nothing was collected, or not all of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectError {
    /// Something that has to stay cannot be read, so that nobody knows what it needs.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// A snapshot or a tree that has to stay is none.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The disk refused.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What is live and what is not.
#[derive(Debug, Default)]
pub struct Plan {
    live: HashSet<(Domain, Identity)>,
    /// How many objects stay.
    pub live_objects: usize,
    /// How many objects go; a second copy of one that stays counts, too.
    pub dead_objects: usize,
    /// Bytes that go.
    pub reclaim_bytes: u64,
    /// The first of the objects that go.
    pub samples: Vec<Identity>,
}

/// What a collection did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Segments that went.
    pub segments: usize,
    /// Objects that went.
    pub objects: usize,
    /// Unfinished segments of commands that ended early.
    pub temporaries: usize,
}

/// Finds what is reachable from roots.
///
/// A root or anything below it that is missing or damaged is an error, except blobs, which need nothing: then nobody can know what
/// is live.
///
/// # Errors
/// [`CollectError::Object`] and [`CollectError::Tree`].
pub fn plan(store: &StoredObjects<'_>, roots: &[(Domain, Identity)]) -> Result<Plan, CollectError> {
    let mut live = HashSet::new();
    let mut open: Vec<(Domain, Identity)> = roots.to_vec();
    while let Some((domain, identity)) = open.pop() {
        if live.insert((domain, identity)) {
            references(store, domain, &identity, &mut open)?;
        }
    }
    let mut plan = Plan::default();
    let mut seen = HashSet::new();
    for (domain, identity, place) in store.segments().iter().flat_map(Segment::objects) {
        if live.contains(&(domain, identity)) && seen.insert((domain, identity)) {
            plan.live_objects += 1;
            continue;
        }
        plan.dead_objects += 1;
        plan.reclaim_bytes += place.bytes;
        if plan.samples.len() < SAMPLES {
            plan.samples.push(identity);
        }
    }
    plan.live = live;
    Ok(plan)
}

/// Writes segments again without what is dead.
///
/// # Errors
/// What the disk says, and an object that has to stay and is damaged; whatever was live before still is.
pub fn collect(store: &mut StoredObjects<'_>, plan: &Plan) -> Result<Collected, CollectError> {
    let disk = store.disk();
    let mut collected = Collected::default();
    let mut kept: HashMap<(Domain, Identity), &Segment> = HashMap::new();
    let mut gone = Vec::new();
    let mut writer = store.writer();
    for segment in store.segments() {
        let objects: Vec<_> = segment.objects().collect();
        let stays: Vec<_> = objects
            .iter()
            .filter(|(domain, identity, _)| plan.live.contains(&(*domain, *identity)))
            .filter(|(domain, identity, _)| {
                // A second copy goes only if the first one is whole.
                let first = kept.get(&(*domain, *identity));
                first.is_none_or(|first| !is_whole(disk, first, *domain, identity))
            })
            .collect();
        for (domain, identity, _) in &stays {
            kept.entry((*domain, *identity)).or_insert(segment);
        }
        if stays.len() == objects.len() {
            continue;
        }
        collected.objects += objects.len() - stays.len();
        gone.push(segment.path().to_owned());
        for (domain, identity, place) in stays {
            copy(disk, segment, &mut writer, *domain, *identity, *place)?;
        }
    }
    store.adopt(writer.finish()?);
    for path in &gone {
        disk.remove_file(path)
            .map_err(|source| WriteError::new(path, 0, source))?;
    }
    collected.segments = gone.len();
    collected.temporaries = remove_temporaries(disk)?;
    disk.sync(OBJECTS)
        .map_err(|source| WriteError::new(OBJECTS, 0, source))?;
    store.forget(&gone);
    Ok(collected)
}

fn references(
    store: &StoredObjects<'_>,
    domain: Domain,
    identity: &Identity,
    open: &mut Vec<(Domain, Identity)>,
) -> Result<(), CollectError> {
    match domain {
        Domain::Blob => {}
        Domain::Snapshot => open.push((Domain::Tree, Snapshot::load(store, identity)?.root)),
        Domain::Tree => {
            for (_, node) in Tree::load(store, identity)?.nodes() {
                open.push(match node {
                    Node::Leaf(entry) => (Domain::Blob, entry.blob()),
                    Node::Tree { tree, .. } => (Domain::Tree, tree),
                });
            }
        }
        _ => {
            let bytes = store.read(domain, identity)?;
            let value = serde_json::from_slice(&bytes).map_err(|error| TreeError::Malformed {
                domain,
                identity: *identity,
                reason: error.to_string(),
            })?;
            open.extend(mentioned(store, &value));
        }
    }
    Ok(())
}

/// Finds the stored objects whose identity stands anywhere in a value.
pub fn mentioned(store: &StoredObjects<'_>, value: &Value) -> Vec<(Domain, Identity)> {
    let mut found = Vec::new();
    named(value, &mut |identity| {
        let held = DOMAINS.map(|domain| (domain, identity));
        found.extend(
            held.into_iter()
                .filter(|(domain, identity)| store.contains(*domain, identity)),
        );
    });
    found
}

/// Every identity that stands anywhere in a value, alone or behind a prefix such as `blob:`. One too many only keeps more.
fn named(value: &Value, take: &mut impl FnMut(Identity)) {
    match value {
        Value::String(text) => {
            let text = text
                .rsplit_once(':')
                .map_or(text.as_str(), |(_, text)| text);
            if let Ok(identity) = text.parse() {
                take(identity);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| named(item, take)),
        Value::Object(members) => members.values().for_each(|member| named(member, take)),
        _ => {}
    }
}

fn is_whole(disk: &dyn Disk, segment: &Segment, domain: Domain, identity: &Identity) -> bool {
    segment.find(domain, identity).is_some_and(|place| {
        let observed = segment.copy(disk, domain, place, |_| Ok(()));
        observed.is_ok_and(|observed| observed == Some(*identity))
    })
}

fn copy(
    disk: &dyn Disk,
    segment: &Segment,
    writer: &mut SegmentWriter<'_>,
    domain: Domain,
    identity: Identity,
    place: Place,
) -> Result<(), CollectError> {
    let read = |source| ObjectError::Read {
        path: segment.path().to_owned(),
        source,
    };
    let observed = if domain == Domain::Blob && place.bytes >= STREAMED_BYTES {
        let mut done = 0;
        let streamed = writer.add_stream(
            |buffer| {
                let left = usize::try_from(place.bytes - done).unwrap_or(usize::MAX);
                let length = left.min(buffer.len());
                let bytes = disk.read_range(segment.path(), place.offset + done, length)?;
                buffer[..bytes.len()].copy_from_slice(&bytes);
                done += bytes.len() as u64;
                Ok(bytes.len())
            },
            |observed| *observed == identity,
        )?;
        Some(streamed.map_err(read)?.0)
    } else {
        let mut bytes = Vec::new();
        let observed = segment
            .copy(disk, domain, place, |piece| {
                bytes.extend_from_slice(piece);
                Ok(())
            })
            .map_err(read)?;
        if observed == Some(identity) {
            writer.add(domain, identity, &bytes)?;
        }
        observed
    };
    if observed == Some(identity) {
        return Ok(());
    }
    Err(ObjectError::Mismatch {
        domain,
        identity,
        observed: observed.map_or_else(String::new, |observed| observed.to_string()),
    }
    .into())
}

/// Removes segments that were never finished.
fn remove_temporaries(disk: &dyn Disk) -> Result<usize, WriteError> {
    let mut removed = 0;
    let names = match disk.list(OBJECTS) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        names => names.map_err(|source| WriteError::new(OBJECTS, 0, source))?,
    };
    for name in names
        .iter()
        .filter(|name| name.strip_suffix(".tmp").is_some())
    {
        let path = format!("{OBJECTS}/{name}");
        disk.remove_file(&path)
            .map_err(|source| WriteError::new(&path, 0, source))?;
        removed += 1;
    }
    Ok(removed)
}

#[cfg(test)]
mod tests;
