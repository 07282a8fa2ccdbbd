//! What obligations run on: a layer over a frozen tree where this machine can mount one, a private copy elsewhere.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lonis::process::{Confinement, Job, ProcessError, Program, View};

use super::Site;
use crate::path::WorkspacePath;
use crate::snapshot::materialise::overlay::{Folders, Overlay, can_be_named};
use crate::snapshot::materialise::{Brought, Mutation, Placement, Workspace, WorkspaceError};
use crate::snapshot::stat_cache::StatCache;

/// Where programs look for the shared memory of the machine.
const SHARED_MEMORY: &str = "/dev/shm";

/// What can be mounted for runs of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mounts {
    /// Nothing.
    None,
    /// Folders at other places.
    Folders,
    /// A layer over a frozen tree, too.
    Layers,
}

/// Knows what can be mounted, by having tried it once for each store.
pub struct Grounds {
    at_most: Mounts,
    tried: Mutex<BTreeMap<PathBuf, Mounts>>,
}

impl Default for Grounds {
    fn default() -> Self {
        Self::up_to(Mounts::Layers)
    }
}

impl fmt::Debug for Grounds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Grounds")
            .field("at_most", &self.at_most)
            .finish_non_exhaustive()
    }
}

impl Grounds {
    /// Uses no more than this, whatever the machine can.
    pub fn up_to(at_most: Mounts) -> Self {
        Self {
            at_most,
            tried: Mutex::default(),
        }
    }

    fn of(&self, site: &Site<'_>, folders: &Folders) -> Mounts {
        let root = site.live.path();
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = tried.get(root) {
            return *known;
        }
        let found = self.attempt(site, folders);
        tried.insert(root.to_owned(), found);
        found
    }

    fn attempt(&self, site: &Site<'_>, folders: &Folders) -> Mounts {
        let is_named = [&folders.lower, &folders.upper, &folders.work]
            .iter()
            .all(|path| can_be_named(path));
        let may_layer = self.at_most >= Mounts::Layers && is_named && folders.can_be_marked();
        // The frozen tree need not be there for a try.
        let tree = folders.lower.parent().unwrap_or(&folders.lower);
        if may_layer
            && folders.clear(site.live, site.session).is_ok()
            && is_mounted(layered(folders, tree), folders)
        {
            return Mounts::Layers;
        }
        if self.at_most >= Mounts::Folders && is_mounted(moved(folders), folders) {
            return Mounts::Folders;
        }
        Mounts::None
    }
}

/// Whether a program can be started in a view: the one that is tried is not there, so that nothing runs.
fn is_mounted(view: View, folders: &Folders) -> bool {
    let absent = folders.workspace.join(".lonis-is-never-here");
    let program = Program::new(absent)
        .with_cwd("/")
        .with_view(view.with_program_at("/proc/self/exe"));
    let captured = Job::new(&program).run();
    matches!(captured.failure, Some(ProcessError::Unavailable(_)))
}

/// The workspace as a layer, and nothing else of the store.
fn layered(folders: &Folders, tree: &Path) -> View {
    let (upper, work) = (&folders.upper, &folders.work);
    let view = View::default().with_overlay(tree, upper, work, &folders.mounted);
    hidden(view, folders).with_writable(&folders.workspace)
}

/// The workspace as it stands, and nothing else of the store.
fn moved(folders: &Folders) -> View {
    hidden(
        View::default().with_folder(&folders.workspace, &folders.mounted),
        folders,
    )
}

fn hidden(view: View, folders: &Folders) -> View {
    let view = if Path::new(SHARED_MEMORY).is_dir() {
        view.with_folder(&folders.memory, SHARED_MEMORY)
            .with_writable(SHARED_MEMORY)
    } else {
        view
    };
    view.with_folder(&folders.view, &folders.store)
}

/// The workspace of a run.
#[derive(Debug)]
pub(super) struct Ground<'a> {
    kind: Kind<'a>,
    placement: Placement,
    /// Where it lies for a run that has mounts of its own.
    folders: Option<Folders>,
    /// Where it lies for all others.
    workspace: PathBuf,
    live: PathBuf,
    /// Whether it is at the snapshot, with nothing left of the obligation before.
    is_ready: bool,
}

