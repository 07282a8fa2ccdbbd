//! Workspaces that are a layer of changes over the frozen tree of a session's base.
//!
//! What has to differ from the base is put into the layer before a run, and what a run changed is found there afterwards, so that
//! both cost what changed and not what there is. The frozen tree itself is looked at once all has run.

mod judge;
mod plan;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode};
use rustix::io::Errno;

use super::frozen::{self, Frozen};
use super::manifest::State;
use super::scan::{self, Scan};
use super::write::Writer;
use super::{Brought, Mutation, Names, Placement, Workspace, WorkspaceError, write_error};
use crate::beneath;
use crate::identity::Identity;
use crate::path::WorkspacePath;
use crate::snapshot::live::LiveTree;
use crate::store::disk::{Disk, ancestors_of};
use crate::store::layout::transaction;
use crate::store::stored::StoredObjects;
use judge::Seen;
use plan::Plan;

/// The layer's name in the directory of a session: what is changed lies where it would in a copy.
const LAYER: &str = "workspace";

/// The folder that the system needs beside a layer.
pub(crate) const WORK: &str = "workspace.work";

/// What a run sees of `.lonis`, and the place in it at which its workspace is mounted.
pub(crate) const VIEW: &str = "view";

/// A folder that stands for the shared memory of the machine.
pub(crate) const MEMORY: &str = "view.memory";

/// What the manifest of a layer begins with; the snapshot that it lies over follows.
const MANIFEST_OVER: &str = "workspace.over.";

/// How many links one after the other are followed to a program.
const MAX_LINKS: usize = 8;

/// The attribute of a directory that hides what lies below it in the frozen tree.
const OPAQUE: &str = "user.overlay.opaque";

/// The workspace of one session, as a layer.
#[derive(Debug)]
pub struct Overlay<'a> {
    live: &'a LiveTree,
    disk: &'a dyn Disk,
    objects: &'a StoredObjects<'a>,
    frozen: Frozen,
    /// The layer, with its own manifest.
    layer: Workspace<'a>,
    /// What it has to hold, once it was brought there.
    plan: Option<Plan>,
    session: String,
}

/// Where the parts of an overlay lie on the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The frozen tree.
    pub lower: PathBuf,
    /// The layer.
    pub upper: PathBuf,
    /// The folder for the system.
    pub work: PathBuf,
    /// The folder that stands for the shared memory of the machine.
    pub memory: PathBuf,
    /// What stands for `.lonis` in the sight of a run.
    pub view: PathBuf,
    /// Where in the view the workspace is mounted.
    pub mounted: PathBuf,
    /// Where a run sees the view.
    pub store: PathBuf,
    /// Where a run sees its workspace.
    pub workspace: PathBuf,
}

impl Folders {
    /// Makes the folders of a session that stand beside a layer, empty but for the place of the workspace.
    ///
    /// # Errors
    /// [`WorkspaceError::Write`].
    pub fn prepare(
        live: &LiveTree,
        disk: &dyn Disk,
        session: &str,
        base: &Identity,
    ) -> Result<Self, WorkspaceError> {
        let directory = transaction(session);
        let failed = |source| write_error("", source);
        frozen::prepare(disk).map_err(failed)?;
        let place = format!("{directory}/{VIEW}/session/transactions/{session}/workspace");
        let beside = [LAYER, WORK, MEMORY].map(|name| format!("{directory}/{name}"));
        for path in beside.iter().map(String::as_str).chain([place.as_str()]) {
            for path in ancestors_of(path).chain([path]) {
                // Nothing here is more than a cache, and none of it is synced.
                match disk.create_dir(path) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                        return Err(failed(error));
                    }
                    _ => {}
                }
            }
        }
        let at = |name: &str| live.path().join(&directory).join(name);
        Ok(Self {
            lower: frozen::folder(live, base),
            upper: at(LAYER),
            work: at(WORK),
            memory: at(MEMORY),
            view: at(VIEW),
            mounted: live.path().join(&place),
            store: live.path().join(".lonis"),
            workspace: at("workspace"),
        })
    }

    /// Whether the file system can mark what a layer hides.
    pub fn can_be_marked(&self) -> bool {
        let flags = rustix::fs::XattrFlags::empty();
        let name = "user.overlay.probe";
        rustix::fs::setxattr(&self.upper, name, b"y", flags).is_ok()
            && rustix::fs::removexattr(&self.upper, name).is_ok()
    }

    /// Empties what the system or an earlier run left in the folders that are new to each run.
    ///
    /// # Errors
    /// What the system says.
    pub fn clear(&self, live: &LiveTree, session: &str) -> io::Result<()> {
        let directory = beneath::open_directory(live.root(), &transaction(session))?;
        for name in [WORK, MEMORY] {
            match scan::remove_any(directory.as_fd(), name.as_bytes()) {
                Err(errno) if errno != Errno::NOENT => return Err(errno.into()),
                _ => rustix::fs::mkdirat(&directory, name, Mode::from_raw_mode(0o777))?,
            }
        }
        Ok(())
    }
}

