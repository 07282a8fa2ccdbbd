//! From the step of a start that failed to what a user can do something about.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lonis_spawn::{SpawnError, Step};
use rustix::io::Errno;

use super::super::failure::{ProcessError, StartPart};
use super::super::resolve;
use super::super::system_error::SystemError;

/// Explains a start that failed at a step.
pub(super) fn of_start(
    failure: SpawnError,
    program: &Path,
    directory: Option<PathBuf>,
) -> ProcessError {
    let error = SystemError::new(operation(failure.step()), failure.errno());
    match failure.step() {
        Step::Directory => ProcessError::Start {
            part: StartPart::WorkingDirectory,
            path: directory,
            error,
        },
        Step::Exec => of_program(error, program),
        Step::Start | Step::Pidfd => of_resource(error, None),
        _ => ProcessError::Start {
            part: StartPart::Setting,
            path: None,
            error,
        },
    }
}

/// Explains a start by the standard library, which tells no step: the directory is looked at before the program is blamed.
pub(super) fn of_portable_start(
    failure: &io::Error,
    program: &Path,
    directory: Option<&Path>,
) -> ProcessError {
    let error = SystemError::new(operation(Step::Exec), failure.raw_os_error().unwrap_or(0));
    match directory {
        Some(path) if fs::metadata(path.join(".")).is_err() => ProcessError::Start {
            part: StartPart::WorkingDirectory,
            path: Some(path.to_owned()),
            error,
        },
        _ => of_program(error, program),
    }
}

fn of_program(error: SystemError, program: &Path) -> ProcessError {
    match resolve::diagnose(program, error.errno()) {
        Some(unavailable) => ProcessError::Unavailable(unavailable),
        None => of_resource(error, Some(program.to_owned())),
    }
}

/// Names the resource that an error number says is exhausted.
pub(super) fn of_resource(error: SystemError, path: Option<PathBuf>) -> ProcessError {
    let part = match Errno::from_raw_os_error(error.errno()) {
        Errno::TXTBSY => StartPart::TextBusy,
        Errno::TOOBIG => StartPart::ArgumentsTooLong,
        Errno::MFILE | Errno::NFILE => StartPart::TooManyFiles,
        Errno::AGAIN => StartPart::ProcessLimit,
        Errno::NOMEM => StartPart::OutOfMemory,
        _ => StartPart::Other,
    };
    ProcessError::Start { part, path, error }
}

pub(super) const fn operation(step: Step) -> &'static str {
    match step {
        Step::Start => "start a process",
        Step::Signals | Step::Mask => "reset the signals of a process",
        Step::Group => "give a process its own group",
        Step::Stdio => "connect the pipes of a process",
        Step::ParentDeath => "tie a process to its host",
        Step::Descriptors => "close the descriptors of a process",
        Step::Directory => "enter the working directory",
        Step::OomScore => "set the out-of-memory score of a process",
        Step::Nice => "set the priority of a process",
        Step::Limits => "set the resource limits of a process",
        Step::NoNewPrivileges => "take new privileges from a process",
        Step::Landlock => "restrict a process",
        Step::Exec => "execute the program",
        _ => "start the program",
    }
}
