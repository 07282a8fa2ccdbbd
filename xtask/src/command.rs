//! Starting the programs that the tasks are made of, and talking to the person who waits.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Why a task failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A program could not be started.
    #[error("cannot start `{program}`: {source}")]
    Start {
        /// The program's name.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A program ended with a failure.
    #[error("`{line}` failed ({status})")]
    Status {
        /// The whole command.
        line: String,
        /// Its exit status.
        status: std::process::ExitStatus,
    },
    /// A file could not be read or written.
    #[error("`{path}`: {source}")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// What was found is not what should be there.
    #[error("{0}")]
    Found(String),
}

/// Writes a line for the person at the terminal.
pub(crate) fn say(text: &str) {
    // Nobody can be told when the terminal is gone.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A command in `root`, not yet started.
#[expect(clippy::disallowed_methods, reason = "a task is made of programs")]
pub(crate) fn command(root: &Path, program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root).args(args).stdin(Stdio::null());
    command
}

/// Runs a command that shows its own output; a failure status is an error.
pub(crate) fn run(
    root: &Path,
    program: &str,
    args: &[&str],
    env: &[(&str, &str)],
) -> Result<(), Failure> {
    let status = command(root, program, args)
        .envs(env.iter().copied())
        .status()
        .map_err(|source| Failure::Start {
            program: program.to_owned(),
            source,
        })?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::Status {
        line: format!("{program} {}", args.join(" ")),
        status,
    })
}

/// Runs a command and returns what it printed on stdout.
pub(crate) fn output(root: &Path, program: &str, args: &[&str]) -> Result<String, Failure> {
    let output = command(root, program, args)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| Failure::Start {
            program: program.to_owned(),
            source,
        })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(Failure::Status {
        line: format!("{program} {}", args.join(" ")),
        status: output.status,
    })
}

/// Whether a program answers to `--version`.
pub(crate) fn present(root: &Path, program: &str, args: &[&str]) -> bool {
    command(root, program, args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Runs a command as [`run`] does, and ends it after a while: one that waits for a network may wait for ever.
pub(crate) fn run_within(
    root: &Path,
    program: &str,
    args: &[&str],
    limit: Duration,
) -> Result<(), Failure> {
    let line = || format!("{program} {}", args.join(" "));
    let failed = |source| Failure::Start {
        program: program.to_owned(),
        source,
    };
    let mut child = command(root, program, args).spawn().map_err(failed)?;
    let deadline = Instant::now() + limit;
    loop {
        match child.try_wait().map_err(failed)? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => {
                return Err(Failure::Status {
                    line: line(),
                    status,
                });
            }
            None if Instant::now() >= deadline => break,
            None => thread::sleep(Duration::from_millis(100)),
        }
    }
    // Where it has ended meanwhile there is nothing to kill.
    let _ = child.kill();
    child.wait().map_err(failed)?;
    let seconds = limit.as_secs();
    Err(Failure::Found(format!(
        "`{}` did not end within {seconds} s",
        line()
    )))
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|source| Failure::File {
        path: path.display().to_string(),
        source,
    })
}