impl<'a> Overlay<'a> {
    /// Opens the layer of a session over the frozen tree of its base, which is written where there is none.
    ///
    /// # Errors
    /// Any of [`WorkspaceError`] but `Tampered`.
    pub fn open(
        live: &'a LiveTree,
        disk: &'a dyn Disk,
        objects: &'a StoredObjects<'a>,
        session: &str,
        base: &Identity,
        scratch: Vec<WorkspacePath>,
    ) -> Result<Self, WorkspaceError> {
        let frozen = Frozen::have(live, disk, objects, base)?;
        // What a layer holds has a meaning only over one tree.
        let manifest = format!("{MANIFEST_OVER}{base}");
        let names = Names {
            root: LAYER,
            manifest: &manifest,
            running: super::RUNNING,
        };
        // A whole copy that stood there is taken for what it is: files that say nothing new.
        super::forget_at(disk, &transaction(session), [super::MANIFEST])?;
        let layer = Workspace::open_in(live, disk, &transaction(session), &names, scratch)?;
        Ok(Self {
            live,
            disk,
            objects,
            frozen,
            layer,
            plan: None,
            session: session.to_owned(),
        })
    }

    /// Brings the workspace to exactly a snapshot, scratch directories aside.
    ///
    /// # Errors
    /// Any of [`WorkspaceError`]; after all but `Tampered` the next call begins where this one ended.
    pub fn bring_to(&mut self, snapshot: &Identity) -> Result<Brought, WorkspaceError> {
        let scan = Scan::of(self.layer.root.as_fd(), &self.layer.scratch)?;
        if let Some(before) = self.noted()? {
            let seen = self.judge(&before, &scan)?;
            if !seen.changed.is_empty() {
                let paths = seen.changed.into_iter().map(|change| change.path);
                return Err(WorkspaceError::Tampered {
                    paths: paths.collect(),
                });
            }
        }
        let plan = Plan::new(self.objects, &self.frozen, snapshot, &self.layer.scratch)?;
        let seen = self.judge(&plan, &scan)?;
        let brought = Brought {
            kept: seen.known.len(),
            placement: Placement::Overlay,
            left_out: plan.left_out.clone(),
            ..Brought::default()
        };
        let is_noted = self.layer.held.as_ref().is_some_and(|held| {
            held.state == State::Clean && held.snapshot == *snapshot && seen.reread == 0
        });
        if is_noted && seen.changed.is_empty() && !seen.has_others {
            self.plan = Some(plan);
            return Ok(brought);
        }
        let had_manifest = self.layer.held.is_some();
        self.layer.note(State::Writing, snapshot, Vec::new())?;
        let (written, removed) = self.put(&plan, &scan, seen)?;
        self.layer.unmark()?;
        if !had_manifest {
            self.forget_others()?;
        }
        self.plan = Some(plan);
        Ok(Brought {
            written,
            removed,
            ..brought
        })
    }

    /// Notes that something runs from now on, and empties what is new to each run.
    ///
    /// # Errors
    /// [`WorkspaceError::Write`].
    pub fn begin_run(&mut self, folders: &Folders) -> Result<(), WorkspaceError> {
        self.layer.begin_run()?;
        folders
            .clear(self.live, &self.session)
            .map_err(|error| write_error(WORK, error))
    }

