//! The launcher: a program that starts a tool among process numbers of its own, as the first process there.
//!
//! A tool in that place would ignore TERM and its own SIGPIPE, and would have to reap what others leave. So the launcher
//! is the first process, starts the tool, reaps all that ends, and tells its host what became of the tool. All that is
//! left ends with it, which its host sees to once the pipes had their time.

pub(crate) mod report;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;

use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, wait};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use report::Report;

/// The first argument of a launcher; the tool and its arguments follow.
pub(crate) const ARGUMENT: &str = "--lonis-launch";

/// What a launcher ends with that has told its host why.
const NOT_LAUNCHED: u8 = 127;

static NAMED: OnceLock<PathBuf> = OnceLock::new();

/// Names the program that starts tools among process numbers of their own, so that every later call ends its whole tree.
///
/// It has to call [`launch_if_asked`] before anything else. A host whose `main` does so can name itself. The launcher is
/// used where this process does not [adopt orphans](super::adopt_orphans) and the machine allows it; a call's
/// [`Containment`](super::Containment) says whether it was. The first name stays; further calls change nothing.
///
/// # Errors
/// `InvalidInput` for a relative path, which would mean another file after a change of directory, and for one with a zero
/// byte in it.
pub fn name_launcher(program: impl Into<PathBuf>) -> io::Result<()> {
    let program = program.into();
    let has_zero = program.as_os_str().as_bytes().contains(&0);
    if has_zero || program.is_relative() {
        let reason = if has_zero {
            "has a zero byte in it"
        } else {
            "is not an absolute path"
        };
        let reason = format!("launcher `{}` {reason}", program.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    NAMED.get_or_init(|| program);
    Ok(())
}

/// Returns the program that was named.
pub(crate) fn named() -> Option<&'static Path> {
    NAMED.get().map(PathBuf::as_path)
}

/// Launches a tool if this process was started as the launcher of one; call it first in `main`.
///
/// `None` in every other case, at the cost of a look at the first argument. Else the tool has ended, and nothing but
/// returning the code is left to do.
///
/// # Example
/// ```
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     if let Some(code) = lonis_core::process::launch_if_asked() {
///         return code;
///     }
///     let own = std::env::current_exe().expect("this program has a path");
///     lonis_core::process::name_launcher(own).expect("the path is absolute");
///     // From here on every call ends its whole tree, also where its host is killed.
///     ExitCode::SUCCESS
/// }
/// ```
pub fn launch_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != ARGUMENT {
        return None;
    }
    // Whoever says the word by hand has no host to report to, and gets nothing started.
    let report = lonis_spawn::inherited_report().map(File::from);
    let code = match (report, arguments.next()) {
        (Some(mut report), Some(tool)) => {
            launch(tool, arguments, &mut report).unwrap_or(NOT_LAUNCHED)
        }
        _ => NOT_LAUNCHED,
    };
    Some(ExitCode::from(code))
}

/// Starts the tool and reaps all that ends, until nothing is left or the host ends it all.
fn launch(
    tool: OsString,
    arguments: impl Iterator<Item = OsString>,
    report: &mut File,
) -> io::Result<u8> {
    #[expect(clippy::disallowed_methods, reason = "this is the process layer")]
    let spawned = Command::new(tool).args(arguments).spawn();
    let tool = match spawned {
        Ok(child) => child.id(),
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or_default();
            report.write_all(&Report::NotStarted { errno }.bytes())?;
            return Ok(NOT_LAUNCHED);
        }
    };
    // A host that is gone reads nothing, and the tool ends with this process.
    report.write_all(&Report::Started.bytes())?;
    // The tool has its own, and whoever reads from it is to see its end.
    let other = report.as_fd();
    dup2_stdin(other)?;
    dup2_stdout(other)?;
    dup2_stderr(other)?;
    while let Some((ended, status)) = next_ended(WaitOptions::empty())? {
        if ended.as_raw_pid().cast_unsigned() != tool {
            continue;
        }
        let is_alone = loop {
            match next_ended(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => break true,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break false,
                Err(error) => return Err(error),
            }
        };
        report.write_all(&Report::Ended { status, is_alone }.bytes())?;
    }
    Ok(0)
}

/// Reaps the next process that ends; `None` once there is none left.
fn next_ended(options: WaitOptions) -> io::Result<Option<(Pid, i32)>> {
    loop {
        match wait(options) {
            Ok(Some((ended, status))) => return Ok(Some((ended, status.as_raw()))),
            Ok(None) => return Err(io::ErrorKind::WouldBlock.into()),
            Err(Errno::CHILD) => return Ok(None),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
