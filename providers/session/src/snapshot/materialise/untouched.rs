//! Whether a tree is just what its manifest says, by one look at each name. Whatever is in doubt is a no, and is then looked into.

use std::num::NonZero;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::manifest::Held;
use crate::beneath::{self, Name};
use crate::snapshot::stat_cache::Known;
use crate::store::disk::Kind;

/// Of fewer directories than this, one thread is done before another has started.
const HELPED_FROM: usize = 16;

/// More threads than this only wait for the file system.
const MAX_THREADS: usize = 8;

/// A directory, and the files of the manifest at and below it.
struct Directory<'h> {
    /// With a slash at its end; empty for the root.
    path: &'h str,
    below: Range<usize>,
}

/// Whether all files of a manifest stand below a root as it says, and nothing else does.
pub(super) fn is_untouched(root: BorrowedFd<'_>, held: &Held) -> bool {
    let directories = directories(&held.files);
    let (next, found) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let differs = AtomicBool::new(false);
    let look = || {
        while !differs.load(Ordering::Relaxed)
            && let Some(directory) = directories.get(next.fetch_add(1, Ordering::Relaxed))
        {
            match trusted(root, held, directory) {
                Some(files) => _ = found.fetch_add(files, Ordering::Relaxed),
                None => differs.store(true, Ordering::Relaxed),
            }
        }
    };
    let threads = match directories.len() {
        0..HELPED_FROM => 1,
        _ => thread::available_parallelism().map_or(1, NonZero::get),
    };
    // They are joined at the end of the scope, when no directory is left.
    thread::scope(|scope| {
        for _ in 1..threads.min(MAX_THREADS) {
            // Where the system makes no more threads, this one looks alone.
            let _ = thread::Builder::new().spawn_scoped(scope, look);
        }
        look();
    });
    !differs.into_inner() && found.into_inner() == held.files.len()
}

/// The root and every directory that a path goes through, of files that ascend.
fn directories(files: &[Known]) -> Vec<Directory<'_>> {
    let mut directories = vec![Directory {
        path: "",
        below: 0..files.len(),
    }];
    let mut last = "";
    for (start, known) in files.iter().enumerate() {
        let path = known.path.as_str();
        for (slash, _) in path.match_indices('/') {
            let directory = &path[..=slash];
            if !last.starts_with(directory) {
                directories.push(Directory {
                    path: directory,
                    below: start..start + count_below(&files[start..], directory),
                });
            }
        }
        last = path;
    }
    directories
}

/// How many of ascending files come before the first that is not below a directory.
fn count_below(files: &[Known], directory: &str) -> usize {
    files.partition_point(|known| known.path.as_str().starts_with(directory))
}

/// How many files stand directly in a directory; `None` where any name is not just as it has to be.
fn trusted(root: BorrowedFd<'_>, held: &Held, directory: &Directory<'_>) -> Option<usize> {
    let files = &held.files[directory.below.clone()];
    let handle = beneath::open_directory(root, directory.path.trim_end_matches('/')).ok()?;
    let mut path = directory.path.to_owned();
    let mut found = 0;
    for Name { bytes, kind } in beneath::names(handle.as_fd()).ok()? {
        path.truncate(directory.path.len());
        path.push_str(std::str::from_utf8(&bytes).ok()?);
        if kind == Some(Kind::Directory) {
            path.push('/');
            let at = files.partition_point(|known| known.path.as_str() < &*path);
            let first = files.get(at)?;
            first.path.as_str().starts_with(&*path).then_some(())?;
            continue;
        }
        let stat = beneath::stat_at(handle.as_fd(), &bytes).ok()?;
        let at = files.binary_search_by(|known| known.path.as_str().cmp(&path));
        held.trusts(&files[at.ok()?], &stat).then_some(())?;
        found += 1;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::super::manifest::State;
    use super::*;
    use crate::beneath::Stamp;
    use crate::identity::{Domain, Identity};
    use crate::path::WorkspacePath;

    /// What is done to a tree, and its name.
    type Change = (&'static str, fn(&Path));

    /// Some files, more directories than one thread is given, and a manifest of them that was written long after.
    fn planted(root: &Path) -> Held {
        let mut paths = vec!["a".to_owned(), "a.b".to_owned(), "link".to_owned()];
        paths.extend((0..40).map(|number| format!("d{}/e{number}/f", number % 3)));
        for path in &paths {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if path.ends_with("link") {
                symlink("a", path).unwrap();
            } else {
                fs::write(path, "text").unwrap();
            }
        }
        let directory = fs::File::open(root).unwrap();
        let known = |path: &String| Known {
            path: WorkspacePath::new(path).unwrap(),
            stat: {
                let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
                let parent = beneath::open_directory(directory.as_fd(), parent).unwrap();
                beneath::stat_at(parent.as_fd(), name.as_bytes()).unwrap()
            },
            blob: Identity::of(Domain::Blob, b"text"),
        };
        let files = paths.iter().map(known).collect();
        let snapshot = Identity::of(Domain::Snapshot, b"");
        let mut held = Held::new(State::Clean, snapshot, files);
        held.written = Stamp {
            seconds: i64::MAX / 2,
            nanoseconds: 0,
        };
        held
    }

    #[test]
    fn only_a_tree_in_which_each_name_is_as_it_was_is_untouched() {
        let changes: &[Change] = &[
            ("a file", |root| {
                fs::write(root.join("d1/e1/new"), "").unwrap();
            }),
            ("a directory", |root| {
                fs::create_dir(root.join("d1/new")).unwrap();
            }),
            ("a directory beside a file", |root| {
                fs::create_dir(root.join("d0/e0/f.d")).unwrap();
            }),
            ("a removal", |root| {
                fs::remove_file(root.join("d2/e2/f")).unwrap();
            }),
            ("a directory in the place of a file", |root| {
                fs::remove_file(root.join("a")).unwrap();
                fs::create_dir(root.join("a")).unwrap();
            }),
            ("a link in the place of a directory", |root| {
                fs::rename(root.join("d1"), root.with_extension("aside")).unwrap();
                symlink(root.with_extension("aside"), root.join("d1")).unwrap();
            }),
            ("bytes", |root| {
                fs::write(root.join("d0/e39/f"), "texts").unwrap();
            }),
            ("rights", |root| {
                let mode = fs::Permissions::from_mode(0o755);
                fs::set_permissions(root.join("a.b"), mode).unwrap();
            }),
            ("a name that is no text", |root| {
                use std::os::unix::ffi::OsStrExt;
                let name = std::ffi::OsStr::from_bytes(b"\xff");
                // Not every file system takes such a name.
                if fs::write(root.join(name), "").is_err() {
                    fs::write(root.join("text"), "").unwrap();
                }
            }),
        ];
        for (what, change) in changes {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().join("tree");
            fs::create_dir(&root).unwrap();
            let held = planted(&root);
            let open = || fs::File::open(&root).unwrap();
            assert!(is_untouched(open().as_fd(), &held), "before {what}");
            change(&root);
            assert!(!is_untouched(open().as_fd(), &held), "after {what}");
        }
    }

    #[test]
    fn a_file_whose_stamps_are_younger_than_the_manifest_is_in_doubt() {
        let folder = tempfile::tempdir().unwrap();
        let mut held = planted(folder.path());
        held.written = Stamp::default();
        let root = fs::File::open(folder.path()).unwrap();
        assert!(!is_untouched(root.as_fd(), &held));
    }
}