    /// Says which managed paths a run left in another state, and removes what it made outside of scratch directories.
    ///
    /// The managed paths are put back by the next [`Overlay::bring_to`].
    ///
    /// # Errors
    /// [`WorkspaceError::Write`].
    pub fn end_run(&mut self) -> Result<Vec<Mutation>, WorkspaceError> {
        let Some(plan) = self.plan.take() else {
            return Ok(Vec::new());
        };
        let scan = Scan::of(self.layer.root.as_fd(), &self.layer.scratch)?;
        let seen = self.judge(&plan, &scan)?;
        if !seen.changed.is_empty() {
            return Ok(seen.changed);
        }
        if seen.has_others || seen.reread > 0 {
            self.put(&plan, &scan, seen)?;
        } else if let Some(held) = &mut self.layer.held {
            held.state = State::Clean;
        }
        self.layer.unmark()?;
        self.plan = Some(plan);
        Ok(Vec::new())
    }

    /// Looks whether the frozen tree is as it was written, after all has run.
    ///
    /// # Errors
    /// [`WorkspaceError::Tampered`]; the tree is gone then.
    pub fn check(&self) -> Result<(), WorkspaceError> {
        self.frozen.check(self.live, self.disk)
    }

    /// Empties the layer, scratch directories and all.
    ///
    /// # Errors
    /// [`WorkspaceError::Write`].
    pub fn clear(&mut self) -> Result<(), WorkspaceError> {
        self.plan = None;
        self.layer.clear()
    }

    /// Whether managed files differ from what was put there, though nothing of ours has run since.
    ///
    /// # Errors
    /// [`WorkspaceError::Write`].
    pub fn is_tampered(&self) -> Result<bool, WorkspaceError> {
        let Some(plan) = self.noted()? else {
            return Ok(false);
        };
        let scan = Scan::of(self.layer.root.as_fd(), &self.layer.scratch)?;
        Ok(!self.judge(&plan, &scan)?.changed.is_empty())
    }

    /// Forgets what was put there, so that the next [`Overlay::bring_to`] reads it all and puts back what differs.
    ///
    /// # Errors
    /// [`WorkspaceError::Write`].
    pub fn forget(&mut self) -> Result<(), WorkspaceError> {
        self.layer.forget()
    }

    /// Where a file of the workspace stands on the machine, outside of a run.
    pub fn outside(&self, folders: &Folders, path: &str) -> PathBuf {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let found = self.side(folders, &path);
            let link = found.read_link().ok();
            let Some(target) = link.as_deref().and_then(Path::to_str) else {
                return found;
            };
            // A link of one side may lead to a file of the other.
            path = match followed(&path, target) {
                Some(path) => path,
                None => return found,
            };
        }
        self.side(folders, &path)
    }

    fn side(&self, folders: &Folders, path: &str) -> PathBuf {
        let is_planned = self.plan.as_ref().is_some_and(|plan| plan.holds(path));
        let in_layer = folders.upper.join(path);
        if is_planned || in_layer.symlink_metadata().is_ok() {
            in_layer
        } else {
            folders.lower.join(path)
        }
    }

    /// What the layer has to hold, if nothing ran since that was put there.
    fn noted(&self) -> Result<Option<Plan>, WorkspaceError> {
        let held = self.layer.held.as_ref();
        let Some(held) = held.filter(|held| held.state == State::Clean) else {
            return Ok(None);
        };
        Plan::new(
            self.objects,
            &self.frozen,
            &held.snapshot,
            &self.layer.scratch,
        )
        .map(Some)
    }

    fn judge(&self, plan: &Plan, scan: &Scan) -> Result<Seen, WorkspaceError> {
        judge::judge(&self.layer, self.objects, plan, scan)
    }

    /// Puts into the layer what the plan says and nothing else; gives how many files were written and removed.
    fn put(
        &mut self,
        plan: &Plan,
        scan: &Scan,
        seen: Seen,
    ) -> Result<(usize, usize), WorkspaceError> {
        let root = self.layer.root.as_fd();
        let is_kept = |path: &str| seen.is_kept(plan, path);
        let wanted = plan.directories(&self.layer.scratch);
        let removed = scan.remove(root, &wanted, is_kept)?;
        let scratch: BTreeSet<&str> = self
            .layer
            .scratch
            .iter()
            .map(WorkspacePath::as_str)
            .collect();
        for directory in &scan.directories {
            let path = directory.as_str();
            if wanted.contains(path) && !scratch.contains(path) && is_opaque(root, path) {
                reveal(root, path).map_err(|errno| write_error(path, errno.into()))?;
            }
        }
        let marks: Vec<&str> = plan.marks.iter().map(String::as_str).collect();
        let kept = seen.known;
        let written = Writer::new(root, self.objects, None).write(&plan.files, &kept)?;
        for path in marks {
            if !seen.marks.contains(path) {
                mark(root, path).map_err(|errno| write_error(path, errno.into()))?;
            }
        }
        let count = written.files.len();
        let files = kept.into_values().chain(written.files).collect();
        self.layer.note(State::Clean, &plan.snapshot, files)?;
        Ok((count, removed))
    }

    /// Removes the manifests that the layer had over other trees.
    fn forget_others(&self) -> Result<(), WorkspaceError> {
        let directory = transaction(&self.session);
        for name in notes(self.disk, &self.session) {
            if format!("{directory}/{name}") != self.layer.manifest {
                super::forget_at(self.disk, &directory, [&*name])?;
            }
        }
        Ok(())
    }
}

