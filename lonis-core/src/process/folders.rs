//! The private folders of one call: empty at its start, nobody else's, gone after the reap.

mod base;
mod late;
mod name;
mod removal;

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::clock::Moment;
use super::failure::{ProcessError, StartPart};
use super::shown::Shown;
use super::system_error::SystemError;
use late::Late;
pub use late::finish_removals;
use removal::Removal;

/// How often a name that is taken already is replaced by another.
const NAME_ATTEMPTS: u32 = 16;

/// One call's own folders.
#[derive(Debug)]
pub(crate) struct Folders {
    root: PathBuf,
    with_home: bool,
    is_gone: bool,
    /// Present once the call has stopped waiting for the removal.
    late: Option<Late>,
}

/// How far a removal has come.
#[derive(Debug)]
pub(crate) enum Removed {
    /// Nothing is left.
    Whole,
    /// There is more than could be removed in time.
    InPart(Folders),
    /// What is left cannot be removed, and why.
    Refused(String),
}

impl Folders {
    /// The names of [`Folders::variables`].
    pub(crate) const VARIABLES: [&str; 3] = ["HOME", "TMPDIR", "LANG"];

    /// Makes the folders of a call below a directory, or where such folders usually are.
    ///
    /// With `home` there are three, side by side: the working directory, the home and the temporary one.
    pub(crate) fn create(below: Option<&Path>, with_home: bool) -> Result<Self, ProcessError> {
        let refused = |path: &Path, error: &io::Error| ProcessError::Start {
            part: StartPart::WorkingDirectory,
            path: Some(path.to_owned()),
            error: SystemError::new("create a private folder", error.raw_os_error().unwrap_or(0)),
        };
        let below = below.unwrap_or_else(|| base::usual(with_home));
        let root = create_root(below).map_err(|error| refused(below, &error))?;
        // From here on the root goes with the value, also when a folder below it cannot be made.
        let folders = Self {
            root,
            with_home,
            is_gone: false,
            late: None,
        };
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

    /// Removes what can be removed until a moment has come, everything if there is none.
    pub(crate) fn remove(mut self, until: Option<Moment>) -> Removed {
        match removal::remove(&self.root, until) {
            Ok(Removal::Whole) => {
                self.is_gone = true;
                Removed::Whole
            }
            Ok(Removal::InPart) => {
                self.late.get_or_insert_with(Late::begin);
                Removed::InPart(self)
            }
            Err(error) => {
                // A second attempt would not get further.
                self.is_gone = true;
                Removed::Refused(format!(
                    "private folder `{}` could not be removed: {error}",
                    Shown::new(&self.root)
                ))
            }
        }
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        if !self.is_gone {
            // A call that was never started has nobody to tell.
            let _ = removal::remove(&self.root, None);
        }
    }
}

fn create_root(below: &Path) -> io::Result<PathBuf> {
    let mut attempts = 0;
    loop {
        let path = below.join(name::unused());
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn folders_are_private_and_go_with_what_is_in_them() {
        let base = tempfile::tempdir().expect("a folder");
        for with_home in [false, true] {
            let folders = Folders::create(Some(base.path()), with_home).expect("made");
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
            assert!(matches!(folders.remove(None), Removed::Whole));
            assert!(!root.exists());
        }
        assert_eq!(fs::read_dir(base.path()).expect("there").count(), 0);
    }

    #[test]
    fn links_are_removed_and_not_followed() {
        let base = tempfile::tempdir().expect("a folder");
        let kept = base.path().join("kept");
        fs::write(&kept, "text").expect("written");
        let folders = Folders::create(Some(base.path()), false).expect("made");
        std::os::unix::fs::symlink(base.path(), folders.working().join("link")).expect("linked");
        assert!(matches!(folders.remove(None), Removed::Whole));
        assert_eq!(fs::read_to_string(&kept).expect("there"), "text");
    }

    #[test]
    fn a_missing_base_names_it() {
        let error = Folders::create(Some(Path::new("/nonexistent")), false).expect_err("no base");
        assert!(matches!(
            error,
            ProcessError::Start {
                part: StartPart::WorkingDirectory,
                ..
            }
        ));
    }
}