#[derive(Debug)]
enum Kind<'a> {
    Copy(Workspace<'a>),
    Layer(Box<Overlay<'a>>),
}

impl<'a> Ground<'a> {
    /// Opens the workspace of a session; tools run where no view can be given to them, so that for these it is a copy.
    pub(super) fn open(
        site: &'a Site<'a>,
        scratch: &[WorkspacePath],
        has_tools: bool,
        is_fresh: bool,
    ) -> Result<Self, WorkspaceError> {
        let prepare = || Folders::prepare(site.live, site.disk, site.session, site.base);
        // Without a place for the folders there is none for a view.
        let folders = prepare().ok();
        let mounts = folders
            .as_ref()
            .map_or(Mounts::None, |folders| site.grounds.of(site, folders));
        let is_layer = mounts == Mounts::Layers && !has_tools;
        let open = || -> Result<Kind<'a>, WorkspaceError> {
            let (live, disk, session) = (site.live, site.disk, site.session);
            let scratch = scratch.to_vec();
            if !is_layer {
                return Workspace::open(live, disk, session, scratch).map(Kind::Copy);
            }
            let layer = Overlay::open(live, disk, site.store, session, site.base, scratch)?;
            Ok(Kind::Layer(Box::new(layer)))
        };
        let mut kind = open()?;
        if is_fresh {
            match &mut kind {
                Kind::Copy(workspace) => workspace.clear()?,
                Kind::Layer(layer) => layer.clear()?,
            }
            kind = open()?;
        }
        Ok(Self {
            kind,
            placement: if is_layer {
                Placement::Overlay
            } else {
                Placement::Copy
            },
            folders: folders.filter(|_| mounts > Mounts::None),
            workspace: super::workspace_of(site),
            live: site.live.path().to_owned(),
            is_ready: false,
        })
    }

    pub(super) fn placement(&self) -> Placement {
        self.placement
    }

    /// Brings it to the snapshot, where it is not there already; gives the links that are not in it then.
    pub(super) fn make_ready(
        &mut self,
        site: &Site<'_>,
        snapshot: &crate::identity::Identity,
    ) -> Result<Option<Vec<WorkspacePath>>, WorkspaceError> {
        if self.is_ready {
            return Ok(None);
        }
        let brought: Brought = match &mut self.kind {
            Kind::Layer(layer) => layer.bring_to(snapshot)?,
            Kind::Copy(workspace) => {
                let cache = StatCache::load(site.disk);
                workspace.bring_to(site.store, snapshot, Some((site.live, &cache)))?
            }
        };
        // Later ones only put back what an obligation changed.
        if self.placement == Placement::Copy {
            self.placement = brought.placement;
        }
        self.is_ready = true;
        Ok(Some(brought.left_out))
    }

    pub(super) fn begin_run(&mut self) -> Result<(), WorkspaceError> {
        self.is_ready = false;
        match (&mut self.kind, &self.folders) {
            (Kind::Layer(layer), Some(folders)) => layer.begin_run(folders),
            (Kind::Copy(workspace), _) => workspace.begin_run(),
            (Kind::Layer(_), None) => Ok(()),
        }
    }

    pub(super) fn end_run(&mut self) -> Result<Vec<Mutation>, WorkspaceError> {
        let mutated = match &mut self.kind {
            Kind::Copy(workspace) => workspace.end_run()?,
            Kind::Layer(layer) => layer.end_run()?,
        };
        self.is_ready = mutated.is_empty();
        Ok(mutated)
    }

    /// Looks whether what lies below a layer is as it was.
    pub(super) fn check(&self) -> Result<(), WorkspaceError> {
        match &self.kind {
            Kind::Copy(_) => Ok(()),
            Kind::Layer(layer) => layer.check(),
        }
    }

    /// Where a path of the workspace stands outside of a run.
    pub(super) fn outside(&self, path: &str) -> PathBuf {
        match (&self.kind, &self.folders) {
            (Kind::Layer(layer), Some(folders)) => layer.outside(folders, path),
            _ => self.workspace.join(path),
        }
    }

    /// What a run has mounted; `None` where nothing can be.
    pub(super) fn view(&self) -> Option<View> {
        let folders = self.folders.as_ref()?;
        Some(match self.kind {
            Kind::Layer(_) => layered(folders, &folders.lower),
            Kind::Copy(_) => moved(folders),
        })
    }

    /// What a run may write to, beside its own temporary folders: its workspace, and the folder of temporary files that it is
    /// told of.
    pub(super) fn confinement(&self, temporary: Option<&OsStr>) -> Confinement {
        let copy = matches!(self.kind, Kind::Copy(_)).then(|| self.workspace.clone());
        // One that holds the live tree, or lies in it, is not for temporary files.
        let temporary = temporary.map(PathBuf::from).filter(|folder| {
            let folder = folder.canonicalize().unwrap_or_default();
            let live = self.live.canonicalize().unwrap_or_default();
            folder.is_absolute() && !live.starts_with(&folder) && !folder.starts_with(&live)
        });
        Confinement::writing_below(copy.into_iter().chain(temporary)).with_network()
    }
}
