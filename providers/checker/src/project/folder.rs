//! Reading below a root: no link is followed, nothing outside is reached, all of it within bounds.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, openat};
use soil::source::MAX_SOURCE_BYTES;
use thiserror::Error;

use super::Stamp;

/// The most entries that a root and its modules have together.
///
/// # Units and bounds
/// Entries: 100 000, those that are no files of a project counted too.
const MAX_ENTRIES: usize = 100_000;

/// The most that is read of one project.
///
/// # Units and bounds
/// Bytes: 256 MiB.
const MAX_PROJECT_BYTES: u64 = 256 << 20;

/// Why something below a root is not read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(crate) enum FolderError {
    /// The system refuses.
    #[error("`{path}` cannot be read: {error}")]
    Io {
        /// What was to be read.
        path: String,
        /// Why it was not.
        error: io::Error,
    },
    /// It is a link.
    #[error("`{path}` is a link, and links are not followed")]
    Link {
        /// The link.
        path: String,
    },
    /// It is a pipe, a device or a folder.
    #[error("`{path}` is no regular file")]
    NoFile {
        /// What was to be read.
        path: String,
    },
    /// There are more entries than are looked at.
    #[error("the project has more than {MAX_ENTRIES} entries")]
    Entries,
    /// There is more text than is read.
    #[error("the project has more than {MAX_PROJECT_BYTES} bytes")]
    Bytes,
}

/// An open root, with what may still be read below it.
#[derive(Debug)]
pub(crate) struct Folder {
    root: OwnedFd,
    entries_left: usize,
    bytes_left: u64,
    /// The folder that was looked at last, which most files stand beside the next of.
    last: Option<(String, OwnedFd)>,
    /// What the files that were read looked like, by their paths.
    stamps: BTreeMap<String, Stamp>,
}

/// What stands in a folder.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// The files, links and other things that are no folders, sorted by bytes.
    pub(crate) files: Vec<String>,
    /// The folders, sorted by bytes.
    pub(crate) folders: Vec<String>,
    /// Names that are not UTF-8, as far as they can be shown.
    pub(crate) unreadable: Vec<String>,
}

impl Folder {
    /// Opens a root, which itself may be named through links.
    ///
    /// # Errors
    /// When it is not there, or no folder.
    pub(crate) fn open(root: &Path) -> Result<Self, FolderError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = openat(CWD, root, flags, Mode::empty())
            .map_err(|error| io_error(&root.to_string_lossy(), error.into()))?;
        Ok(Self {
            root,
            entries_left: MAX_ENTRIES,
            bytes_left: MAX_PROJECT_BYTES,
            last: None,
            stamps: BTreeMap::new(),
        })
    }

    /// Lists the root, or a folder below it; names that begin with `.` are left out.
    ///
    /// # Errors
    /// When it cannot be read, or has more entries than are looked at.
    pub(crate) fn list(&mut self, folder: &str) -> Result<Listing, FolderError> {
        let mut entries_left = self.entries_left;
        let open = self.folder(folder)?;
        let failed = |error: rustix::io::Errno| io_error(folder, error.into());
        let mut listing = Listing::default();
        for entry in Dir::read_from(open).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if name.to_bytes().starts_with(b".") {
                continue;
            }
            let left = entries_left.checked_sub(1);
            entries_left = left.ok_or(FolderError::Entries)?;
            let Ok(text) = name.to_str() else {
                let shown = String::from_utf8_lossy(name.to_bytes()).into_owned();
                listing.unreadable.push(shown);
                continue;
            };
            if is_folder(open, &entry) {
                listing.folders.push(text.to_owned());
            } else {
                listing.files.push(text.to_owned());
            }
        }
        self.entries_left = entries_left;
        listing.files.sort_unstable();
        listing.folders.sort_unstable();
        listing.unreadable.sort_unstable();
        Ok(listing)
    }

    /// Reads a file of the root or of a folder below it, up to one byte past the bound of a source text.
    ///
    /// # Errors
    /// When it is a link or no regular file, cannot be read, or there is more text than is read.
    pub(crate) fn read(&mut self, path: &str) -> Result<Vec<u8>, FolderError> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let failed = |error: io::Error| io_error(path, error);
        let open = self.folder(folder)?;
        // A pipe must not keep the reader waiting for a writer, nor a terminal become ours.
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(open, name, flags, Mode::empty()).map_err(|error| match error {
            rustix::io::Errno::LOOP => FolderError::Link {
                path: path.to_owned(),
            },
            other => failed(other.into()),
        })?;
        let file = File::from(file);
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(FolderError::NoFile {
                path: path.to_owned(),
            });
        }
        let most = MAX_SOURCE_BYTES as u64 + 1;
        // One byte more than it has, so that the second read says that there is no more.
        let expected = metadata.len().min(most) + 1;
        let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
        file.take(most).read_to_end(&mut bytes).map_err(failed)?;
        let left = self.bytes_left.checked_sub(bytes.len() as u64);
        self.bytes_left = left.ok_or(FolderError::Bytes)?;
        self.stamps.insert(path.to_owned(), Stamp::of(&metadata));
        Ok(bytes)
    }

    /// Gives what the files that were read looked like, by their paths.
    pub(crate) fn into_stamps(self) -> BTreeMap<String, Stamp> {
        self.stamps
    }

    /// Gives a folder below the root, which stays open until another one is asked for.
    fn folder(&mut self, folder: &str) -> Result<&OwnedFd, FolderError> {
        let last = match self.last.take() {
            Some(last) if last.0 == folder => last,
            _ => (folder.to_owned(), self.open_folder(folder)?),
        };
        Ok(&self.last.insert(last).1)
    }

    fn open_folder(&self, folder: &str) -> Result<OwnedFd, FolderError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let step = |from: &OwnedFd, name: &str| {
            let opened = openat(from, name, flags, Mode::empty());
            opened.map_err(|error| {
                io_error(if folder.is_empty() { "." } else { folder }, error.into())
            })
        };
        // One step at a time: only of the last one does the system look whether it is a link.
        let steps = folder.split('/').filter(|name| !name.is_empty());
        steps.fold(step(&self.root, "."), |from, name| step(&from?, name))
    }
}

fn io_error(path: &str, error: io::Error) -> FolderError {
    FolderError::Io {
        path: path.to_owned(),
        error,
    }
}

/// Says whether an entry is a folder itself, and not a link to one.
fn is_folder(parent: &OwnedFd, entry: &rustix::fs::DirEntry) -> bool {
    match entry.file_type() {
        FileType::Directory => true,
        // Some file systems do not tell.
        FileType::Unknown => {
            let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
            let found = rustix::fs::statat(parent, entry.file_name(), flags);
            found.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
        }
        _ => false,
    }
}
