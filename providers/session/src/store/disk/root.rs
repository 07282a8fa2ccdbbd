//! A real directory as a disk.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{
    self, AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, RenameFlags, Timespec, Timestamps, Uid,
    XattrFlags,
};
use rustix::io::Errno;

use super::{Disk, Kind, Look, parent_of};

/// The largest extended attribute of Linux.
const MAX_ATTRIBUTE_BYTES: usize = 64 * 1024;

/// The most memory that is set aside for a file before it is read.
const MAX_AT_ONCE: usize = 16 * 1024 * 1024;

/// How the names of segments end.
const SEGMENT: &str = ".seg";

/// How many segments are held open at once.
const MAX_SEGMENTS: usize = 4;

/// A directory, held open, and everything below it.
#[derive(Debug)]
pub struct RootDisk {
    root: OwnedFd,
    /// Segments that were read last, the latest first: of one that is never changed many objects are read.
    segments: Mutex<Vec<(String, Arc<File>)>>,
}

impl RootDisk {
    /// Opens a directory.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(root: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            root: fs::openat(CWD, root, flags, Mode::empty())?,
            segments: Mutex::default(),
        })
    }

    /// A file that is read in ranges: a segment is held open until this disk changes the name of one.
    fn ranged(&self, path: &str) -> io::Result<Arc<File>> {
        let open = || Ok(Arc::new(self.open_file(path, OFlags::RDONLY, 0)?));
        if !path.ends_with(SEGMENT) {
            return open();
        }
        // Whoever panicked with the lock left a list that is right.
        let mut held = self.segments.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match held.iter().position(|(known, _)| known == path) {
            Some(at) => held.remove(at).1,
            None => open()?,
        };
        held.insert(0, (path.to_owned(), Arc::clone(&file)));
        held.truncate(MAX_SEGMENTS);
        Ok(file)
    }

    /// Forgets the segments that are held open where one of these names is that of a segment: it may come to mean another file.
    fn forget_where(&self, names: &[&str]) {
        if names.iter().any(|name| name.ends_with(SEGMENT)) {
            let mut held = self.segments.lock().unwrap_or_else(PoisonError::into_inner);
            held.clear();
        }
    }

    fn open_file(&self, path: &str, flags: OFlags, mode: u32) -> io::Result<File> {
        // Without NONBLOCK the open of a pipe would wait for its other end.
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let mode = Mode::from_raw_mode(mode);
        if let Some(opened) = self.open_beneath(path, flags, mode) {
            return regular(opened?);
        }
        let (directory, name) = self.place(path)?;
        regular(fs::openat(&directory, name, flags, mode)?)
    }

    /// Opens a path in one step, following no link; none where the system has no such step.
    #[cfg(target_os = "linux")]
    fn open_beneath(
        &self,
        path: &str,
        flags: OFlags,
        mode: Mode,
    ) -> Option<rustix::io::Result<OwnedFd>> {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match fs::openat2(&self.root, path, flags, mode, resolve) {
            // A kernel before 5.6, or a filter that does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => None,
            opened => Some(opened),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_beneath(
        &self,
        _path: &str,
        _flags: OFlags,
        _mode: Mode,
    ) -> Option<rustix::io::Result<OwnedFd>> {
        None
    }

    /// The directory that holds a path, and the path's last segment.
    fn place<'a>(&self, path: &'a str) -> io::Result<(OwnedFd, &'a str)> {
        let parent = parent_of(path);
        let name = if parent.is_empty() {
            path
        } else {
            &path[parent.len() + 1..]
        };
        Ok((self.directory(parent)?, name))
    }

    /// Opens a directory beneath the root, following no link.
    fn directory(&self, path: &str) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        if path.is_empty() {
            return self.root.try_clone();
        }
        if let Some(opened) = self.open_beneath(path, flags, Mode::empty()) {
            return Ok(opened?);
        }
        let mut directory = self.root.try_clone()?;
        for segment in path.split('/') {
            let opened = fs::openat(&directory, segment, flags | OFlags::NOFOLLOW, Mode::empty());
            directory = match opened {
                // Which of the two it is for a link differs between systems.
                Err(Errno::NOTDIR | Errno::LOOP) if is_link(&directory, segment) => {
                    return Err(Errno::LOOP.into());
                }
                opened => opened?,
            };
        }
        Ok(directory)
    }

    fn rename_with(&self, from: &str, to: &str, flags: RenameFlags) -> io::Result<()> {
        self.forget_where(&[from, to]);
        let (from_dir, from_name) = self.place(from)?;
        let (to_dir, to_name) = self.place(to)?;
        fs::renameat_with(&from_dir, from_name, &to_dir, to_name, flags).map_err(
            |errno| match errno {
                Errno::INVAL | Errno::NOSYS | Errno::NOTSUP => {
                    io::Error::new(io::ErrorKind::Unsupported, errno)
                }
                errno => errno.into(),
            },
        )
    }
}

