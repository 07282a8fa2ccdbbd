//! The live tree: the directory that people and programs work in, which is only ever read here.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::beneath::{self, Stat};
use crate::file_set::{self, FileSet, FileSetError, FileSetRules, GitEnvironment};

/// A live tree, its root held open.
#[derive(Debug)]
pub struct LiveTree {
    root: OwnedFd,
    path: PathBuf,
    environment: GitEnvironment,
}

impl LiveTree {
    /// Opens a root that can be a workspace.
    ///
    /// # Errors
    /// [`FileSetError::Root`]: no directory, a home directory, the root of a file system.
    pub fn open(root: &Path, environment: GitEnvironment) -> Result<Self, FileSetError> {
        file_set::check_root(root, &environment)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle =
            rustix::fs::open(root, flags, Mode::empty()).map_err(|errno| FileSetError::Root {
                reason: io::Error::from(errno).kind().to_string(),
            })?;
        Ok(Self {
            root: handle,
            path: root.to_owned(),
            environment,
        })
    }

    /// The open root.
    pub fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The paths that belong to it by these rules.
    ///
    /// # Errors
    /// Any of [`FileSetError`].
    pub fn file_set(&self, rules: &FileSetRules) -> Result<FileSet, FileSetError> {
        file_set::read(self.root(), &self.path, rules, &self.environment)
    }

    /// The paths that its index knows and that it leaves out on purpose.
    ///
    /// # Errors
    /// [`FileSetError::Index`].
    pub fn sparse(&self, rules: &FileSetRules) -> Result<Vec<String>, FileSetError> {
        file_set::sparse(&self.path, rules, &self.environment)
    }

    /// Looks at a path without following a link; `None` where nothing stands or a parent is no directory.
    ///
    /// # Errors
    /// What the system says.
    pub fn look(&self, path: &str) -> io::Result<Option<Stat>> {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let looked = beneath::open_directory(self.root(), parent)
            .and_then(|directory| beneath::stat_at(directory.as_fd(), name.as_bytes()));
        match looked {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Reads a file that is expected to be small; `None` where no regular file stands.
    ///
    /// # Errors
    /// What the system says; a longer file than `limit` is [`io::ErrorKind::FileTooLarge`].
    pub fn read(&self, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        beneath::read_small(self.root(), path, limit)
    }

    /// The text of a link.
    ///
    /// # Errors
    /// What the system says.
    pub fn link_text(&self, path: &str) -> io::Result<Vec<u8>> {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let directory = beneath::open_directory(self.root(), parent)?;
        Ok(beneath::link_text(directory.as_fd(), name.as_bytes())?)
    }
}
