//! Capture: a snapshot of the live tree, with all its content in the store where that is asked for.
//!
//! Files that the stat cache knows are not opened; the others are read on all cores, each between two looks that have to agree.
//! There is a snapshot or an error, nothing in between.

mod read;
mod whole;

use std::collections::BTreeMap;
use std::io;

use crate::beneath::Stamp;
use crate::file_set::{Boundary, Excluded, FileSetError, FileSetRules, Member};
use crate::identity::{Domain, Identity};
use crate::path::WorkspacePath;
use crate::snapshot::live::LiveTree;
use crate::snapshot::stat_cache::{StatCache, Whole};
use crate::snapshot::tree::{Entry, Snapshot, TreeError};
use crate::store::disk::{Disk, Kind};
use crate::store::layout::VERSION;
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
    /// What was left out, ascending.
    pub excluded: Vec<Excluded>,
    /// Repositories inside, ascending.
    pub boundaries: Vec<Boundary>,
    /// Groups of paths that are one path where case does not count, each ascending.
    pub case_clashes: Vec<Vec<WorkspacePath>>,
    /// How many files had to be read.
    pub files_read: usize,
    /// Every path with its stat and its content, ascending.
    held: Vec<Held>,
    /// Trees and the snapshot, as far as the store does not hold them.
    objects: ObjectMap,
    /// All trees of the snapshot; there may be some that are none of it any more.
    trees: Vec<Identity>,
    /// Whether all is as the stat cache said.
    is_as_noted: bool,
}

