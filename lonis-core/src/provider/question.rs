//! One question to a provider: a bounded run whose output is one JSON document.

use std::ffi::OsString;

use lonis_schema::{ErrorKind, ReadError, ToolError, json};
use serde_json::json;

use super::identity::{ExecutableIdentity, FileIdentity};
use super::native_name::NativeName;
use super::token_source::TokenSource;
use crate::log::{self, Level};
use crate::process::{Captured, Job, ProcessError, Program};
use crate::secrets::Secrets;
use crate::subprocess::{Seen, of_child, of_host};

/// What a provider is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Question {
    Manifest,
    ToolsList,
    Describe(NativeName),
}

impl Question {
    /// Returns the error for an answer that is not what was asked for.
    pub(super) fn misshapen(&self, error: &ReadError) -> ToolError {
        let error_of = ToolError::new(
            ErrorKind::InvalidOutput,
            format!("{self} is not usable: {error}"),
        );
        match error.byte_offset() {
            Some(offset) => error_of.with_details(json!({"byte_offset": offset})),
            None => error_of,
        }
    }
}

impl std::fmt::Display for Question {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Manifest => formatter.write_str("manifest"),
            Self::ToolsList => formatter.write_str("tool list"),
            Self::Describe(name) => write!(formatter, "contract of tool `{name}`"),
        }
    }
}

/// Who is asked, and how.
pub(super) struct Asked<'a> {
    pub(super) program: &'a Program,
    pub(super) arguments: Vec<OsString>,
    pub(super) cancel: Option<&'a TokenSource>,
}

impl Asked<'_> {
    /// Returns the run that answers the question.
    pub(super) fn job(&self) -> Job {
        let program = self
            .program
            .clone()
            .with_args(self.arguments.iter().cloned());
        let job = Job::new(&program);
        match self.cancel {
            Some(source) => job.with_cancel(source.token()),
            None => job,
        }
    }

    /// Returns the document that the run has printed.
    pub(super) fn read(
        &self,
        question: &Question,
        captured: &Captured,
    ) -> Result<String, ToolError> {
        log::event(Level::Debug, "provider.asked", || {
            let micros = captured.outcome.wall.as_micros();
            vec![
                (
                    "program",
                    self.program.command().to_string_lossy().into_owned().into(),
                ),
                ("question", question.to_string().into()),
                (
                    "wall_micros",
                    u64::try_from(micros).unwrap_or(u64::MAX).into(),
                ),
            ]
        });
        // A provider's own error to a question is shown as a reason, not passed on to a caller of a tool.
        let secrets = Secrets::of(self.program.environment().secrets());
        document(question, captured).map_err(|error| secrets.masked_error(error))
    }
}

fn document(question: &Question, captured: &Captured) -> Result<String, ToolError> {
    let seen = Seen {
        stderr: &captured.stderr,
        ..Seen::default()
    };
    if let Some(error) = &captured.failure {
        return Err(of_host(error, seen));
    }
    match captured.outcome.status {
        Some(status) if status.is_success() => {}
        Some(status) => return Err(of_child(status, seen).error),
        None => return Err(of_host(&ProcessError::StatusLost, seen)),
    }
    match json::document(&captured.stdout) {
        Ok(document) => Ok(document.text().to_owned()),
        Err(error) => Err(seen.added_to(question.misshapen(&ReadError::Json(error)))),
    }
}

/// Finds the file of a program.
pub(super) fn file(program: &Program) -> Result<FileIdentity, ToolError> {
    let (path, metadata) = program
        .resolve_file()
        .map_err(|error| of_host(&ProcessError::Unavailable(error), Seen::default()))?;
    Ok(FileIdentity::of_metadata(&path, &metadata))
}

/// Returns which executable a program is now.
pub(super) fn identity(program: &Program) -> Result<ExecutableIdentity, ToolError> {
    let path = program.environment().get("PATH");
    Ok(ExecutableIdentity::of_file(file(program)?, path))
}
