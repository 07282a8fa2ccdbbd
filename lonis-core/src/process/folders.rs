//! The private folders of one call: empty at its start, nobody else's, gone after the reap.

use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, Permissions};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::failure::{ProcessError, StartPart};
use super::system_error::SystemError;

/// How often a name that is taken already is replaced by another.
const NAME_ATTEMPTS: u32 = 16;

/// One call's own folders.
#[derive(Debug)]
pub(crate) struct Folders {
    root: PathBuf,
    with_home: bool,
}

impl Folders {
    /// The names of [`Folders::variables`].
    pub(crate) const VARIABLES: [&str; 3] = ["HOME", "TMPDIR", "LANG"];

    /// Makes the folders of a call below a temporary directory.
    ///
    /// With `home` there are three, side by side: the working directory, the home and the temporary one.
    pub(crate) fn create(temporary: &Path, with_home: bool) -> Result<Self, ProcessError> {
        let refused = |path: &Path, error: &io::Error| ProcessError::Start {
            part: StartPart::WorkingDirectory,
            path: Some(path.to_owned()),
            error: SystemError::new("create a private folder", error.raw_os_error().unwrap_or(0)),
        };
        let root = create_root(temporary).map_err(|error| refused(temporary, &error))?;
        // From here on the root goes with the value, also when a folder below it cannot be made.
        let folders = Self { root, with_home };
        if with_home {
            for folder in [folders.working(), folders.home(), folders.temporary()] {
                create(&folder).map_err(|error| refused(&folder, &error))?;
            }
        }
        Ok(folders)
    }

    /// Returns the working directory.
    pub(crate) fn working(&self) -> PathBuf {
        if self.with_home {
            self.root.join("work")
        } else {
            self.root.clone()
        }
    }

    /// Returns the variables that name these folders.
    pub(crate) fn variables(&self) -> [(&'static str, OsString); 3] {
        let [home, temporary, language] = Self::VARIABLES;
        [
            (home, self.home().into_os_string()),
            (temporary, self.temporary().into_os_string()),
            (language, OsString::from("C.UTF-8")),
        ]
    }

    /// Returns the folder that holds all of them.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Removes everything, and returns what kept it from that.
    pub(crate) fn remove(self) -> Result<(), String> {
        let root = self.root.clone();
        std::mem::forget(self);
        remove(&root).map_err(|error| {
            format!(
                "private folder `{}` could not be removed: {error}",
                root.display()
            )
        })
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        // A call that was never started has nobody to tell; the next user of the temporary directory finds the folder.
        let _ = remove(&self.root);
    }
}

fn create_root(temporary: &Path) -> io::Result<PathBuf> {
    let mut attempts = 0;
    loop {
        let path = temporary.join(unused_name());
        match create(&path) {
            // Making a directory never follows a link, so a name that somebody has taken before us is only in the way.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && attempts < NAME_ATTEMPTS => {
                attempts += 1;
            }
            result => return result.map(|()| path),
        }
    }
}

fn create(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

fn unused_name() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    // Seeded at random for each process, so that names cannot be taken in advance.
    static SEED: std::sync::OnceLock<RandomState> = std::sync::OnceLock::new();
    let mut hasher = SEED.get_or_init(RandomState::new).build_hasher();
    hasher.write_u64(NUMBER.fetch_add(1, Ordering::Relaxed));
    format!("lonis-{:016x}", hasher.finish())
}

fn remove(root: &Path) -> io::Result<()> {
    // Most tools leave nothing behind; then this is the whole work.
    match fs::remove_dir(root) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(_) => {}
    }
    // The standard library removes without following links, also those put in place while it works.
    match fs::remove_dir_all(root) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            make_writable(root);
            fs::remove_dir_all(root)
        }
        result => result,
    }
}

/// Gives the owner all rights on a folder and what lies below it. The tree has ended, so nobody races with this.
fn make_writable(folder: &Path) {
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        // What cannot be changed fails the removal that follows, which reports it.
        let _ = fs::set_permissions(&folder, Permissions::from_mode(0o700));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        waiting.extend(entries.filter(is_folder).map(|entry| entry.path()));
    }
}

fn is_folder(entry: &fs::DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_private_and_go_with_what_is_in_them() {
        let base = tempfile::tempdir().expect("a folder");
        for with_home in [false, true] {
            let folders = Folders::create(base.path(), with_home).expect("made");
            let root = folders.root().to_owned();
            let mode = fs::metadata(folders.working())
                .expect("there")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o700);
            let deep = folders.working().join("a/b");
            fs::create_dir_all(&deep).expect("made");
            fs::write(deep.join("file"), "text").expect("written");
            fs::set_permissions(&deep, Permissions::from_mode(0o500)).expect("closed");
            folders.remove().expect("removed");
            assert!(!root.exists());
        }
        assert_eq!(fs::read_dir(base.path()).expect("there").count(), 0);
    }

    #[test]
    fn links_are_removed_and_not_followed() {
        let base = tempfile::tempdir().expect("a folder");
        let kept = base.path().join("kept");
        fs::write(&kept, "text").expect("written");
        let folders = Folders::create(base.path(), false).expect("made");
        std::os::unix::fs::symlink(base.path(), folders.working().join("link")).expect("linked");
        folders.remove().expect("removed");
        assert_eq!(fs::read_to_string(&kept).expect("there"), "text");
    }

    #[test]
    fn a_missing_base_names_it() {
        let error = Folders::create(Path::new("/nonexistent"), false).expect_err("no base");
        assert!(matches!(
            error,
            ProcessError::Start {
                part: StartPart::WorkingDirectory,
                ..
            }
        ));
    }
}