/// Whether there is a layer of a session, over a tree that is there.
pub(crate) fn is_there(disk: &dyn Disk, session: &str, base: &Identity) -> bool {
    frozen::is_ready(disk, base) && !notes(disk, session).is_empty()
}

/// The manifests that the layer of a session has.
pub(crate) fn notes(disk: &dyn Disk, session: &str) -> Vec<String> {
    // A directory that cannot be listed is told by whoever writes into it.
    let mut names = disk.list(&transaction(session)).unwrap_or_default();
    names.retain(|name| name.starts_with(MANIFEST_OVER));
    names
}

/// The path that a link at `path` leads to by its letters; `None` where it leads out of the tree.
fn followed(path: &str, target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let mut segments: Vec<&str> = path.split('/').collect();
    segments.pop();
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()?),
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}

/// Whether what stands at a path is the mark of something that is not there.
fn is_mark(root: impl AsFd, path: &str) -> bool {
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Ok(directory) = scan::open_any(root.as_fd(), parent) else {
        return false;
    };
    let stat = rustix::fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW);
    stat.is_ok_and(|stat| {
        FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice && stat.st_rdev == 0
    })
}

/// Marks a path of the frozen tree as not there.
fn mark(root: impl AsFd, path: &str) -> rustix::io::Result<()> {
    for directory in ancestors_of(path) {
        match rustix::fs::mkdirat(&root, directory, Mode::from_raw_mode(0o777)) {
            Err(errno) if errno != Errno::EXIST => return Err(errno),
            _ => {}
        }
    }
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    let directory = beneath::open_directory(root.as_fd(), parent)?;
    rustix::fs::mknodat(
        &directory,
        name,
        FileType::CharacterDevice,
        Mode::empty(),
        0,
    )
}

fn is_opaque(root: impl AsFd, path: &str) -> bool {
    let Ok(directory) = scan::open_any(root.as_fd(), path) else {
        return false;
    };
    let mut value = [0; 1];
    rustix::fs::fgetxattr(&directory, OPAQUE, &mut value).is_ok()
}

/// Lets a directory show again what lies below it.
fn reveal(root: impl AsFd, path: &str) -> rustix::io::Result<()> {
    let directory: OwnedFd = scan::open_any(root.as_fd(), path)?;
    rustix::fs::fremovexattr(&directory, OPAQUE)
}

/// Whether two paths can be options of an overlay.
pub fn can_be_named(path: &Path) -> bool {
    let bytes: &OsStr = path.as_os_str();
    !bytes.as_bytes().iter().any(|byte| b",:\\".contains(byte))
}
