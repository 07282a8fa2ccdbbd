//! What an executable is on this machine, to notice that it was replaced.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Bytes of a file that are enough for its first line: the kernel reads no more of it either.
const HEAD_BYTES: usize = 256;

/// Which file an executable is: equal as long as neither it nor its interpreter is replaced or changed.
///
/// # Units and bounds
/// Times in nanoseconds, as the system keeps them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExecutableIdentity {
    file: FileIdentity,
    script: Option<Script>,
}

/// What makes a file a script.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Script {
    /// Its first line, behind the mark of a script.
    line: Vec<u8>,
    /// What runs it, and what that was told to run.
    interpreters: Vec<FileIdentity>,
}

/// Which file stands at a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// The path that was looked at.
    pub path: PathBuf,
    /// The device that the file is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// When its content was changed.
    pub modified_nanos: i128,
    /// When anything about it was changed.
    pub changed_nanos: i128,
}

impl ExecutableIdentity {
    /// Looks at a program, and at the interpreter of a script.
    ///
    /// `path` is the `PATH` that the program gets, in which `env` looks for an interpreter.
    ///
    /// # Errors
    /// What the system says where the program cannot be looked at. An interpreter that cannot be is left out.
    pub fn of(program: &Path, path: Option<&OsStr>) -> io::Result<Self> {
        Ok(Self::of_file(FileIdentity::of(program)?, path))
    }

    /// Looks at the first line of a file, and at the interpreter of a script.
    pub(crate) fn of_file(file: FileIdentity, path: Option<&OsStr>) -> Self {
        let line = first_line(&file.path);
        Self::with_line(file, line.as_deref(), path)
    }

    /// Looks at the interpreter of a file whose first line is known, behind the mark of a script.
    pub(crate) fn with_line(file: FileIdentity, line: Option<&[u8]>, path: Option<&OsStr>) -> Self {
        let script = line.map(|line| Script {
            line: line.to_vec(),
            interpreters: interpreters(line, path)
                .iter()
                .filter_map(|interpreter| FileIdentity::of(interpreter).ok())
                .collect(),
        });
        Self { file, script }
    }

    /// Returns the first line of a script, behind its mark.
    pub(crate) fn line(&self) -> Option<&[u8]> {
        self.script.as_ref().map(|script| script.line.as_slice())
    }

    /// Returns what runs a script.
    pub(crate) fn interpreters(&self) -> &[FileIdentity] {
        self.script
            .as_ref()
            .map_or(&[], |script| script.interpreters.as_slice())
    }

    /// Returns whether the executable at this path is still this one.
    pub fn is_current(&self, program: &Path) -> bool {
        FileIdentity::of(program).is_ok_and(|file| self.is_still(&file))
    }

    /// Returns whether this is the executable of a file that was just looked at.
    pub(crate) fn is_still(&self, file: &FileIdentity) -> bool {
        let is_same =
            |file: &FileIdentity| FileIdentity::of(&file.path).is_ok_and(|now| now == *file);
        self.file == *file && self.interpreters().iter().all(is_same)
    }

    /// Returns the file itself, whatever runs it.
    pub(crate) fn file(&self) -> &FileIdentity {
        &self.file
    }

    /// Returns the files that are looked at, the program first.
    pub fn files(&self) -> impl Iterator<Item = &FileIdentity> {
        std::iter::once(&self.file).chain(self.interpreters())
    }
}

impl FileIdentity {
    fn of(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|metadata| Self::of_metadata(path, &metadata))
    }

    /// Says which file was seen at a path.
    pub(crate) fn of_metadata(path: &Path, metadata: &Metadata) -> Self {
        let nanos =
            |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        Self {
            path: path.to_owned(),
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified_nanos: nanos(metadata.mtime(), metadata.mtime_nsec()),
            changed_nanos: nanos(metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// Returns the first line of a script, behind its mark.
fn first_line(program: &Path) -> Option<Vec<u8>> {
    let mut head = [0; HEAD_BYTES];
    // A program that may be executed and not read is no script that anything could run. Of a file one read gives as
    // much as there is.
    let read = File::open(program).and_then(|mut file| file.read(&mut head));
    let line = head[..read.unwrap_or_default()]
        .strip_prefix(b"#!")
        .and_then(|rest| rest.split(|byte| *byte == b'\n').next())?;
    Some(line.to_vec())
}

/// Returns what the first line of a script names: the interpreter, and behind `env` the one that is meant.
fn interpreters(line: &[u8], path: Option<&OsStr>) -> Vec<PathBuf> {
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let Some(interpreter) = words.next() else {
        return Vec::new();
    };
    let interpreter = PathBuf::from(OsString::from_vec(interpreter.to_vec()));
    let is_env = interpreter.file_name() == Some(OsStr::new("env"));
    // Options of `env` and the variables that it sets stand before the name.
    let meant = words.find(|word| is_env && !word.starts_with(b"-") && !word.contains(&b'='));
    let found = meant.and_then(|name| find(OsStr::from_bytes(name), path?));
    std::iter::once(interpreter).chain(found).collect()
}

fn find(name: &OsStr, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path)
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(identity: &ExecutableIdentity) -> Vec<&OsStr> {
        identity
            .files()
            .filter_map(|file| file.path.file_name())
            .collect()
    }

    #[test]
    fn a_script_is_known_with_what_runs_it() {
        let folder = tempfile::tempdir().unwrap();
        let (tool, python, env) = (
            folder.path().join("tool"),
            folder.path().join("python"),
            folder.path().join("env"),
        );
        fs::write(&python, "").unwrap();
        fs::write(&env, "").unwrap();
        let path = Some(folder.path().as_os_str());
        let check = |first_line: String, expected: &[&str]| {
            fs::write(&tool, first_line + "\nexit 0\n").unwrap();
            assert_eq!(
                names(&ExecutableIdentity::of(&tool, path).unwrap()),
                expected
            );
        };
        check(format!("#!{}", python.display()), &["tool", "python"]);
        check(
            format!("#! {} -S -u A=b python -X", env.display()),
            &["tool", "env", "python"],
        );
        check(format!("#!{} missing", env.display()), &["tool", "env"]);
        check("#!/nonexistent/sh".to_owned(), &["tool"]);
        check("#!".to_owned(), &["tool"]);
        check(String::new(), &["tool"]);
    }

    #[test]
    fn a_replaced_file_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let tool = folder.path().join("tool");
        let identity = || ExecutableIdentity::of(&tool, None).unwrap();
        fs::write(&tool, "one").unwrap();
        let before = identity();
        assert_eq!(before, identity());
        let other = folder.path().join("other");
        fs::write(&other, "two").unwrap();
        fs::rename(&other, &tool).unwrap();
        assert_ne!(before, identity());
        assert!(
            !before.is_current(&tool)
                && identity().is_current(&tool)
                && !identity().is_current(&other)
        );
        assert!(ExecutableIdentity::of(&other, None).is_err());
    }
}
