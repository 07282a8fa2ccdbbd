//! Removing a folder that a tool has filled, however deep, wide and closed it has made it.
//!
//! Nothing is followed and nothing recurses: files go by their name in an open folder, and a folder inside a folder is
//! moved up to the root before its own turn comes. So two descriptors and no stack are enough for any depth, and the work
//! can stop at any moment and go on later.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, chmodat, openat, renameat, rmdir, unlinkat};
use rustix::io::{self, Errno};

use super::super::clock::Moment;
use super::name;

/// Entries that are removed between two looks at the clock.
const ENTRIES_PER_LOOK: usize = 64;

/// How often a pass over the root may find nothing to do and still not be the last one.
const IDLE_PASSES: u32 = 3;

/// How far a removal has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Removal {
    Whole,
    InPart,
}

/// Removes a folder and everything in it, until a moment has come.
pub(super) fn remove(root: &Path, until: Option<Moment>) -> io::Result<Removal> {
    // Most tools leave nothing behind; then this is the whole work.
    match rmdir(root) {
        Ok(()) | Err(Errno::NOENT) => return Ok(Removal::Whole),
        Err(_) => {}
    }
    let mut sweep = Sweep {
        root: open(CWD, root)?,
        until,
        done: 0,
    };
    let mut idle_passes = 0;
    loop {
        let before = sweep.done;
        if sweep.pass()? == Removal::InPart {
            return Ok(Removal::InPart);
        }
        match rmdir(root) {
            Ok(()) | Err(Errno::NOENT) => return Ok(Removal::Whole),
            Err(Errno::NOTEMPTY | Errno::EXIST) if sweep.done != before => {
                idle_passes = 0;
            }
            // What was moved or removed while it was listed may have hidden another entry.
            Err(Errno::NOTEMPTY | Errno::EXIST) if idle_passes < IDLE_PASSES => idle_passes += 1,
            Err(error) => return Err(error),
        }
    }
}

struct Sweep {
    root: OwnedFd,
    until: Option<Moment>,
    /// Entries removed or moved so far.
    done: usize,
}

impl Sweep {
    /// Goes once over what lies in the root.
    fn pass(&mut self) -> io::Result<Removal> {
        for entry in Dir::read_from(&self.root)? {
            let entry = entry?;
            let found = entry.file_name();
            if is_link_to_itself(found) {
                continue;
            }
            if !remove_entry(self.root.as_fd(), found)? {
                if self.empty(found)? == Removal::InPart {
                    return Ok(Removal::InPart);
                }
                remove_entry(self.root.as_fd(), found)?;
            }
            if self.count_and_look() {
                return Ok(Removal::InPart);
            }
        }
        Ok(Removal::Whole)
    }

    /// Removes the files of a folder in the root, and moves its folders up.
    fn empty(&mut self, name: &CStr) -> io::Result<Removal> {
        let folder = open(self.root.as_fd(), name)?;
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let found = entry.file_name();
            if is_link_to_itself(found) {
                continue;
            }
            if !remove_entry(folder.as_fd(), found)? {
                // Moving changes what `..` is in it, so it has to be writable itself.
                chmodat(&folder, found, Mode::RWXU, AtFlags::empty())?;
                renameat(&folder, found, &self.root, name::unused())?;
            }
            if self.count_and_look() {
                return Ok(Removal::InPart);
            }
        }
        Ok(Removal::Whole)
    }

    /// Counts an entry, and returns whether there is no time for another one.
    fn count_and_look(&mut self) -> bool {
        self.done += 1;
        self.done.is_multiple_of(ENTRIES_PER_LOOK)
            && self.until.is_some_and(|until| Moment::now() >= until)
    }
}

/// Removes a file, a link or an empty folder; returns whether it is gone.
fn remove_entry(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(true),
        // The answers for a folder.
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(error) => return Err(error),
    }
    match unlinkat(folder, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens a folder, itself and no link to it, after giving its owner the rights that the tool may have taken.
fn open<P: rustix::path::Arg + Copy>(folder: impl AsFd, path: P) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(&folder, path, flags, Mode::empty());
    let opened = match opened {
        Err(Errno::ACCESS) => {
            // The tree has ended, so nobody can put a link in its place between the two calls.
            chmodat(&folder, path, Mode::RWXU, AtFlags::empty())?;
            openat(&folder, path, flags, Mode::empty())?
        }
        result => result?,
    };
    rustix::fs::fchmod(&opened, Mode::RWXU)?;
    Ok(opened)
}

fn is_link_to_itself(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::Duration;

    #[test]
    fn depth_width_links_and_missing_rights_are_no_obstacle() {
        let base = tempfile::tempdir().expect("a folder");
        let root = base.path().join("root");
        fs::create_dir(&root).expect("made");
        let mut deep = open(CWD, &root).expect("opened");
        for _ in 0..1_200 {
            rustix::fs::mkdirat(&deep, "deeper", Mode::RWXU).expect("made");
            deep = open(deep.as_fd(), "deeper").expect("opened");
        }
        for number in 0..50 {
            let folder = root.join(format!("wide-{number}"));
            fs::create_dir_all(folder.join("a/b")).expect("made");
            fs::write(folder.join("a/file"), "text").expect("written");
            fs::set_permissions(folder.join("a"), Permissions::from_mode(0o000)).expect("closed");
        }
        let kept = base.path().join("kept");
        fs::create_dir(&kept).expect("made");
        fs::write(kept.join("file"), "text").expect("written");
        symlink(&kept, root.join("link")).expect("linked");
        assert_eq!(remove(&root, None), Ok(Removal::Whole));
        assert!(!root.exists() && kept.join("file").exists());
        assert_eq!(
            remove(&root, None),
            Ok(Removal::Whole),
            "what is gone is gone"
        );
    }

    #[test]
    fn a_removal_stops_in_time_and_goes_on_later() {
        let base = tempfile::tempdir().expect("a folder");
        let root = base.path().join("root");
        fs::create_dir(&root).expect("made");
        for number in 0..400 {
            fs::write(root.join(number.to_string()), "").expect("written");
        }
        let past = Moment::now();
        assert_eq!(remove(&root, Some(past)), Ok(Removal::InPart));
        let left = fs::read_dir(&root).expect("there").count();
        assert!((1..400).contains(&left), "{left}");
        let future = past.plus(Duration::from_mins(1));
        assert_eq!(remove(&root, Some(future)), Ok(Removal::Whole));
    }
}
