//! Whether a tool's program is there at all.

use std::fmt;
use std::path::Path;

use crate::process::{Program, Unavailable, UnavailableReason};

/// Whether a tool's program can be started on this machine, as far as a look tells.
///
/// A tool that is known may still be absent; a call of one fails with `unavailable` before anything is started.
///
/// # Example
/// ```
/// use lonis_core::Availability;
/// use lonis_core::process::Program;
///
/// assert!(Availability::of(&Program::new("sh")).is_ready());
/// let missing = Availability::of(&Program::new("/nonexistent/tool"));
/// assert!(matches!(missing, Availability::Missing { .. }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// The program is there and may be executed.
    Ready,
    /// There is no such program.
    Missing {
        /// What was looked for, and where.
        reason: String,
    },
    /// There is something of that name, and it is no program that can be executed.
    NotExecutable {
        /// What it is.
        reason: String,
    },
}

impl Availability {
    /// Looks for a program as a start would, and whether what is found looks like one.
    pub fn of(program: &Program) -> Self {
        match look(program) {
            Err(unavailable) => Self::from(&unavailable),
            Ok(()) => Self::Ready,
        }
    }

    /// Returns whether the program can be started.
    pub fn is_ready(&self) -> bool {
        *self == Self::Ready
    }
}

/// Looks for a program, and says what a start would fail with.
pub(crate) fn look(program: &Program) -> Result<(), Unavailable> {
    match program.resolve()? {
        path if is_no_program(&path) => Err(Unavailable {
            program: path,
            reason: UnavailableReason::ExecFormat,
        }),
        _ => Ok(()),
    }
}

impl From<&Unavailable> for Availability {
    fn from(unavailable: &Unavailable) -> Self {
        let reason = unavailable.to_string();
        match unavailable.reason {
            UnavailableReason::NotFound { .. } | UnavailableReason::NotOnPath => {
                Self::Missing { reason }
            }
            _ => Self::NotExecutable { reason },
        }
    }
}

impl fmt::Display for Availability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready => formatter.write_str("ready"),
            Self::Missing { reason } => write!(formatter, "missing: {reason}"),
            Self::NotExecutable { reason } => write!(formatter, "not executable: {reason}"),
        }
    }
}

/// Tells whether the beginning of a file shows that the kernel will not execute it.
///
/// A file that may be executed and not read is taken for a program, and so is any where other formats are registered.
#[cfg(target_os = "linux")]
fn is_no_program(path: &Path) -> bool {
    use std::io::Read;
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(4).read_to_end(&mut head));
    let is_known = head.starts_with(b"#!") || head == b"\x7fELF";
    read.is_ok() && !is_known && !has_further_formats()
}

#[cfg(not(target_os = "linux"))]
fn is_no_program(_path: &Path) -> bool {
    false
}

/// Tells whether programs of other formats are handed to interpreters here.
#[cfg(target_os = "linux")]
fn has_further_formats() -> bool {
    let Ok(entries) = std::fs::read_dir("/proc/sys/fs/binfmt_misc") else {
        return false;
    };
    let is_control_file = |name: &std::ffi::OsStr| name == "register" || name == "status";
    entries
        .flatten()
        .any(|entry| !is_control_file(&entry.file_name()))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_that_is_no_program_is_seen_before_it_is_started() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        let check = |content: &[u8], is_ready: bool| {
            fs::write(&path, content).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            assert_eq!(
                Availability::of(&Program::new(&path)).is_ready(),
                is_ready,
                "{content:?}"
            );
        };
        check(b"#!/bin/sh\n", true);
        check(b"\x7fELF\x02\x01", true);
        check(b"garbage", has_further_formats());
        check(b"", has_further_formats());
    }
}
