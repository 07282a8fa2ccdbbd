//! Workspaces: a private copy of a snapshot, for what has to run in one.
//!
//! A workspace is a cache. Its own manifest says what was put there and how it looked then; only paths that differ are written
//! again. A managed file that differs from the manifest was changed by somebody else, unless a run or a crash of ours explains it.
//! No file is shared with the live tree or with the store, so that nothing a run does reaches either.
//!
//! Where a run can have mounts of its own, the copy is a layer of changes over a frozen tree: see [`overlay`].

mod frozen;
mod manifest;
pub mod overlay;
mod scan;
mod target;
mod untouched;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use crate::beneath::{self, Stamp, Stat};
use crate::identity::{Domain, Identity, IdentityHasher};
use crate::path::WorkspacePath;
use crate::snapshot::live::LiveTree;
use crate::snapshot::stat_cache::{Known, StatCache, is_at_rest, same};
use crate::snapshot::tree::{Entry, Snapshot, TreeError};
use crate::store::disk::{Disk, Kind, ancestors_of};
use crate::store::layout;
use crate::store::objects::ObjectError;
use crate::store::stored::StoredObjects;
pub(crate) use frozen::collect as collect_frozen;
use manifest::{Held, State};
use scan::Scan;
pub use target::link_escapes;
use target::{leave_out, target};

/// The manifest's name in the directory of a session.
pub(crate) const MANIFEST: &str = "workspace.manifest";

/// The name of a file that stands beside the manifest while something runs; the manifest itself is not written for that.
pub(crate) const RUNNING: &str = "workspace.running";

/// The workspace of one session.
#[derive(Debug)]
pub struct Workspace<'a> {
    disk: &'a dyn Disk,
    /// The directory of the session.
    session: OwnedFd,
    root: OwnedFd,
    /// Where its manifest lies, from the root of the live tree.
    manifest: String,
    /// Where the file lies that says that something runs.
    running: String,
    /// Directories that stay as they are, from the root of the workspace.
    scratch: Vec<WorkspacePath>,
    held: Option<Held>,
}

/// What the parts of a workspace are called in their directory.
#[derive(Debug)]
struct Names<'a> {
    root: &'a str,
    manifest: &'a str,
    running: &'a str,
}

/// How files came into a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Placement {
    /// Their bytes were written from the store.
    #[default]
    Copy,
    /// Their extents are shared with live files until one side writes.
    Clone,
    /// A layer of changes was laid over a frozen tree.
    Overlay,
}

/// What bringing a workspace to a snapshot did.
#[derive(Debug, Default)]
pub struct Brought {
    /// Paths that were written.
    pub written: usize,
    /// Paths that were removed.
    pub removed: usize,
    /// Paths that were left as they stood.
    pub kept: usize,
    /// How files were placed; `Clone` if any was.
    pub placement: Placement,
    /// Links that would lead out of the workspace and are not in it.
    pub left_out: Vec<WorkspacePath>,
}

/// A managed path that a run left in another state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutation {
    /// The path.
    pub path: WorkspacePath,
    /// What the snapshot holds there.
    pub before: Option<Entry>,
    /// What stands there now; `None` for nothing, and for what is neither file nor link.
    pub after: Option<Entry>,
}

