//! Frozen trees: a snapshot that is written out once, for all runs of all sessions to lay their changes over.
//!
//! A frozen tree is ours alone and only ever read. The next one shares the files that did not change with the one before it, by
//! hard links. Nothing of it is synced: after another boot it is written again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

use rustix::fs::{AtFlags, Mode};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::manifest::{self, Held, State};
use super::scan::Scan;
use super::untouched::is_untouched;
use super::write::Writer;
use super::{Names, Workspace, WorkspaceError, is, target, write_error, written};
use crate::beneath;
use crate::identity::Identity;
use crate::path::WorkspacePath;
use crate::snapshot::live::LiveTree;
use crate::snapshot::stat_cache::{Known, StatCache};
use crate::snapshot::tree::Entry;
use crate::store::disk::{Disk, ancestors_of};
use crate::store::layout::{self, BASES};
use crate::store::lock::boot;
use crate::store::stored::StoredObjects;

/// What the note beside a tree ends with that is whole.
const READY: &str = ".ready";

/// The longest note that is read: one that names more links than this holds is written anew each time.
const MAX_READY_BYTES: u64 = 64 * 1024 * 1024;

/// What the list of a tree's files ends with.
const MANIFEST: &str = ".manifest";

/// A frozen tree that is whole.
#[derive(Debug)]
pub(super) struct Frozen {
    pub(super) snapshot: Identity,
    /// Links of the snapshot that lead out of the tree, and are not in it.
    pub(super) left_out: Vec<WorkspacePath>,
}

/// The note beside a tree that is whole.
#[derive(Debug, Serialize, Deserialize)]
struct Ready {
    boot: Option<String>,
    left_out: Vec<WorkspacePath>,
}

impl Frozen {
    /// Finds the frozen tree of a snapshot, or writes it.
    pub(super) fn have(
        live: &LiveTree,
        disk: &dyn Disk,
        objects: &StoredObjects<'_>,
        snapshot: &Identity,
    ) -> Result<Self, WorkspaceError> {
        let name = snapshot.to_string();
        let left_out = match ready(disk, &name) {
            Some(ready) => ready.left_out,
            None => write(live, disk, objects, snapshot, &name)?,
        };
        Ok(Self {
            snapshot: *snapshot,
            left_out,
        })
    }

    /// Looks whether the tree is as it was written. One that is not is removed, and what ran on it proved nothing.
    pub(super) fn check(&self, live: &LiveTree, disk: &dyn Disk) -> Result<(), WorkspaceError> {
        let name = self.snapshot.to_string();
        let manifest = format!("{name}{MANIFEST}");
        let mut tree = open(live, disk, &name, &manifest)?;
        let root = tree.root.as_fd();
        if tree
            .held
            .as_ref()
            .is_some_and(|held| is_untouched(root, held))
        {
            return Ok(());
        }
        let scan = Scan::of(tree.root.as_fd(), &[])?;
        let found = tree.compare(&scan);
        let Some(held) = &tree.held else {
            return Err(write_error(&manifest, io::ErrorKind::NotFound.into()));
        };
        let mut changed: Vec<WorkspacePath> = found
            .changed
            .into_iter()
            .map(|change| change.path)
            .collect();
        if tree.has_others(held, &scan) {
            let mut others = scan.files.keys().chain(&scan.directories);
            let other = others.find(|path| !held.names(path));
            changed.extend(other.and_then(|path| WorkspacePath::new(path).ok()));
        }
        if !changed.is_empty() {
            remove(live, disk, &name).map_err(|error| write_error(&name, error))?;
            return Err(WorkspaceError::Tampered { paths: changed });
        }
        if found.reread > 0 {
            let files = found.known.into_values().collect();
            tree.note(State::Clean, &self.snapshot, files)?;
        }
        Ok(())
    }
}

