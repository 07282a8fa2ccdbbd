//! Where jobs stand: below the root of their project, unless the host names another folder.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use soil::diagnostic::Code;

use super::directory::{self, Directory, RECORD};
use super::hold::{Hold, is_missing};
use super::record::Record;
use crate::failure::Failure;

/// The folder of a project that holds what is no part of it.
const STATE: &str = ".lonis";

/// The lock under which the files of a project are written, in that folder.
const WRITE_LOCK: &str = "write.lock";

/// What version control overlooks of a project that does not say so itself: logs and questions of its modules.
const OVERLOOKED: &str =
    "# What lonis-checker leaves beside specs.\n/*.log\n/*/*.log\n*.question.json\n";

/// The folder of jobs.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    path: PathBuf,
}

/// A place to which nobody else adds a job meanwhile.
#[derive(Debug)]
pub(crate) struct HeldPlace {
    place: Place,
    _hold: Hold,
}

impl Place {
    /// Gives the folder that the host names, or that of the project.
    pub(crate) fn of(root: &Path, jobs: Option<&Path>) -> Self {
        let path = match jobs {
            Some(jobs) => std::path::absolute(jobs).unwrap_or_else(|_| jobs.to_path_buf()),
            None => root.join(STATE).join("jobs"),
        };
        Self { path }
    }

    /// Makes the folder where it is missing, and takes it.
    ///
    /// # Errors
    /// `io`, when it cannot be made or is held for too long.
    pub(crate) fn hold(self, root: &Path) -> Result<HeldPlace, Failure> {
        if self.path.starts_with(root.join(STATE)) {
            make_state(root)?;
            make_own(&self.path)?;
        } else {
            make(&self.path)?;
        }
        let hold = Hold::take(&self.path.join(".lock"))?;
        Ok(HeldPlace {
            place: self,
            _hold: hold,
        })
    }

    /// Lists the jobs, sorted by the names of their directories.
    ///
    /// # Errors
    /// `io`, when the folder cannot be read.
    pub(crate) fn jobs(&self) -> Result<Vec<(Directory, Record)>, Failure> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            Err(error) => return Err(Failure::io(&self.path, &error)),
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort_unstable();
        let paths = paths.iter().filter(|path| path.join(RECORD).is_file());
        let found = paths.filter_map(|path| {
            let directory = Directory::find(path.to_str()?).ok()?;
            let record = directory.record().ok()??;
            Some((directory, record))
        });
        Ok(found.collect())
    }

    /// Gives the directory that a reference names: a path, or a name in this folder.
    pub(crate) fn path_of(&self, reference: &str) -> PathBuf {
        self.path.join(reference)
    }
}

impl HeldPlace {
    /// Makes an empty directory for a job that is being opened; one that an ended process left is removed.
    ///
    /// # Errors
    /// `io`, when it cannot be made.
    pub(crate) fn begin(&self) -> Result<Directory, Failure> {
        let path = self.place.path.join(".new");
        match fs::remove_dir_all(&path) {
            Err(error) if !is_missing(&error) => return Err(Failure::io(&path, &error)),
            _ => {}
        }
        Directory::create(path)
    }

    /// Gives the path that the next job of a definition gets: that with the least free number.
    pub(crate) fn free(&self, module: &str, name: &str) -> PathBuf {
        let mut numbers = 1_u64..;
        let free = numbers.find_map(|number| {
            let path = self.place.path.join(format!("{module}.{name}.{number}"));
            path.symlink_metadata().is_err().then_some(path)
        });
        free.expect("no folder has as many entries as there are numbers")
    }
}

/// Takes the lock under which a project is written to.
///
/// # Errors
/// `io`, when another process holds it for longer than is waited.
pub(crate) fn hold_for_writing(root: &Path) -> Result<Hold, Failure> {
    make_state(root)?;
    Hold::take(&root.join(STATE).join(WRITE_LOCK))
}

/// Lets version control overlook what stands beside specs and is no part of the project; a project that has a `.gitignore` is
/// left as it is.
pub(super) fn overlook_traces(root: &Path) {
    // A project in which nothing can be written has no logs and no questions either.
    let _ = directory::create_file(&root.join(".gitignore"), OVERLOOKED.as_bytes(), 0o644);
}

/// Gives a file among what is no part of a project.
pub(super) fn state_file(root: &Path, name: &str) -> PathBuf {
    root.join(STATE).join(name)
}

/// Makes the folder of a project that version control does not see.
fn make_state(root: &Path) -> Result<(), Failure> {
    let path = root.join(STATE);
    make_own(&path)?;
    let ignore = path.join(".gitignore");
    if ignore.symlink_metadata().is_ok() {
        return Ok(());
    }
    // The first ones to use a project may come at once: one of them writes it.
    let _hold = Hold::take(&path.join(WRITE_LOCK))?;
    if ignore.symlink_metadata().is_ok() {
        return Ok(());
    }
    directory::replace(&ignore, b"*\n", 0o644)
}

fn make(path: &Path) -> Result<(), Failure> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder
        .create(path)
        .map_err(|error| Failure::io(path, &error))
}

/// Makes a folder of the project, which is no link: a project that somebody else wrote must not lead out of itself.
fn make_own(path: &Path) -> Result<(), Failure> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => {
            let message = format!("`{}` is no folder", path.display());
            Err(Failure::new(Code::Io, message))
        }
        Err(_) => make(path),
    }
}
