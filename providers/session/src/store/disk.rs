//! Disks: every file operation of the store and of an apply, in one trait.
//!
//! A path is relative to the root of the workspace, and no operation follows a link on the way. [`RootDisk`] is a real
//! directory. That there is a trait at all is for the proofs: a disk in memory can stop after any operation, fail in one,
//! and lose what was not synced.

mod boxed;
mod root;
#[cfg(test)]
pub(crate) mod simulated;
#[cfg(test)]
pub(crate) mod stopping;

use std::fmt;
use std::fs::File;
use std::io;

pub use root::RootDisk;

/// What kind of thing stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A directory.
    Directory,
    /// A pipe, a socket, a device.
    Other,
}

/// What a look at a path shows, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// What it is.
    pub kind: Kind,
    /// Permission bits, `0o7777` and below.
    pub mode: u32,
    /// Length of a file, or of a link's text.
    pub bytes: u64,
    /// How many names the file has.
    pub links: u64,
}

impl Look {
    /// Whether the owner may execute it.
    pub const fn is_executable(&self) -> bool {
        self.mode & 0o100 != 0
    }
}

/// File operations below one root.
///
/// Each is one step: it happened or it did not. None is durable before the file, the directory or the whole disk is
/// synced. Paths are relative, segments separated by `/`; the empty path is the root.
pub trait Disk: fmt::Debug {
    /// Looks at a path; `None` where nothing stands, also where a parent is missing or is no directory.
    ///
    /// # Errors
    /// A link or a mount on the way, and what the system says.
    fn look(&self, path: &str) -> io::Result<Option<Look>>;

    /// Reads a regular file whole.
    ///
    /// # Errors
    /// Anything but a regular file, and what the system says; a longer file than `limit` is [`io::ErrorKind::FileTooLarge`].
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>>;

    /// Looks at a path and reads what stands there, the bytes of a file or the text of a link; nothing of anything else, which is
    /// not opened.
    ///
    /// # Errors
    /// As [`Disk::look`] and [`Disk::read`], and what the system says.
    fn stand(&self, path: &str, limit: u64) -> io::Result<Option<(Look, Vec<u8>)>> {
        let Some(look) = self.look(path)? else {
            return Ok(None);
        };
        let bytes = match look.kind {
            Kind::File => self.read(path, limit)?,
            Kind::Link => self.read_link(path)?,
            Kind::Directory | Kind::Other => Vec::new(),
        };
        Ok(Some((look, bytes)))
    }

    /// Reads bytes of a regular file from an offset; fewer than asked for only at its end.
    ///
    /// # Errors
    /// Anything but a regular file, and what the system says.
    fn read_range(&self, path: &str, offset: u64, length: usize) -> io::Result<Vec<u8>>;

    /// Reads the text of a link.
    ///
    /// # Errors
    /// Anything but a link, and what the system says.
    fn read_link(&self, path: &str) -> io::Result<Vec<u8>>;

    /// Names in a directory, sorted; names that are not UTF-8 are shown with their bytes replaced.
    ///
    /// # Errors
    /// What the system says.
    fn list(&self, path: &str) -> io::Result<Vec<String>>;

    /// Opens a file for a lock, creating it where that is allowed; no step of its own, since it holds nothing.
    ///
    /// # Errors
    /// What the system says.
    fn open_lock(&self, path: &str) -> io::Result<File>;

    /// Bytes that may still be written; `None` where that cannot be known.
    fn free_bytes(&self) -> Option<u64>;

    /// Creates a file that is not there with these bytes and, under the umask, this mode.
    ///
    /// # Errors
    /// Something that stands there, and what the system says; then an unfinished file may be left.
    fn create_file(&self, path: &str, bytes: &[u8], mode: u32) -> io::Result<()>;

    /// Creates a link that is not there.
    ///
    /// # Errors
    /// Something that stands there, and what the system says.
    fn create_link(&self, path: &str, target: &[u8]) -> io::Result<()>;

    /// Creates a directory that is not there.
    ///
    /// # Errors
    /// Something that stands there, and what the system says.
    fn create_dir(&self, path: &str) -> io::Result<()>;

    /// Sets the permission bits of a file.
    ///
    /// # Errors
    /// What the system says.
    fn set_mode(&self, path: &str, mode: u32) -> io::Result<()>;

    /// Gives a file the owner and the extended attributes of another; `false` where some could not be given.
    ///
    /// # Errors
    /// A file that cannot be opened.
    fn copy_attributes(&self, from: &str, to: &str) -> io::Result<bool>;

    /// Gives a new file or directory the group that a directory hands down to what is made in it, where it does.
    ///
    /// # Errors
    /// What the system says.
    fn inherit_group(&self, path: &str, directory: &str) -> io::Result<()>;

    /// Writes bytes at the end of a file.
    ///
    /// # Errors
    /// What the system says; then a part may be written.
    fn append(&self, path: &str, bytes: &[u8]) -> io::Result<()>;

    /// Cuts a file to a length.
    ///
    /// # Errors
    /// What the system says.
    fn cut(&self, path: &str, bytes: u64) -> io::Result<()>;

    /// Renames, replacing what stands at `to`.
    ///
    /// # Errors
    /// What the system says.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Renames to a name that is free.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`], and what the system says.
    fn rename_new(&self, from: &str, to: &str) -> io::Result<()>;

    /// Exchanges what stands at two paths, atomically.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] where the file system has no such step, and what the system says.
    fn exchange(&self, one: &str, other: &str) -> io::Result<()>;

    /// Gives a file or a link a second name that is free.
    ///
    /// # Errors
    /// What the system says.
    fn link(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file or a link.
    ///
    /// # Errors
    /// What the system says.
    fn remove_file(&self, path: &str) -> io::Result<()>;

    /// Removes an empty directory.
    ///
    /// # Errors
    /// [`io::ErrorKind::DirectoryNotEmpty`], and what the system says.
    fn remove_dir(&self, path: &str) -> io::Result<()>;

    /// Stamps a file with the present time of its file system.
    ///
    /// # Errors
    /// What the system says.
    fn touch(&self, path: &str) -> io::Result<()>;

    /// Makes the bytes of a file, or the entries of a directory, durable.
    ///
    /// # Errors
    /// What the system says; nothing is durable then, whatever a second try says.
    fn sync(&self, path: &str) -> io::Result<()>;

    /// Makes everything durable.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] where each file has to be synced instead, and what the system says.
    fn sync_all(&self) -> io::Result<()>;
}

/// The directory part of a path; the root where it has none.
pub fn parent_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Every directory above a path, from the outermost.
pub fn ancestors_of(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}