/// Removes the frozen trees that are not of these snapshots, and what was left of those that were never finished; for whoever
/// holds all sessions.
pub(crate) fn collect(live: &LiveTree, disk: &dyn Disk, needed: &[Identity]) -> io::Result<()> {
    let names = match disk.list(BASES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        names => names?,
    };
    let needed: Vec<String> = needed.iter().map(Identity::to_string).collect();
    for name in names {
        let snapshot = name.split('.').next().unwrap_or_default();
        if !needed.iter().any(|needed| needed == snapshot) || name.contains(".tmp") {
            remove_any(live, disk, &name)?;
        }
    }
    Ok(())
}

/// Whether the frozen tree of a snapshot is there.
pub(super) fn is_ready(disk: &dyn Disk, snapshot: &Identity) -> bool {
    ready(disk, &snapshot.to_string()).is_some()
}

fn ready(disk: &dyn Disk, name: &str) -> Option<Ready> {
    let path = format!("{BASES}/{name}{READY}");
    let bytes = disk.read(&path, MAX_READY_BYTES).ok()?;
    let ready: Ready = serde_json::from_slice(&bytes).ok()?;
    (ready.boot.is_some() && ready.boot == boot()).then_some(ready)
}

fn open<'a>(
    live: &LiveTree,
    disk: &'a dyn Disk,
    root: &str,
    manifest: &str,
) -> Result<Workspace<'a>, WorkspaceError> {
    let names = Names {
        root,
        manifest,
        running: "none",
    };
    Workspace::open_in(live, disk, BASES, &names, Vec::new())
}

/// Writes a tree under a temporary name, and gives it its own when it is whole; gives the links that are not in it.
fn write(
    live: &LiveTree,
    disk: &dyn Disk,
    objects: &StoredObjects<'_>,
    snapshot: &Identity,
    name: &str,
) -> Result<Vec<WorkspacePath>, WorkspaceError> {
    // Another process may write the same tree meanwhile; then either will do.
    let temporary = format!("{name}.{}.tmp", std::process::id());
    let failed = |source: io::Error| write_error(name, source);
    remove_any(live, disk, &temporary).map_err(failed)?;
    let listed = format!("{temporary}{MANIFEST}");
    let mut tree = open(live, disk, &temporary, &listed)?;
    let (target, left_out) = target(objects, snapshot, &[])?;
    let linked = before(live, disk, name).map_or_else(BTreeMap::new, |mut before| {
        before.link(disk, &target, tree.root.as_fd())
    });
    let cache = StatCache::load(disk);
    let writer = Writer::new(tree.root.as_fd(), objects, Some((live, &cache)));
    let files = writer.write(&target, &linked)?.files;
    let files = linked.into_values().chain(files).collect();
    tree.note(State::Clean, snapshot, files)?;
    // One that stands there without a note is of another boot, or was never finished.
    if ready(disk, name).is_none() {
        remove(live, disk, name).map_err(failed)?;
    }
    let path = |name: &str| format!("{BASES}/{name}");
    match disk.rename(&path(&temporary), &path(name)) {
        Ok(()) => {
            let listed_as = format!("{name}{MANIFEST}");
            disk.rename(&path(&listed), &path(&listed_as))
                .map_err(failed)?;
            note(disk, name, &left_out).map_err(failed)?;
        }
        // Somebody else was faster.
        Err(_) if ready(disk, name).is_some() => {
            remove_any(live, disk, &temporary).map_err(failed)?;
            remove_any(live, disk, &listed).map_err(failed)?;
        }
        Err(error) => return Err(failed(error)),
    }
    Ok(left_out)
}

fn note(disk: &dyn Disk, name: &str, left_out: &[WorkspacePath]) -> io::Result<()> {
    let ready = Ready {
        boot: boot(),
        left_out: left_out.to_vec(),
    };
    let bytes = serde_json::to_vec(&ready).map_err(io::Error::from)?;
    let path = format!("{BASES}/{name}{READY}");
    let temporary = format!("{path}.{}.tmp", std::process::id());
    match disk.remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => disk.create_file(&temporary, &bytes, 0o600)?,
    }
    disk.rename(&temporary, &path)
}