/// Why a workspace cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// Managed files were changed by somebody else (`session/workspace-tampered`).
    #[error("`{}` was changed in the workspace, seen in all: {}", paths[0], paths.len())]
    Tampered {
        /// The paths, never none.
        paths: Vec<WorkspacePath>,
    },
    /// Two paths are one on this file system (`session/snapshot-path`).
    #[error("`{path}` and `{other}` are one name on this file system")]
    Folded {
        /// One path.
        path: WorkspacePath,
        /// The other.
        other: WorkspacePath,
    },
    /// The file system refused (`session/workspace-write`).
    #[error("`{path}` in the workspace cannot be read or written")]
    Write {
        /// The path, from the root of the workspace.
        path: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Content cannot be had.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The snapshot cannot be had.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl<'a> Workspace<'a> {
    /// Opens the workspace of a session, making an empty one where there is none.
    ///
    /// # Errors
    /// [`WorkspaceError::Write`].
    pub fn open(
        live: &LiveTree,
        disk: &'a dyn Disk,
        session: &str,
        scratch: Vec<WorkspacePath>,
    ) -> Result<Self, WorkspaceError> {
        let names = Names {
            root: "workspace",
            manifest: MANIFEST,
            running: RUNNING,
        };
        let base = layout::transaction(session);
        // What stood there as a layer is no copy.
        for name in overlay::notes(disk, session) {
            forget_at(disk, &base, [&*name])?;
        }
        Self::open_in(live, disk, &base, &names, scratch)
    }

    /// Opens what lies in a directory of the store under names of its own.
    fn open_in(
        live: &LiveTree,
        disk: &'a dyn Disk,
        base: &str,
        names: &Names<'_>,
        scratch: Vec<WorkspacePath>,
    ) -> Result<Self, WorkspaceError> {
        let path = format!("{base}/{}", names.root);
        let failed = |source| write_error("", source);
        layout::make_directories(disk, &path).map_err(failed)?;
        let directory = |path: &str| {
            beneath::open_directory(live.root(), path).map_err(|errno| failed(errno.into()))
        };
        let (session, root) = (directory(base)?, directory(&path)?);
        let manifest = format!("{base}/{}", names.manifest);
        let running = format!("{base}/{}", names.running);
        let written = written(&session, names.manifest);
        let mut held = manifest::load(disk, &manifest, written);
        if let Some(held) = &mut held
            && disk.look(&running).map_err(failed)?.is_some()
        {
            held.state = State::Running;
        }
        Ok(Self {
            disk,
            session,
            root,
            manifest,
            running,
            scratch,
            held,
        })
    }

    /// Brings the workspace to exactly a snapshot, scratch directories aside.
    ///
    /// Files of `live` that the cache knows are cloned where the file system can; all else is written from the store.
    ///
    /// # Errors
    /// Any of [`WorkspaceError`]; after all but `Tampered` the next call begins where this one ended.
    pub fn bring_to(
        &mut self,
        objects: &StoredObjects<'_>,
        snapshot: &Identity,
        live: Option<(&LiveTree, &StatCache)>,
    ) -> Result<Brought, WorkspaceError> {
        let scan = Scan::of(self.root.as_fd(), &self.scratch)?;
        let found = self.compare(&scan);
        if let Some(kept) = self.is_at(objects, snapshot, &found, &scan)? {
            return Ok(Brought {
                kept,
                ..Brought::default()
            });
        }
        let (target, left_out) = target(objects, snapshot, &self.scratch)?;
        let tampered: Vec<_> = found
            .changed
            .into_iter()
            .map(|change| change.path)
            .collect();
        let is_clean = self
            .held
            .as_ref()
            .is_some_and(|held| held.state == State::Clean);
        if is_clean && !tampered.is_empty() {
            return Err(WorkspaceError::Tampered { paths: tampered });
        }
        let mut known = found.known;
        let mut brought = Brought {
            left_out,
            ..Brought::default()
        };
        let mut kept = BTreeMap::new();
        for (path, entry) in &target {
            let found = match known.remove(path.as_str()) {
                Some(found) => Some(found),
                None => scan
                    .files
                    .get(path.as_str())
                    .and_then(|stat| self.known(path, stat)),
            };
            if let Some(found) = found.filter(|found| is(entry, found)) {
                kept.insert(path.clone(), found);
            }
        }
        brought.kept = kept.len();
        self.note(State::Writing, snapshot, Vec::new())?;
        brought.removed =
            self.remove_strays(&scan, target.keys(), |path| kept.contains_key(path))?;
        let writer = write::Writer::new(self.root.as_fd(), objects, live);
        let written = writer.write(&target, &kept)?;
        brought.written = written.files.len();
        brought.placement = written.placement;
        let all = kept.into_values().chain(written.files).collect();
        self.note(State::Clean, snapshot, all)?;
        self.unmark()?;
        Ok(brought)
    }

    /// Notes that something runs in the workspace from now on, so that what it changes is not taken for tampering.
    ///
    /// # Errors
    /// [`WorkspaceError::Write`].
    pub fn begin_run(&mut self) -> Result<(), WorkspaceError> {
        if let Some(held) = &mut self.held {
            held.state = State::Running;
        }
        match self.disk.create_file(&self.running, b"", 0o600) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(write_error("", error))
            }
            _ => Ok(()),
        }
    }

    /// Says which managed paths a run left in another state, and removes what it made outside of scratch directories.
    ///
    /// The managed paths are put back by the next [`Workspace::bring_to`].
    ///
    /// # Errors
    /// [`WorkspaceError::Write`].
    pub fn end_run(&mut self) -> Result<Vec<Mutation>, WorkspaceError> {
        let scan = Scan::of(self.root.as_fd(), &self.scratch)?;
        let found = self.compare(&scan);
        let Some(held) = &self.held else {
            return Ok(Vec::new());
        };
        let snapshot = held.snapshot;
        let has_others = self.has_others(held, &scan);
        if has_others {
            let paths = held.files.iter().map(|known| &known.path);
            self.remove_strays(&scan, paths, |path| held.names(path))?;
        }
        if !found.changed.is_empty() {
            return Ok(found.changed);
        }
        if has_others || found.reread > 0 {
            let files = found.known.into_values().collect();
            self.note(State::Clean, &snapshot, files)?;
        } else if let Some(held) = &mut self.held {
            held.state = State::Clean;
        }
        self.unmark()?;
        Ok(Vec::new())
    }

    /// Removes the workspace with all scratch directories and its manifest.
    ///
    /// # Errors
    /// [`WorkspaceError::Write`].
    pub fn clear(&mut self) -> Result<(), WorkspaceError> {
        let scan = Scan::of(self.root.as_fd(), &[])?;
        scan.remove(self.root.as_fd(), &BTreeSet::new(), |_| false)?;
        self.forget()
    }

    /// Whether managed files differ from what was put there, though nothing of ours has run since.
    ///
    /// # Errors
    /// [`WorkspaceError::Write`].
    pub fn is_tampered(&self) -> Result<bool, WorkspaceError> {
        let is_clean = self
            .held
            .as_ref()
            .is_some_and(|held| held.state == State::Clean);
        if !is_clean {
            return Ok(false);
        }
        let scan = Scan::of(self.root.as_fd(), &self.scratch)?;
        Ok(!self.compare(&scan).changed.is_empty())
    }

    /// Forgets what was put there, so that the next [`Workspace::bring_to`] reads every file and puts back what differs.
    ///
    /// # Errors
    /// [`WorkspaceError::Write`].
    pub fn forget(&mut self) -> Result<(), WorkspaceError> {
        self.held = None;
        self.remove(&self.manifest)?;
        self.unmark()
    }

    /// Notes that nothing runs any more, or that it does not matter what did.
    fn unmark(&self) -> Result<(), WorkspaceError> {
        self.remove(&self.running)
    }

    fn remove(&self, path: &str) -> Result<(), WorkspaceError> {
        match self.disk.remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(write_error("", error)),
            _ => Ok(()),
        }
    }

    /// The root of the workspace.
    pub fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// How many paths there are, if the manifest is that of the whole snapshot, and nothing stands there but what it says.
    ///
    /// Nothing has to be written or noted then, and no tree of the snapshot to be read.
    fn is_at(
        &self,
        objects: &StoredObjects<'_>,
        snapshot: &Identity,
        found: &Compared,
        scan: &Scan,
    ) -> Result<Option<usize>, WorkspaceError> {
        let Some(held) = &self.held else {
            return Ok(None);
        };
        let is_noted = held.state == State::Clean && held.snapshot == *snapshot;
        if !is_noted || !found.changed.is_empty() || found.reread > 0 {
            return Ok(None);
        }
        // A link that is left out, or a path below scratch, is in the snapshot and not in the manifest.
        let count = held.files.len();
        if Snapshot::load(objects, snapshot)?.files != count as u64 || self.has_others(held, scan) {
            return Ok(None);
        }
        Ok(Some(count))
    }

    /// Whether anything stands there that the manifest does not name.
    fn has_others(&self, held: &Held, scan: &Scan) -> bool {
        let paths = held.files.iter().map(|known| &known.path);
        scan.has_others(&self.wanted(paths), |path| held.names(path))
    }

    fn note(
        &mut self,
        state: State,
        snapshot: &Identity,
        files: Vec<Known>,
    ) -> Result<(), WorkspaceError> {
        let mut held = Held::new(state, *snapshot, files);
        manifest::save(self.disk, &self.manifest, &held)
            .map_err(|source| write_error("", source))?;
        held.written = written(&self.session, file_name(&self.manifest));
        self.held = Some(held);
        Ok(())
    }

    /// Compares what stands there with what the manifest says.
    fn compare(&self, scan: &Scan) -> Compared {
        let mut compared = Compared::default();
        let Some(held) = &self.held else {
            return compared;
        };
        for known in &held.files {
            let path = &known.path;
            let before = entry_of(known);
            let found = match scan.files.get(path.as_str()) {
                Some(stat) if held.trusts(known, stat) => Some(known.clone()),
                Some(stat) => {
                    compared.reread += 1;
                    self.known(path, stat)
                }
                None => None,
            };
            match found {
                Some(found) if is(&before, &found) => {
                    compared.known.insert(path.as_str().to_owned(), found);
                }
                found => compared.changed.push(Mutation {
                    path: path.clone(),
                    before: Some(before),
                    after: found.as_ref().map(entry_of),
                }),
            }
        }
        compared
    }

    /// Reads what stands at a path; `None` where it is neither file nor link, or cannot be read.
    fn known(&self, path: &WorkspacePath, stat: &Stat) -> Option<Known> {
        let (parent, name) = path
            .as_str()
            .rsplit_once('/')
            .unwrap_or(("", path.as_str()));
        let blob = match stat.kind {
            Kind::Link => {
                let directory = beneath::open_directory(self.root.as_fd(), parent).ok()?;
                let text = beneath::link_text(directory.as_fd(), name.as_bytes()).ok()?;
                Identity::of(Domain::Blob, &text)
            }
            Kind::File => {
                let (file, _) = beneath::open_path(self.root.as_fd(), path.as_str()).ok()?;
                hash(file).ok()?
            }
            _ => return None,
        };
        Some(Known {
            path: path.clone(),
            stat: *stat,
            blob,
        })
    }

    /// Removes every file that is not to be kept, and every directory that none of `paths` or the scratch lies in.
    fn remove_strays<'p>(
        &'p self,
        scan: &Scan,
        paths: impl Iterator<Item = &'p WorkspacePath>,
        keep: impl Fn(&str) -> bool,
    ) -> Result<usize, WorkspaceError> {
        scan.remove(self.root.as_fd(), &self.wanted(paths), keep)
    }

    /// The directories in which any of `paths` or the scratch lies.
    fn wanted<'p>(&'p self, paths: impl Iterator<Item = &'p WorkspacePath>) -> BTreeSet<&'p str> {
        let mut wanted: BTreeSet<&str> = BTreeSet::new();
        for path in paths.chain(&self.scratch) {
            wanted.extend(ancestors_of(path.as_str()));
        }
        wanted.extend(self.scratch.iter().map(WorkspacePath::as_str));
        wanted
    }
}