/// A file or link with what it holds.
#[derive(Debug)]
struct Held {
    member: Member,
    blob: Identity,
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
/// Of a store only trees are read: of a tree that differs in few files from one that the cache knows, and that is there, only what
/// differs is made anew. [`Capture::objects`] has the rest then.
///
/// # Errors
/// Any of [`CaptureError`] but a write.
pub fn look(
    live: &LiveTree,
    rules: &FileSetRules,
    cache: &StatCache,
    store: Option<&StoredObjects<'_>>,
) -> Result<Capture, CaptureError> {
    let set = live.file_set(rules)?;
    let mut found = known(set.members, cache, |_| true);
    let files_read = read::unknown(live, &mut found.members, rules.max_file_bytes, None)?;
    found.capture((set.excluded, set.boundaries), cache, store, files_read)
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
    let set = live.file_set(rules)?;
    let mut found = known(set.members, cache, |blob| {
        store.contains(Domain::Blob, blob)
    });
    let target = Some((&*store, &mut writer));
    let files_read = read::unknown(live, &mut found.members, rules.max_file_bytes, target)?;
    let beside = (set.excluded, set.boundaries);
    let capture = found.capture(beside, cache, Some(&*store), files_read)?;
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

/// The time by the clock of the file system that the store lies on, for [`Capture::remember`]; to be asked for before a
/// capture begins.
///
/// # Errors
/// What the system says.
pub fn file_system_time(live: &LiveTree, disk: &dyn Disk) -> io::Result<Stamp> {
    // A file that is there is stamped: to make one would cost more.
    disk.touch(VERSION)?;
    let stat = live.look(VERSION)?;
    // On a disk that is not the live one there is no such time, and nothing can be trusted.
    Ok(stat.map_or(Stamp::default(), |stat| stat.modified))
}

impl Capture {
    /// Saves what can be trusted the next time, where a cache does not say so already; `began` is when the capture did, by the
    /// clock of the file system.
    ///
    /// # Errors
    /// What the system says. Without it the next capture reads more files, and is as right.
    pub fn remember(&self, began: Stamp, cache: &StatCache, disk: &dyn Disk) -> io::Result<()> {
        if self.is_as_noted {
            return Ok(());
        }
        let known = self.stat_cache(began);
        if known == *cache {
            return Ok(());
        }
        known.save(disk)
    }

    fn stat_cache(&self, began: Stamp) -> StatCache {
        let files = self.held.iter().map(|held| {
            let entry = entry(&held.member, held.blob);
            (held.member.path.as_str(), &held.member.stat, entry)
        });
        let whole = Whole {
            identity: self.identity,
            snapshot: self.snapshot,
            trees: self.trees.clone(),
        };
        StatCache::new(files, Some(whole), began)
    }

    /// What stands at a path.
    pub fn get(&self, path: &str) -> Option<Entry> {
        let place = self
            .held
            .binary_search_by(|held| held.member.path.as_str().cmp(path));
        place.ok().map(|at| self.held[at].entry())
    }

    /// Every path with what stands there, ascending by path bytes.
    pub fn entries(&self) -> impl Iterator<Item = (&WorkspacePath, Entry)> {
        let entries = self.held.iter();
        entries.map(|held| (&held.member.path, held.entry()))
    }

    /// Trees and the snapshot itself, as objects: what the store that the capture was made beside does not hold, at least.
    pub const fn objects(&self) -> &ObjectMap {
        &self.objects
    }
}

impl Held {
    const fn entry(&self) -> Entry {
        entry(&self.member, self.blob)
    }
}

type Target<'s, 'd> = Option<(&'s StoredObjects<'d>, &'s mut SegmentWriter<'d>)>;

/// The members of a set, each with its content where that is known.
struct Found {
    members: Vec<(Member, Option<Identity>)>,
    /// How many are just as the cache says.
    as_noted: usize,
}

/// Looks members up, which ascend as the cache does, in one pass over both.
fn known(members: Vec<Member>, cache: &StatCache, is_stored: impl Fn(&Identity) -> bool) -> Found {
    let mut noted = cache.noted().peekable();
    let mut as_noted = 0;
    let members = members.into_iter().map(|member| {
        let path = member.path.as_str().as_bytes();
        while noted.next_if(|noted| noted.path < path).is_some() {}
        let own = noted.next_if(|noted| noted.path == path && noted.holds_of(&member.stat));
        let own = own.filter(|noted| is_stored(&noted.entry.blob()));
        as_noted +=
            usize::from(own.is_some_and(|noted| noted.entry == entry(&member, noted.entry.blob())));
        let blob = own.map(|noted| noted.entry.blob());
        (member, blob)
    });
    let members = members.collect();
    Found { members, as_noted }
}

impl Found {
    fn capture(
        self,
        (excluded, boundaries): (Vec<Excluded>, Vec<Boundary>),
        cache: &StatCache,
        store: Option<&StoredObjects<'_>>,
        files_read: usize,
    ) -> Result<Capture, CaptureError> {
        // What went away after the walk is not there.
        let held = self.members.into_iter();
        let held = held.filter_map(|(member, blob)| {
            Some(Held {
                member,
                blob: blob?,
            })
        });
        let held: Vec<Held> = held.collect();
        let mut objects = ObjectMap::new();
        let made = match store {
            Some(store) => whole::from_noted(&held, self.as_noted, cache, store, &mut objects),
            None => None,
        };
        let is_as_noted =
            made.is_some() && self.as_noted == held.len() && held.len() == cache.len();
        let whole = match made {
            Some(whole) => whole,
            None => whole::anew(&held, &mut objects)?,
        };
        Ok(Capture {
            identity: whole.identity,
            snapshot: whole.snapshot,
            excluded,
            boundaries,
            case_clashes: case_clashes(&held),
            files_read,
            held,
            objects,
            trees: whole.trees,
            is_as_noted,
        })
    }
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

fn case_clashes(all: &[Held]) -> Vec<Vec<WorkspacePath>> {
    let mut folded: BTreeMap<String, Vec<WorkspacePath>> = BTreeMap::new();
    for Held { member, .. } in all {
        let text = member.path.as_str();
        // Most paths are their own folded form.
        if text
            .bytes()
            .any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii())
        {
            folded
                .entry(text.to_lowercase())
                .or_default()
                .push(member.path.clone());
        }
    }
    for (text, group) in &mut folded {
        let plain = all.binary_search_by(|held| held.member.path.as_str().cmp(text));
        if let Ok(at) = plain
            && !group.contains(&all[at].member.path)
        {
            group.push(all[at].member.path.clone());
        }
    }
    folded
        .into_values()
        .filter(|group| group.len() > 1)
        .collect()
}

#[cfg(test)]
mod tests;