impl Disk for RootDisk {
    fn look(&self, path: &str) -> io::Result<Option<Look>> {
        let looked = self.place(path).and_then(|(directory, name)| {
            Ok(fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW)?)
        });
        let stat = match looked {
            Err(error) if is(&error, Errno::NOENT) || is(&error, Errno::NOTDIR) => return Ok(None),
            stat => stat?,
        };
        Ok(Some(look_of(&stat)))
    }

    fn stand(&self, path: &str, limit: u64) -> io::Result<Option<(Look, Vec<u8>)>> {
        let looked = self.place(path).and_then(|(directory, name)| {
            let stat = fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok((directory, name, look_of(&stat)))
        });
        let (directory, name, look) = match looked {
            Err(error) if is(&error, Errno::NOENT) || is(&error, Errno::NOTDIR) => return Ok(None),
            looked => looked?,
        };
        let bytes = match look.kind {
            Kind::File => {
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
                let file = regular(fs::openat(&directory, name, flags, Mode::empty())?)?;
                whole(&file, look.bytes, limit)?
            }
            Kind::Link => fs::readlinkat(&directory, name, Vec::new())?.into_bytes(),
            Kind::Directory | Kind::Other => Vec::new(),
        };
        Ok(Some((look, bytes)))
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        let file = self.open_file(path, OFlags::RDONLY, 0)?;
        whole(&file, file.metadata()?.len(), limit)
    }

    fn read_range(&self, path: &str, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let file = self.ranged(path)?;
        let mut bytes = vec![0; length];
        let mut filled = 0;
        while filled < length {
            match file.read_at(&mut bytes[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    fn read_link(&self, path: &str) -> io::Result<Vec<u8>> {
        let (directory, name) = self.place(path)?;
        Ok(fs::readlinkat(&directory, name, Vec::new())?.into_bytes())
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.directory(path)?)? {
            let name = String::from_utf8_lossy(entry?.file_name().to_bytes()).into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn open_lock(&self, path: &str) -> io::Result<File> {
        let create = self.open_file(path, OFlags::RDWR | OFlags::CREATE, 0o644);
        match create {
            // A lock needs no right to write: readers may look at a store that they cannot change.
            Err(error)
                if [Errno::ROFS, Errno::ACCESS]
                    .iter()
                    .any(|errno| is(&error, *errno)) =>
            {
                self.open_file(path, OFlags::RDONLY, 0)
            }
            opened => opened,
        }
    }

    fn free_bytes(&self) -> Option<u64> {
        let found = fs::fstatvfs(&self.root).ok()?;
        found.f_bavail.checked_mul(found.f_frsize)
    }

    fn create_file(&self, path: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        self.open_file(path, flags, mode)?.write_all(bytes)
    }

    fn create_link(&self, path: &str, target: &[u8]) -> io::Result<()> {
        let (directory, name) = self.place(path)?;
        Ok(fs::symlinkat(OsStr::from_bytes(target), &directory, name)?)
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        let (directory, name) = self.place(path)?;
        Ok(fs::mkdirat(&directory, name, Mode::from_raw_mode(0o777))?)
    }

    fn set_mode(&self, path: &str, mode: u32) -> io::Result<()> {
        let file = self.open_file(path, OFlags::RDONLY, 0)?;
        Ok(fs::fchmod(&file, Mode::from_raw_mode(mode))?)
    }

    fn copy_attributes(&self, from: &str, to: &str) -> io::Result<bool> {
        let from = self.open_file(from, OFlags::RDONLY, 0)?;
        let to = self.open_file(to, OFlags::RDONLY, 0)?;
        let owned = copy_owner(&from, &to).is_ok();
        Ok(copy_extended(&from, &to).is_ok() && owned)
    }

    fn inherit_group(&self, path: &str, directory: &str) -> io::Result<()> {
        let parent = fs::fstat(&self.directory(directory)?)?;
        if !Mode::from_raw_mode(parent.st_mode).contains(Mode::SGID) {
            return Ok(());
        }
        let (holder, name) = self.place(path)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let made = fs::openat(&holder, name, flags, Mode::empty())?;
        match fs::fchown(&made, None, Some(Gid::from_raw(parent.st_gid))) {
            // Only a member of the group may give it away; the file keeps the group of its maker then.
            Err(Errno::PERM) => return Ok(()),
            given => given?,
        }
        let stat = fs::fstat(&made)?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            fs::fchmod(&made, Mode::from_raw_mode(stat.st_mode) | Mode::SGID)?;
        }
        Ok(())
    }

    fn append(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.open_file(path, OFlags::WRONLY | OFlags::APPEND, 0)?
            .write_all(bytes)
    }

    fn cut(&self, path: &str, bytes: u64) -> io::Result<()> {
        self.open_file(path, OFlags::WRONLY, 0)?.set_len(bytes)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.forget_where(&[from, to]);
        let (from_dir, from_name) = self.place(from)?;
        let (to_dir, to_name) = self.place(to)?;
        Ok(fs::renameat(&from_dir, from_name, &to_dir, to_name)?)
    }

    fn rename_new(&self, from: &str, to: &str) -> io::Result<()> {
        self.rename_with(from, to, RenameFlags::NOREPLACE)
    }

    fn exchange(&self, one: &str, other: &str) -> io::Result<()> {
        self.rename_with(one, other, RenameFlags::EXCHANGE)
    }

    fn link(&self, from: &str, to: &str) -> io::Result<()> {
        let (from_dir, from_name) = self.place(from)?;
        let (to_dir, to_name) = self.place(to)?;
        Ok(fs::linkat(
            &from_dir,
            from_name,
            &to_dir,
            to_name,
            AtFlags::empty(),
        )?)
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        self.forget_where(&[path]);
        let (directory, name) = self.place(path)?;
        Ok(fs::unlinkat(&directory, name, AtFlags::empty())?)
    }

    fn remove_dir(&self, path: &str) -> io::Result<()> {
        let (directory, name) = self.place(path)?;
        Ok(fs::unlinkat(&directory, name, AtFlags::REMOVEDIR)?)
    }

    fn touch(&self, path: &str) -> io::Result<()> {
        let file = self.open_file(path, OFlags::RDONLY, 0)?;
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: fs::UTIME_NOW,
        };
        // Both: of one alone only the owner may say that it is now.
        let both = Timestamps {
            last_access: now,
            last_modification: now,
        };
        Ok(fs::futimens(&file, &both)?)
    }

    fn sync(&self, path: &str) -> io::Result<()> {
        let synced = match self.directory(path) {
            Ok(directory) => fs::fsync(&directory),
            Err(error) if is(&error, Errno::NOTDIR) || is(&error, Errno::LOOP) => {
                let (directory, name) = self.place(path)?;
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
                fs::fsync(&fs::openat(&directory, name, flags, Mode::empty())?)
            }
            Err(error) => return Err(error),
        };
        Ok(synced?)
    }

    fn sync_all(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        return Ok(fs::syncfs(&self.root)?);
        #[cfg(not(target_os = "linux"))]
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// An opened file that is one of bytes.
fn regular(opened: OwnedFd) -> io::Result<File> {
    let stat = fs::fstat(&opened)?;
    if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
        Ok(File::from(opened))
    } else {
        Err(io::Error::other("not a regular file"))
    }
}

/// Reads a file of about `length` bytes, and no more of one that is longer than `limit`.
fn whole(file: &File, length: u64, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if length <= limit {
        // One byte more shows the end of the file in the read that fills the rest.
        let room = usize::try_from(length.saturating_add(1)).unwrap_or(usize::MAX);
        bytes.reserve_exact(room.min(MAX_AT_ONCE));
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    }
    if length.max(bytes.len() as u64) > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

fn look_of(stat: &fs::Stat) -> Look {
    Look {
        kind: match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Symlink => Kind::Link,
            FileType::Directory => Kind::Directory,
            _ => Kind::Other,
        },
        mode: stat.st_mode & 0o7777,
        bytes: u64::try_from(stat.st_size).unwrap_or(0),
        links: stat.st_nlink,
    }
}

fn is_link(directory: &OwnedFd, name: &str) -> bool {
    fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

fn is(error: &io::Error, errno: Errno) -> bool {
    error.raw_os_error() == Some(errno.raw_os_error())
}

fn copy_owner(from: &impl AsFd, to: &impl AsFd) -> io::Result<()> {
    let (old, new) = (fs::fstat(from)?, fs::fstat(to)?);
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid) {
        let (user, group) = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
        fs::fchown(to, Some(user), Some(group))?;
    }
    Ok(())
}

/// Copies extended attributes; a file system without them has none to copy.
fn copy_extended(from: &impl AsFd, to: &impl AsFd) -> io::Result<()> {
    // Most files have none, and then no room is needed.
    match fs::flistxattr_query(from) {
        Ok(0) | Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
        length => length?,
    };
    let mut names = vec![0; MAX_ATTRIBUTE_BYTES];
    let length = fs::flistxattr(from, &mut names[..])?;
    let mut value = vec![0; MAX_ATTRIBUTE_BYTES];
    for name in names[..length].split(|byte| *byte == 0) {
        if name.is_empty() {
            continue;
        }
        let length = fs::fgetxattr(from, name, &mut value[..])?;
        fs::fsetxattr(to, name, &value[..length], XattrFlags::empty())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
