//! Looking at a directory tree beneath its root: no link is followed, no mount entered, nothing opened that could wait.
//!
//! Owns what capture reads the live tree with. It never writes.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

#[cfg(any(target_os = "linux", target_os = "android"))]
use rustix::fs::RawDir;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::store::disk::Kind;

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Reading without following a link, waiting for a pipe's writer or taking over a terminal.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// How much of a directory's list is read at once: most are shorter.
const LISTED_BYTES: usize = 16 * 1024;

/// A moment by the clock of the file system, which lags the system's by up to a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Stamp {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanoseconds: u32,
}

impl Stamp {
    /// Nanoseconds since 1970, for any year that a file system can name.
    pub const fn total_nanoseconds(self) -> i128 {
        self.seconds as i128 * 1_000_000_000 + self.nanoseconds as i128
    }
}

/// What a file system says about a name, without following a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// The device that it lies on.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// How many names it has.
    pub links: u64,
    /// Permission bits, `0o7777` and below.
    pub mode: u32,
    /// Length of the content.
    pub bytes: u64,
    /// When the content changed, as its owner may set it.
    pub modified: Stamp,
    /// When content or attributes changed; nobody can set it.
    pub changed: Stamp,
}

/// One name of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name, with any bytes but `/` and NUL.
    pub bytes: Box<[u8]>,
    /// What it is, where the file system says so in its list.
    pub kind: Option<Kind>,
}

/// Opens a directory by its path from `root`; the empty path is the root itself.
///
/// # Errors
/// What the system says: a link on the way is [`Errno::LOOP`] or [`Errno::NOTDIR`], a mount [`Errno::XDEV`].
pub fn open_directory(root: BorrowedFd<'_>, path: &str) -> rustix::io::Result<OwnedFd> {
    if path.is_empty() {
        return rustix::fs::openat(root, c".", DIRECTORY, Mode::empty());
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
        match rustix::fs::openat2(root, path, DIRECTORY, Mode::empty(), resolve) {
            // A kernel before 5.6, or a filter that does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return opened,
        }
    }
    let device = rustix::fs::fstat(root)?.st_dev;
    let mut directory = rustix::fs::openat(root, c".", DIRECTORY, Mode::empty())?;
    for segment in path.split('/') {
        directory = rustix::fs::openat(&directory, segment, DIRECTORY, Mode::empty())?;
        if rustix::fs::fstat(&directory)?.st_dev != device {
            return Err(Errno::XDEV);
        }
    }
    Ok(directory)
}

/// Opens a directory in an open directory, by any name.
///
/// # Errors
/// What the system says.
pub fn open_child(directory: BorrowedFd<'_>, name: &[u8]) -> rustix::io::Result<OwnedFd> {
    rustix::fs::openat(directory, OsStr::from_bytes(name), DIRECTORY, Mode::empty())
}

/// The names in an open directory, in no order.
///
/// # Errors
/// What the system says.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn names(directory: BorrowedFd<'_>) -> rustix::io::Result<Vec<Name>> {
    // Read from the directory itself: a handle of its own for the list would cost as much as the list.
    let mut buffer = [const { std::mem::MaybeUninit::uninit() }; LISTED_BYTES];
    rustix::fs::seek(directory, rustix::fs::SeekFrom::Start(0))?;
    let mut listed = RawDir::new(directory, &mut buffer);
    let mut names = Vec::new();
    while let Some(entry) = listed.next() {
        let entry = entry?;
        names.extend(name_of(entry.file_name(), entry.file_type()));
    }
    Ok(names)
}

/// The names in an open directory, in no order.
///
/// # Errors
/// What the system says.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn names(directory: BorrowedFd<'_>) -> rustix::io::Result<Vec<Name>> {
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(directory)? {
        let entry = entry?;
        names.extend(name_of(entry.file_name(), entry.file_type()));
    }
    Ok(names)
}

fn name_of(name: &CStr, kind: FileType) -> Option<Name> {
    let is_itself = name == c"." || name == c"..";
    (!is_itself).then(|| Name {
        bytes: name.to_bytes().into(),
        kind: kind_of(kind),
    })
}

/// Looks at a name in an open directory.
///
/// # Errors
/// What the system says.
pub fn stat_at(directory: BorrowedFd<'_>, name: &[u8]) -> rustix::io::Result<Stat> {
    let name = OsStr::from_bytes(name);
    rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).map(|stat| stat_of(&stat))
}

