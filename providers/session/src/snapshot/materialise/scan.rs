//! What stands in a workspace, whatever a run left there.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{AtFlags, Mode};
use rustix::io::Errno;

use super::{WorkspaceError, write_error};
use crate::beneath::{self, Stat};
use crate::path::{MAX_PATH_BYTES, WorkspacePath, check_segment};
use crate::store::disk::Kind;

/// Everything in a workspace but the content of its scratch directories.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Whatever is no directory, by path.
    pub(super) files: HashMap<String, Stat>,
    /// Directories, each after the one that holds it.
    pub(super) directories: Vec<String>,
    /// Names that no path can hold, each with its directory.
    odd: Vec<(String, Box<[u8]>)>,
}

impl Scan {
    pub(super) fn of(
        root: BorrowedFd<'_>,
        scratch: &[WorkspacePath],
    ) -> Result<Self, WorkspaceError> {
        let mut scan = Self::default();
        let mut open = vec![String::new()];
        while let Some(path) = open.pop() {
            let failed = |errno: Errno| write_error(&path, errno.into());
            let directory = open_any(root, &path).map_err(failed)?;
            let directory = directory.as_fd();
            for name in beneath::names(directory).map_err(failed)? {
                let stat = beneath::stat_at(directory, &name.bytes).map_err(failed)?;
                let Some(full) = joined(&path, &name.bytes) else {
                    scan.odd.push((path.clone(), name.bytes));
                    continue;
                };
                if stat.kind != Kind::Directory {
                    scan.files.insert(full, stat);
                    continue;
                }
                scan.directories.push(full.clone());
                if !scratch.iter().any(|scratch| scratch.as_str() == full) {
                    open.push(full);
                }
            }
        }
        Ok(scan)
    }

    /// Whether anything is there that [`remove`](Self::remove) would remove.
    pub(super) fn has_others(&self, wanted: &BTreeSet<&str>, keep: impl Fn(&str) -> bool) -> bool {
        !self.odd.is_empty()
            || self.files.keys().any(|path| !keep(path))
            || self
                .directories
                .iter()
                .any(|path| !wanted.contains(path.as_str()))
    }

    /// Removes files that are not to be kept and directories that are not wanted; gives how many files went.
    pub(super) fn remove(
        &self,
        root: BorrowedFd<'_>,
        wanted: &BTreeSet<&str>,
        keep: impl Fn(&str) -> bool,
    ) -> Result<usize, WorkspaceError> {
        for (directory, name) in &self.odd {
            let failed = |errno: Errno| write_error(directory, errno.into());
            let handle = open_any(root, directory).map_err(failed)?;
            remove_any(handle.as_fd(), name).map_err(failed)?;
        }
        let mut removed = 0;
        for path in self.files.keys().filter(|path| !keep(path)) {
            unlink(root, path, AtFlags::empty())?;
            removed += 1;
        }
        // The innermost first: a directory stands before those in it.
        for path in self.directories.iter().rev() {
            if !wanted.contains(path.as_str()) {
                remove_directory(root, path)?;
            }
        }
        Ok(removed)
    }
}

/// Removes a directory. Only one that was not looked into, a scratch directory, still holds anything.
fn remove_directory(root: BorrowedFd<'_>, path: &str) -> Result<(), WorkspaceError> {
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    let failed = |errno: Errno| write_error(path, errno.into());
    let parent = open_any(root, parent).map_err(failed)?;
    remove_any(parent.as_fd(), name.as_bytes()).map_err(failed)
}

fn joined(directory: &str, name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    check_segment(name).ok()?;
    let path = if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    };
    (path.len() <= MAX_PATH_BYTES).then_some(path)
}

fn unlink(root: BorrowedFd<'_>, path: &str, flags: AtFlags) -> Result<(), WorkspaceError> {
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    open_any(root, parent)
        .and_then(|parent| rustix::fs::unlinkat(parent, name, flags))
        .map_err(|errno| write_error(path, errno.into()))
}

/// Opens a directory even where a run took its own rights away.
pub(super) fn open_any(root: BorrowedFd<'_>, path: &str) -> rustix::io::Result<OwnedFd> {
    match beneath::open_directory(root, path) {
        Err(Errno::ACCESS) if !path.is_empty() => {
            let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
            let parent = open_any(root, parent)?;
            let mode = Mode::RWXU;
            rustix::fs::chmodat(parent, name, mode, AtFlags::empty())?;
            beneath::open_directory(root, path)
        }
        opened => opened,
    }
}

/// Removes whatever stands under a name, directories with all that is in them.
pub(super) fn remove_any(directory: BorrowedFd<'_>, name: &[u8]) -> rustix::io::Result<()> {
    // Each step goes one directory deeper or removes one name, so that no depth overflows the stack.
    let mut open: Vec<(OwnedFd, Box<[u8]>)> = vec![(
        directory.try_clone_to_owned().map_err(|_| Errno::MFILE)?,
        name.into(),
    )];
    while let Some((parent, name)) = open.pop() {
        let text = OsStr::from_bytes(&name);
        if beneath::stat_at(parent.as_fd(), &name)?.kind != Kind::Directory {
            rustix::fs::unlinkat(&parent, text, AtFlags::empty())?;
            continue;
        }
        match rustix::fs::unlinkat(&parent, text, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            done => {
                done?;
                continue;
            }
        }
        rustix::fs::chmodat(&parent, text, Mode::RWXU, AtFlags::empty())?;
        let inner = beneath::open_child(parent.as_fd(), &name)?;
        let first = beneath::names(inner.as_fd())?.into_iter().next();
        open.push((parent, name));
        if let Some(first) = first {
            open.push((inner, first.bytes));
        }
    }
    Ok(())
}
