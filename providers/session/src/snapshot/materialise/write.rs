//! Writing what is missing in a workspace.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::{Placement, WorkspaceError, write_error};
use crate::beneath;
use crate::identity::{Domain, Identity};
use crate::path::WorkspacePath;
use crate::snapshot::live::LiveTree;
use crate::snapshot::stat_cache::{Known, StatCache, same};
use crate::snapshot::tree::Entry;
use crate::store::disk::ancestors_of;
use crate::store::objects::ReadObjects;
use crate::store::stored::StoredObjects;

const CREATE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

pub(super) struct Writer<'w, 'd> {
    root: BorrowedFd<'w>,
    objects: &'w StoredObjects<'d>,
    live: Option<(&'w LiveTree, &'w StatCache)>,
}

/// What was written.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) files: Vec<Known>,
    pub(super) placement: Placement,
}

impl<'w, 'd> Writer<'w, 'd> {
    pub(super) const fn new(
        root: BorrowedFd<'w>,
        objects: &'w StoredObjects<'d>,
        live: Option<(&'w LiveTree, &'w StatCache)>,
    ) -> Self {
        Self {
            root,
            objects,
            live,
        }
    }

    /// Writes every path that is not kept; what stood there is gone.
    pub(super) fn write(
        mut self,
        target: &BTreeMap<WorkspacePath, Entry>,
        kept: &BTreeMap<WorkspacePath, Known>,
    ) -> Result<Written, WorkspaceError> {
        let mut written = Written::default();
        let mut made: HashSet<&str> = HashSet::new();
        let known: HashMap<WorkspacePath, Known> = self
            .live
            .map(|(_, cache)| {
                cache
                    .iter()
                    .map(|known| (known.path.clone(), known))
                    .collect()
            })
            .unwrap_or_default();
        for (path, entry) in target {
            if kept.contains_key(path) {
                continue;
            }
            for directory in ancestors_of(path.as_str()) {
                if made.insert(directory) {
                    self.directory(target, path, directory)?;
                }
            }
            let source = known.get(path).filter(|known| known.blob == entry.blob());
            let file = self.one(target, path, entry, source, &mut written.placement)?;
            written.files.push(file);
        }
        Ok(written)
    }

    fn directory(
        &self,
        target: &BTreeMap<WorkspacePath, Entry>,
        path: &WorkspacePath,
        directory: &str,
    ) -> Result<(), WorkspaceError> {
        let (parent, name) = directory.rsplit_once('/').unwrap_or(("", directory));
        let made = beneath::open_directory(self.root, parent)
            .and_then(|parent| rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(0o777)));
        match made {
            Ok(()) => Ok(()),
            // It stood there before; what is no directory was removed, so that anything else is a name folded into another.
            Err(Errno::EXIST) => match beneath::open_directory(self.root, directory) {
                Ok(_) => Ok(()),
                Err(errno) => Err(taken(target, path, errno)),
            },
            Err(errno) => Err(write_error(directory, errno.into())),
        }
    }

    fn one(
        &mut self,
        target: &BTreeMap<WorkspacePath, Entry>,
        path: &WorkspacePath,
        entry: &Entry,
        source: Option<&Known>,
        placement: &mut Placement,
    ) -> Result<Known, WorkspaceError> {
        let failed = |errno: Errno| match errno {
            Errno::EXIST => taken(target, path, errno),
            errno => write_error(path.as_str(), errno.into()),
        };
        let (parent, name) = path
            .as_str()
            .rsplit_once('/')
            .unwrap_or(("", path.as_str()));
        let directory = beneath::open_directory(self.root, parent).map_err(failed)?;
        let blob = entry.blob();
        let stat = if entry.is_link() {
            let text = self.objects.read(Domain::Blob, &blob)?;
            rustix::fs::symlinkat(OsStr::from_bytes(&text), &directory, name).map_err(failed)?;
            beneath::stat_at(directory.as_fd(), name.as_bytes()).map_err(failed)?
        } else {
            let mode = if entry.is_executable() { 0o777 } else { 0o666 };
            let mode = Mode::from_raw_mode(mode);
            let file = rustix::fs::openat(&directory, name, CREATE, mode).map_err(failed)?;
            let mut file = File::from(file);
            if self.cloned(&file, source) {
                *placement = Placement::Clone;
            } else {
                self.copied(&mut file, path, &blob)?;
            }
            beneath::stat_open(&file).map_err(|errno| write_error(path.as_str(), errno.into()))?
        };
        Ok(Known {
            path: path.clone(),
            stat,
            blob,
        })
    }

    /// Shares the extents of the live file, if that is as it was when its content became known, before and after.
    fn cloned(&mut self, file: &File, source: Option<&Known>) -> bool {
        let (Some((live, _)), Some(known)) = (self.live, source) else {
            return false;
        };
        let Ok((origin, before)) = beneath::open_path(live.root(), known.path.as_str()) else {
            return false;
        };
        if !same(&known.stat, &before) {
            return false;
        }
        if !share_extents(file, &origin) {
            // The file system cannot, so it is not asked again.
            self.live = None;
            return false;
        }
        beneath::stat_open(&origin).is_ok_and(|after| same(&before, &after))
    }

    fn copied(
        &self,
        file: &mut File,
        path: &WorkspacePath,
        blob: &Identity,
    ) -> Result<(), WorkspaceError> {
        let failed = |source: io::Error| write_error(path.as_str(), source);
        // A clone that cannot be trusted may stand there.
        file.set_len(0).map_err(failed)?;
        let mut refused = None;
        let copied = self.objects.copy(Domain::Blob, blob, |bytes| {
            file.write_all(bytes).inspect_err(|error| {
                refused = Some(io::Error::from(error.kind()));
            })
        });
        match refused {
            Some(source) => Err(failed(source)),
            None => Ok(copied?),
        }
    }
}

/// What it means that a name which has to be free is not.
fn taken(
    target: &BTreeMap<WorkspacePath, Entry>,
    path: &WorkspacePath,
    errno: Errno,
) -> WorkspaceError {
    let folded = path.as_str().to_lowercase();
    let other = target.keys().find(|other| {
        let other_folded = other.as_str().to_lowercase();
        *other != path
            && (folded == other_folded
                || folded.starts_with(&format!("{other_folded}/"))
                || other_folded.starts_with(&format!("{folded}/")))
    });
    match other {
        Some(other) => WorkspaceError::Folded {
            path: path.clone(),
            other: other.clone(),
        },
        None => write_error(path.as_str(), errno.into()),
    }
}

#[cfg(target_os = "linux")]
fn share_extents(file: &File, origin: &File) -> bool {
    rustix::fs::ioctl_ficlone(file, origin).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn share_extents(_file: &File, _origin: &File) -> bool {
    false
}