/// Looks at an open file.
///
/// # Errors
/// What the system says.
pub fn stat_open(file: impl AsFd) -> rustix::io::Result<Stat> {
    rustix::fs::fstat(file).map(|stat| stat_of(&stat))
}

/// Opens a regular file in an open directory for reading; never blocks, whatever stands there.
///
/// # Errors
/// What the system says; anything but a regular file is [`Errno::INVAL`].
pub fn open_file(directory: BorrowedFd<'_>, name: &[u8]) -> rustix::io::Result<(File, Stat)> {
    let name = OsStr::from_bytes(name);
    let file = rustix::fs::openat(directory, name, READ, Mode::empty())?;
    let stat = stat_open(&file)?;
    if stat.kind == Kind::File {
        Ok((File::from(file), stat))
    } else {
        Err(Errno::INVAL)
    }
}

/// Opens a regular file by its path from `root`; never blocks, whatever stands there.
///
/// # Errors
/// As [`open_directory`] and [`open_file`].
pub fn open_path(root: BorrowedFd<'_>, path: &str) -> rustix::io::Result<(File, Stat)> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
        match rustix::fs::openat2(root, path, READ, Mode::empty(), resolve) {
            // As for a directory.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => {
                let file = opened?;
                let stat = stat_open(&file)?;
                return if stat.kind == Kind::File {
                    Ok((File::from(file), stat))
                } else {
                    Err(Errno::INVAL)
                };
            }
        }
    }
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    open_file(open_directory(root, parent)?.as_fd(), name.as_bytes())
}

/// The text of a link in an open directory.
///
/// # Errors
/// What the system says.
pub fn link_text(directory: BorrowedFd<'_>, name: &[u8]) -> rustix::io::Result<Vec<u8>> {
    let name = OsStr::from_bytes(name);
    rustix::fs::readlinkat(directory, name, Vec::new()).map(std::ffi::CString::into_bytes)
}

/// Reads a regular file that is expected to be small, by its path from `root`; `None` where none stands.
///
/// # Errors
/// What the system says; a longer file than `limit` is [`io::ErrorKind::FileTooLarge`].
pub fn read_small(root: BorrowedFd<'_>, path: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
    use std::io::Read;
    let (file, stat) = match open_path(root, path) {
        Ok(opened) => opened,
        // A link, a pipe or a directory of that name is no such file.
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::INVAL | Errno::NXIO) => {
            return Ok(None);
        }
        Err(errno) => return Err(errno.into()),
    };
    if stat.bytes > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Opens a regular file by any path, links on the way followed, as programs that others wrote name their files; never blocks.
///
/// # Errors
/// What the system says; anything but a regular file is [`Errno::INVAL`].
pub fn open_any(path: &Path) -> rustix::io::Result<(File, Stat)> {
    let flags = READ.difference(OFlags::NOFOLLOW);
    let file = rustix::fs::open(path, flags, Mode::empty())?;
    let stat = stat_open(&file)?;
    if stat.kind == Kind::File {
        Ok((File::from(file), stat))
    } else {
        Err(Errno::INVAL)
    }
}

/// Reads a regular file by any path, links on the way followed.
///
/// # Errors
/// As [`open_any`]; a longer file than `limit` is [`io::ErrorKind::FileTooLarge`].
pub fn read_any(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    use std::io::Read;
    let (file, stat) = open_any(path)?;
    let mut bytes = Vec::new();
    if stat.bytes <= limit {
        // One byte more shows that it grew meanwhile.
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if stat.bytes.max(bytes.len() as u64) > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

fn kind_of(kind: FileType) -> Option<Kind> {
    match kind {
        FileType::RegularFile => Some(Kind::File),
        FileType::Symlink => Some(Kind::Link),
        FileType::Directory => Some(Kind::Directory),
        FileType::Unknown => None,
        _ => Some(Kind::Other),
    }
}

#[expect(
    clippy::unnecessary_cast,
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "the widths and signs of these members differ from system to system; none loses a value here"
)]
fn stat_of(stat: &rustix::fs::Stat) -> Stat {
    Stat {
        kind: kind_of(FileType::from_raw_mode(stat.st_mode)).unwrap_or(Kind::Other),
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        links: stat.st_nlink as u64,
        mode: stat.st_mode as u32 & 0o7777,
        bytes: stat.st_size as u64,
        modified: Stamp {
            seconds: stat.st_mtime as i64,
            nanoseconds: stat.st_mtime_nsec as u32,
        },
        changed: Stamp {
            seconds: stat.st_ctime as i64,
            nanoseconds: stat.st_ctime_nsec as u32,
        },
    }
}
