//! Capture: a snapshot of the live tree, with all its content in the store where that is asked for.
//!
//! Files that the stat cache knows are not opened; the others are read on all cores, each between two looks that have to agree.
//! There is a snapshot or an error, nothing in between.

mod read;

use std::collections::BTreeMap;
use std::io;

use crate::beneath::Stamp;
use crate::file_set::{Boundary, Excluded, FileSetError, FileSetRules, Member};
use crate::identity::{Domain, Identity};
use crate::path::WorkspacePath;
use crate::snapshot::live::LiveTree;
use crate::snapshot::manifest::Manifest;
use crate::snapshot::stat_cache::{Known, StatCache};
use crate::snapshot::tree::{Entry, Snapshot, TreeError};
use crate::store::disk::{Disk, Kind};
use crate::store::layout::STORE;
use crate::store::objects::{ObjectMap, ReadObjects};
use crate::store::segment::{SegmentWriter, WriteError};
use crate::store::stored::StoredObjects;

/// A live tree as it was.
#[derive(Debug)]
pub struct Capture {
    /// Its identity.
    pub identity: Identity,
    /// What it holds, in numbers.
    pub snapshot: Snapshot,
    /// Every path.
    pub manifest: Manifest,
    /// What was left out, ascending.
    pub excluded: Vec<Excluded>,
    /// Repositories inside, ascending.
    pub boundaries: Vec<Boundary>,
    /// Groups of paths that are one path where case does not count, each ascending.
    pub case_clashes: Vec<Vec<WorkspacePath>>,
    /// How many files had to be read.
    pub files_read: usize,
    /// Every file with its stat, for a new stat cache.
    known: Vec<Known>,
    /// Trees and the snapshot.
    objects: ObjectMap,
}

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// There is no file set.
    #[error(transparent)]
    FileSet(#[from] FileSetError),
    /// A file cannot be read (`session/snapshot-read`).
    #[error("`{path}` cannot be read")]
    Read {
        /// The file.
        path: WorkspacePath,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A file kept changing (`session/snapshot-unstable`).
    #[error("`{path}` kept changing while it was read {} times", read::ATTEMPTS)]
    Unstable {
        /// The file.
        path: WorkspacePath,
    },
    /// The paths make no tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The store refused.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Makes a snapshot and stores nothing.
///
/// # Errors
/// Any of [`CaptureError`] but a write.
pub fn look(
    live: &LiveTree,
    rules: &FileSetRules,
    cache: &StatCache,
) -> Result<Capture, CaptureError> {
    capture(live, rules, cache, None)
}

/// Makes a snapshot and stores it with all its content and some other objects, in one segment.
///
/// # Errors
/// Any of [`CaptureError`]; nothing was added to the store then.
pub fn store(
    live: &LiveTree,
    rules: &FileSetRules,
    cache: &StatCache,
    store: &mut StoredObjects<'_>,
    others: &ObjectMap,
) -> Result<Capture, CaptureError> {
    let mut writer = store.writer();
    let capture = capture(live, rules, cache, Some((&*store, &mut writer)))?;
    // A snapshot that is here came with its trees in one segment; each is checked when it is read.
    let is_known = store.is_whole(Domain::Snapshot, &capture.identity);
    for (domain, identity, bytes) in capture.objects.iter() {
        let is_here = if is_known {
            store.contains(domain, &identity)
        } else {
            store.equals(domain, &identity, bytes)
        };
        if !is_here {
            writer.add(domain, identity, bytes)?;
        }
    }
    for (domain, identity, bytes) in others.iter() {
        if !store.is_whole(domain, &identity) {
            writer.add(domain, identity, bytes)?;
        }
    }
    store.adopt(writer.finish()?);
    Ok(capture)
}

/// The time by the clock of the file system that the store lies on, for [`Capture::stat_cache`]; to be asked for before a
/// capture begins.
///
/// # Errors
/// What the system says.
pub fn file_system_time(live: &LiveTree, disk: &dyn Disk) -> io::Result<Stamp> {
    let mut number = 0_u64;
    loop {
        let path = format!("{STORE}/clock-{number}.tmp");
        match disk.create_file(&path, b"", 0o600) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            created => {
                created?;
                let stat = live.look(&path);
                disk.remove_file(&path)?;
                // On a disk that is not the live one there is no such time, and nothing can be trusted.
                return Ok(stat?.map_or(Stamp::default(), |stat| stat.modified));
            }
        }
    }
}

impl Capture {
    /// Takes out what of this capture can be trusted the next time, when it began at `began` by the clock of the file system.
    pub fn stat_cache(&mut self, began: Stamp) -> StatCache {
        StatCache::new(std::mem::take(&mut self.known), began)
    }

    /// Trees and the snapshot itself, as objects.
    pub fn objects(&self) -> &ObjectMap {
        &self.objects
    }
}

type Target<'s, 'd> = Option<(&'s StoredObjects<'d>, &'s mut SegmentWriter<'d>)>;

fn capture(
    live: &LiveTree,
    rules: &FileSetRules,
    cache: &StatCache,
    target: Target<'_, '_>,
) -> Result<Capture, CaptureError> {
    let set = live.file_set(rules)?;
    let mut lookup = cache.lookup();
    let stored = target.as_ref().map(|(store, _)| *store);
    let is_stored = |blob: &Identity| stored.is_none_or(|store| store.contains(Domain::Blob, blob));
    let mut members: Vec<(Member, Option<Identity>)> = set
        .members
        .into_iter()
        .map(|member| {
            let blob = lookup.find(&member.path, &member.stat).filter(is_stored);
            (member, blob)
        })
        .collect();
    let files_read = read::unknown(live, &mut members, rules.max_file_bytes, target)?;
    // What went away after the walk is not there.
    members.retain(|(_, blob)| blob.is_some());
    let found = || {
        members
            .iter()
            .filter_map(|(member, blob)| Some((member, (*blob)?)))
    };
    // They ascend, so that the map is built as one.
    let entries = found().map(|(member, blob)| (member.path.clone(), entry(member, blob)));
    let manifest = Manifest::new(entries.collect());
    let known = members.into_iter().filter_map(|(member, blob)| {
        Some(Known {
            path: member.path,
            stat: member.stat,
            blob: blob?,
        })
    });
    let known = known.collect();
    let mut objects = ObjectMap::new();
    let (identity, snapshot) = manifest.store(&mut objects)?;
    Ok(Capture {
        identity,
        snapshot,
        case_clashes: case_clashes(&manifest),
        manifest,
        excluded: set.excluded,
        boundaries: set.boundaries,
        files_read,
        known,
        objects,
    })
}

const fn entry(member: &Member, blob: Identity) -> Entry {
    let bytes = member.stat.bytes;
    match member.stat.kind {
        Kind::Link => Entry::Link { blob, bytes },
        _ => Entry::File {
            executable: member.executable,
            blob,
            bytes,
        },
    }
}

fn case_clashes(manifest: &Manifest) -> Vec<Vec<WorkspacePath>> {
    let mut folded: BTreeMap<String, Vec<WorkspacePath>> = BTreeMap::new();
    for (path, _) in manifest {
        let text = path.as_str();
        // Most paths are their own folded form.
        if text
            .bytes()
            .any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii())
        {
            folded
                .entry(text.to_lowercase())
                .or_default()
                .push(path.clone());
        }
    }
    for (text, group) in &mut folded {
        if let Ok(plain) = WorkspacePath::new(text)
            && manifest.get(text).is_some()
            && !group.contains(&plain)
        {
            group.push(plain);
        }
    }
    folded
        .into_values()
        .filter(|group| group.len() > 1)
        .collect()
}

#[cfg(test)]
mod tests;