/// What a comparison with the manifest showed.
#[derive(Debug, Default)]
struct Compared {
    /// Managed paths that are as they were put there.
    known: BTreeMap<String, Known>,
    /// The others.
    changed: Vec<Mutation>,
    /// How many had to be read, since their stat alone said nothing.
    reread: usize,
}

/// Removes what stands under a name in a directory of the store, whatever rights it has.
pub(crate) fn remove_tree(live: &LiveTree, directory: &str, name: &str) -> io::Result<()> {
    let directory = beneath::open_directory(live.root(), directory)?;
    Ok(scan::remove_any(directory.as_fd(), name.as_bytes())?)
}

/// When a manifest was written, by the clock of the file system; the beginning of time where there is none.
fn written(directory: &OwnedFd, manifest: &str) -> Stamp {
    beneath::stat_at(directory.as_fd(), manifest.as_bytes())
        .map_or(Stamp::default(), |stat| stat.changed)
}

fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn entry_of(known: &Known) -> Entry {
    let (blob, bytes) = (known.blob, known.stat.bytes);
    match known.stat.kind {
        Kind::Link => Entry::Link { blob, bytes },
        _ => Entry::File {
            executable: known.stat.mode & 0o100 != 0,
            blob,
            bytes,
        },
    }
}

fn is(entry: &Entry, known: &Known) -> bool {
    entry_of(known) == *entry
}