/// Removes a tree; its note first, so that nobody finds a part of it whole.
fn remove(live: &LiveTree, disk: &dyn Disk, name: &str) -> io::Result<()> {
    for name in [
        format!("{name}{READY}"),
        format!("{name}{MANIFEST}"),
        name.to_owned(),
    ] {
        remove_any(live, disk, &name)?;
    }
    Ok(())
}

fn remove_any(live: &LiveTree, disk: &dyn Disk, name: &str) -> io::Result<()> {
    let path = format!("{BASES}/{name}");
    let removed = match disk.remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            fs::remove_dir_all(live.path().join(&path))
        }
        removed => removed,
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The frozen tree that was written last.
struct Before {
    root: std::os::fd::OwnedFd,
    manifest: String,
    held: Held,
}

fn before(live: &LiveTree, disk: &dyn Disk, but: &str) -> Option<Before> {
    let directory = beneath::open_directory(live.root(), BASES).ok()?;
    let names = disk.list(BASES).ok()?;
    let names = names.iter().filter_map(|name| name.strip_suffix(READY));
    let names = names.filter(|name| *name != but && ready(disk, name).is_some());
    let last = names.max_by_key(|name| {
        let stat = beneath::stat_at(directory.as_fd(), format!("{name}{READY}").as_bytes());
        stat.map(|stat| stat.modified).unwrap_or_default()
    })?;
    let manifest = format!("{last}{MANIFEST}");
    let stamp = written(&directory, &manifest);
    let manifest = format!("{BASES}/{manifest}");
    Some(Before {
        root: beneath::open_directory(live.root(), &format!("{BASES}/{last}")).ok()?,
        held: manifest::load(disk, &manifest, stamp)?,
        manifest,
    })
}

impl Before {
    /// Links the files that have to stand in another tree as well into it, and gives them.
    fn link(
        &mut self,
        disk: &dyn Disk,
        target: &BTreeMap<WorkspacePath, Entry>,
        root: BorrowedFd<'_>,
    ) -> BTreeMap<WorkspacePath, Known> {
        let mut linked = BTreeMap::new();
        let mut made = std::collections::HashSet::new();
        for index in 0..self.held.files.len() {
            let known = &self.held.files[index];
            if !target
                .get(&known.path)
                .is_some_and(|entry| is(entry, known))
            {
                continue;
            }
            let path = known.path.as_str();
            for directory in ancestors_of(path) {
                if made.insert(directory.to_owned()) {
                    // One that cannot be made is made, or told, where its files are written.
                    let _ = rustix::fs::mkdirat(root, directory, Mode::from_raw_mode(0o777));
                }
            }
            // What cannot be linked, be it for the number of its names, is written instead.
            if let Ok(stat) = self.one(known, root) {
                let known = &mut self.held.files[index];
                known.stat = stat;
                linked.insert(known.path.clone(), known.clone());
            }
        }
        // Linking moved the stamps of files; without this note they are read once more.
        let _ = manifest::save(disk, &self.manifest, &self.held);
        linked
    }

    fn one(&self, known: &Known, root: BorrowedFd<'_>) -> rustix::io::Result<beneath::Stat> {
        let path = known.path.as_str();
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let from = beneath::open_directory(self.root.as_fd(), parent)?;
        let stat = beneath::stat_at(from.as_fd(), name.as_bytes())?;
        if !self.held.trusts(known, &stat) {
            return Err(Errno::STALE);
        }
        let to = beneath::open_directory(root, parent)?;
        rustix::fs::linkat(&from, name, &to, name, AtFlags::empty())?;
        beneath::stat_at(to.as_fd(), name.as_bytes())
    }
}

/// Where the tree of a snapshot lies on the machine.
pub(super) fn folder(live: &LiveTree, snapshot: &Identity) -> PathBuf {
    live.path().join(format!("{BASES}/{snapshot}"))
}

/// Makes the directory of frozen trees.
pub(super) fn prepare(disk: &dyn Disk) -> io::Result<()> {
    layout::make_directories(disk, BASES)
}
