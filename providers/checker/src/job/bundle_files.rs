//! Reading the bundle of a job without ever leaving it.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;

use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, openat};
use rustix::io::Errno;

use super::directory::Directory;
use crate::failure::Failure;

/// The folder of the bundle within the directory of a job.
pub(crate) const BUNDLE: &str = "bundle";

/// Something in a bundle.
#[derive(Debug)]
pub(crate) enum Entry {
    /// A file with its text.
    File(String),
    /// A folder with the names in it, sorted by bytes; folders end in `/`.
    Folder(Vec<String>),
}

/// Opens what stands at a path of the bundle, whose parts are plain names; none when nothing is there, or a link.
///
/// # Errors
/// `io`, when it cannot be read.
pub(crate) fn open_in_bundle(
    directory: &Directory,
    parts: &[&str],
) -> Result<Option<Entry>, Failure> {
    let root = directory.path().join(BUNDLE);
    match open(&root, parts) {
        Ok(entry) => Ok(Some(entry)),
        Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR | Errno::NAMETOOLONG) => Ok(None),
        Err(error) => Err(Failure::io(&root, &error.into())),
    }
}

fn open(root: &std::path::Path, parts: &[&str]) -> Result<Entry, Errno> {
    // A folder is opened as one, so that the walk goes on below it whatever takes its name meanwhile.
    let base = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = openat(CWD, root, base | OFlags::DIRECTORY, Mode::empty())?;
    let Some((last, folders)) = parts.split_last() else {
        return list(&folder);
    };
    for part in folders {
        folder = openat(&folder, *part, base | OFlags::DIRECTORY, Mode::empty())?;
    }
    let found = openat(&folder, *last, base | OFlags::NONBLOCK, Mode::empty())?;
    match FileType::from_raw_mode(rustix::fs::fstat(&found)?.st_mode) {
        FileType::Directory => list(&found),
        FileType::RegularFile => text(found),
        _ => Err(Errno::NOENT),
    }
}

fn list(folder: &OwnedFd) -> Result<Entry, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.file_type() {
            _ if name == "." || name == ".." => {}
            FileType::Directory => names.push(format!("{name}/")),
            FileType::RegularFile => names.push(name),
            _ => {}
        }
    }
    names.sort_unstable();
    Ok(Entry::Folder(names))
}

fn text(file: OwnedFd) -> Result<Entry, Errno> {
    let mut bytes = Vec::new();
    let read = File::from(file).read_to_end(&mut bytes);
    read.map_err(|error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    // What a packer wrote is UTF-8; other bytes are shown as far as they can be.
    Ok(Entry::File(String::from_utf8_lossy(&bytes).into_owned()))
}
