//! The directory of a job, and changing its files so that a reader never sees half of one.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use soil::diagnostic::Code;

use super::hold::{Hold, is_missing, no_follow};
use super::record::Record;
use crate::failure::Failure;

/// The longest file of a job that is read.
///
/// # Units and bounds
/// Bytes: 64 MiB.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The file that makes a directory a job.
pub(crate) const RECORD: &str = "job.json";

/// The directory of a job.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Finds the job that a reference names.
    ///
    /// # Errors
    /// `job-not-running`, when the reference is no absolute path of a directory that this user owns and that holds a
    /// `job.json` of a known form.
    pub(crate) fn find(reference: &str) -> Result<Self, Failure> {
        Self::find_of(reference, rustix::process::geteuid().as_raw())
    }

    fn find_of(reference: &str, user: u32) -> Result<Self, Failure> {
        let path = PathBuf::from(reference);
        let foreign = |reason: &str| {
            let message = format!("`{reference}` is no job: {reason}");
            Failure::new(Code::JobNotRunning, message)
        };
        if !path.is_absolute() {
            return Err(foreign("it is no absolute path"));
        }
        let found = fs::symlink_metadata(&path).map_err(|error| foreign(&error.to_string()))?;
        if !found.is_dir() {
            return Err(foreign("it is no directory"));
        }
        let directory = Self { path };
        let record = fs::symlink_metadata(directory.path.join(RECORD));
        let record = record.map_err(|_| foreign("it holds no `job.json`"))?;
        if found.uid() != user || record.uid() != user {
            return Err(foreign("another user owns it"));
        }
        if directory.record()?.is_none() {
            return Err(foreign("its `job.json` has another form"));
        }
        Ok(directory)
    }

    /// Makes a directory that only this user can enter.
    pub(crate) fn create(path: PathBuf) -> Result<Self, Failure> {
        let mut builder = DirBuilder::new();
        builder.mode(0o700);
        builder
            .create(&path)
            .map_err(|error| Failure::io(&path, &error))?;
        Ok(Self { path })
    }

    /// Gives the directory its own name.
    ///
    /// # Errors
    /// `io`, when something has the name.
    pub(crate) fn rename(self, path: PathBuf) -> Result<Self, Failure> {
        fs::rename(&self.path, &path).map_err(|error| Failure::io(&path, &error))?;
        Ok(Self { path })
    }

    /// Removes the directory with all that it holds.
    ///
    /// # Errors
    /// `io`, when it cannot be removed.
    pub(crate) fn remove(&self) -> Result<(), Failure> {
        // The record goes first, so that what a killed removal leaves is no job.
        let record = self.path.join(RECORD);
        fs::remove_file(&record)
            .and_then(|()| fs::remove_dir_all(&self.path))
            .map_err(|error| Failure::io(&self.path, &error))
    }

    /// Gives the path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the lock that is held for the whole of a call.
    ///
    /// # Errors
    /// `io`, when another call holds it for longer than is waited.
    pub(crate) fn hold(&self) -> Result<Hold, Failure> {
        Hold::take(&self.path.join("lock"))
    }

    /// Reads `job.json`; none when it is missing or of another form.
    ///
    /// # Errors
    /// `io`, when it cannot be read.
    pub(crate) fn record(&self) -> Result<Option<Record>, Failure> {
        let bytes = self.read(RECORD)?;
        Ok(bytes.and_then(|bytes| Record::read(&bytes)))
    }

    /// Writes `job.json`.
    ///
    /// # Errors
    /// `io`, when it cannot be written.
    pub(crate) fn set_record(&self, record: &Record) -> Result<(), Failure> {
        self.replace(RECORD, record.text().as_bytes())
    }

    /// Reads a file; none when it is missing.
    ///
    /// # Errors
    /// `io`, when it is a link, too long or cannot be read.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        read(&self.path.join(name))
    }

    /// Puts a text in the place of a file, or makes it.
    ///
    /// # Errors
    /// `io`, when it cannot be written.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        replace(&self.path.join(name), bytes, 0o600)
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// `io`, when it cannot be removed.
    pub(crate) fn remove_file(&self, name: &str) -> Result<(), Failure> {
        remove_file(&self.path.join(name))
    }
}

/// Removes a file, if it is there.
///
/// # Errors
/// `io`, when it cannot be removed.
pub(super) fn remove_file(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if !is_missing(&error) => Err(Failure::io(path, &error)),
        _ => Ok(()),
    }
}

/// Reads a regular file whole; none when it is missing.
///
/// # Errors
/// `io`, when it is a link, too long or cannot be read.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match read_bounded(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(Failure::io(path, &error)),
    }
}

fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    let file = open_regular(&mut options, path)?;
    // One byte more than it has, so that the second read says that there is no more.
    let expected = file.metadata()?.len().min(MAX_FILE_BYTES) + 1;
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(io::Error::other(format!(
            "it is longer than {MAX_FILE_BYTES} bytes"
        )));
    }
    Ok(bytes)
}

/// Opens a regular file and nothing else: a link is refused, and a pipe that nobody is at the other end of is not waited for.
///
/// # Errors
/// What the system says, and that it is something else.
pub(super) fn open_regular(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.custom_flags(no_follow()).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::other("it is no regular file"))
}

/// Puts a text in the place of a file: whoever opens it sees the old text or the new one, and nothing else.
///
/// The caller holds a lock, so the name of the file beside it is free; one that an ended process left is written over.
///
/// # Errors
/// `io`, when it cannot be written.
pub(crate) fn replace(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.new"));
    let written = match write_new(&beside, bytes, mode) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_file(&beside).and_then(|()| write_new(&beside, bytes, mode))
        }
        other => other,
    };
    written
        .and_then(|()| fs::rename(&beside, path))
        .map_err(|error| Failure::io(path, &error))
}

/// Writes a file that is not there yet.
///
/// # Errors
/// `io`, when something has its name, or it cannot be written.
pub(super) fn create_file(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Failure> {
    write_new(path, bytes, mode).map_err(|error| Failure::io(path, &error))
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut file: File = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_of_another_user_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().to_str().expect("a text");
        fs::write(folder.path().join(RECORD), "{}").expect("it is written");
        let own = fs::metadata(folder.path()).expect("it is there").uid();
        for (user, reason) in [
            (own, "its `job.json` has another form"),
            (own.wrapping_add(1), "another user owns it"),
        ] {
            let failure = Directory::find_of(path, user).expect_err("it is no job");
            assert!(failure.has(Code::JobNotRunning));
            assert!(failure.first_message().ends_with(reason), "{failure:?}");
        }
    }
}