fn hash(mut file: std::fs::File) -> io::Result<Identity> {
    use std::io::Read;
    let mut hasher = IdentityHasher::new(Domain::Blob);
    let mut buffer = vec![0; 128 * 1024];
    loop {
        match file.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            Ok(0) => return Ok(hasher.finish()),
            Ok(length) => hasher.update(&buffer[..length]),
        }
    }
}

/// Removes what is noted in a directory of the store under some names.
fn forget_at<const COUNT: usize>(
    disk: &dyn Disk,
    directory: &str,
    names: [&str; COUNT],
) -> Result<(), WorkspaceError> {
    for name in names {
        match disk.remove_file(&format!("{directory}/{name}")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(write_error(name, error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn write_error(path: &str, source: io::Error) -> WorkspaceError {
    WorkspaceError::Write {
        path: path.to_owned(),
        source,
    }
}

impl Held {
    /// Whether a stat alone shows that a file is as it was put there.
    fn trusts(&self, known: &Known, stat: &Stat) -> bool {
        same(&known.stat, stat) && is_at_rest(stat, self.written)
    }

    /// Whether it names a path.
    fn names(&self, path: &str) -> bool {
        let found = self
            .files
            .binary_search_by(|known| known.path.as_str().cmp(path));
        found.is_ok()
    }
}

#[cfg(test)]
mod tests;
