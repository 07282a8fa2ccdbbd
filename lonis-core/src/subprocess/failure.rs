//! From the way a child ended to the one error that its caller gets.
//!
//! Pure: it is given what was seen and decides what is said. What the child says about itself goes before what its exit
//! code could mean, which is nothing.

use lonis_schema::{ErrorKind, Json, ToolError, exit_code};
use serde_json::{Map, Value};

use crate::process::{ProcessError, Status};

/// Longest message made of a child's stderr, in bytes.
const MAX_MESSAGE_BYTES: usize = 4096;

/// Longest end of stderr that is kept in the details, in bytes.
const MAX_STDERR_TAIL_BYTES: usize = 16 << 10;

/// Longest beginning of an unfinished value that is kept in the details, in bytes.
const MAX_PARTIAL_OUTPUT_BYTES: usize = 1 << 10;

/// An error, and whether it is the child's own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    pub(crate) error: ToolError,
    /// The child's own error goes to the caller as it is: nothing is added to it.
    pub(crate) is_childs: bool,
    /// What the child wrote to stderr before its error.
    pub(crate) diagnostics: String,
}

impl Failure {
    pub(crate) fn of_host(error: ToolError) -> Self {
        Self {
            error,
            is_childs: false,
            diagnostics: String::new(),
        }
    }
}

/// What is known of a call when it fails, for the details.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen<'a> {
    pub(crate) stderr: &'a [u8],
    /// A value that had begun on stdout and was not whole.
    pub(crate) partial: &'a [u8],
    /// Blocks delivered.
    pub(crate) blocks: u64,
}

/// Returns the error of a child that ended by itself, other than with success.
pub(crate) fn of_child(status: Status, seen: Seen<'_>) -> Failure {
    let text = String::from_utf8_lossy(seen.stderr);
    let text = text.trim();
    if let Some(failure) = said_by_child(text, status.code()) {
        return failure;
    }
    let mut details = seen.details();
    match status {
        Status::Exited(code) => details.insert("exit_code".to_owned(), code.into()),
        Status::Signaled(number) => {
            details.insert("signal_name".to_owned(), status.signal_name().into());
            details.insert("signal".to_owned(), number.into())
        }
    };
    let error =
        ToolError::new(ErrorKind::ToolFailed, message(text, status)).with_exit_code(status.code());
    Failure::of_host(error.with_details(Value::Object(details)))
}

/// Returns the error that the child wrote itself: its whole stderr, or the last line of it, which then has its code.
fn said_by_child(stderr: &str, code: u8) -> Option<Failure> {
    if let Some(error) = object(stderr).and_then(|text| ToolError::read_from_child(text, code).ok())
    {
        return Some(Failure {
            error,
            is_childs: true,
            diagnostics: String::new(),
        });
    }
    let (before, last) = stderr.rsplit_once('\n')?;
    let error = object(last)
        .and_then(|text| ToolError::read(text).ok())?
        .settle_exit_code(code);
    Some(Failure {
        error,
        is_childs: true,
        diagnostics: before.trim_end().to_owned(),
    })
}

/// Most lines of stderr are no object, and need no closer look.
fn object(text: &str) -> Option<&str> {
    text.starts_with('{').then_some(text)
}

/// Returns the error of a child that ended with a code whose meaning was configured.
pub(crate) fn of_listed_code(kind: ErrorKind, code: u8, seen: Seen<'_>) -> Failure {
    let own = match kind {
        ErrorKind::Other(_) => exit_code::TOOL_FAILED,
        ref kind => kind.exit_code(),
    };
    let mut details = seen.details();
    details.insert("exit_code".to_owned(), code.into());
    let text = String::from_utf8_lossy(seen.stderr);
    let error = ToolError::new(kind, message(text.trim(), Status::Exited(code)));
    Failure::of_host(
        error
            .with_exit_code(own)
            .with_details(Value::Object(details)),
    )
}

fn message(stderr: &str, status: Status) -> String {
    match (stderr, status) {
        ("", Status::Exited(code)) => format!("exited with code {code}"),
        ("", Status::Signaled(number)) => match status.signal_name() {
            Some(name) => format!("ended by signal {number} ({name})"),
            None => format!("ended by signal {number}"),
        },
        (text, _) => text[..text.floor_char_boundary(MAX_MESSAGE_BYTES)].to_owned(),
    }
}

/// Tells whether a child that succeeded left an error on stderr all the same.
pub(crate) fn said_with_success(stderr: &[u8]) -> Option<ToolError> {
    let text = String::from_utf8_lossy(stderr);
    said_by_child(text.trim(), exit_code::TOOL_FAILED).map(|failure| failure.error)
}

impl Seen<'_> {
    /// Returns the details that every error of the host has, where they apply.
    fn details(self) -> Map<String, Value> {
        let mut details = Map::new();
        let tail = stderr_tail(self.stderr);
        if !tail.is_empty() {
            details.insert("stderr_tail".to_owned(), tail.into());
        }
        if !self.partial.is_empty() {
            let start = &self.partial[..self.partial.len().min(MAX_PARTIAL_OUTPUT_BYTES)];
            details.insert(
                "partial_output".to_owned(),
                String::from_utf8_lossy(start).into(),
            );
        }
        if self.blocks > 0 {
            details.insert("blocks".to_owned(), self.blocks.into());
        }
        details
    }

    /// Adds these details to an error of the host that has some of its own.
    pub(crate) fn added_to(self, error: ToolError) -> ToolError {
        let mut details = self.details();
        match error.details().map(Json::to_value) {
            Some(Value::Object(own)) => details.extend(own),
            Some(own) => drop(details.insert("value".to_owned(), own)),
            None if details.is_empty() => return error,
            None => {}
        }
        error.with_details(Value::Object(details))
    }
}

fn stderr_tail(stderr: &[u8]) -> String {
    let start = stderr.len().saturating_sub(MAX_STDERR_TAIL_BYTES);
    let tail = String::from_utf8_lossy(&stderr[start..]);
    let tail = tail.trim();
    // What is not UTF-8 gets longer by being replaced.
    let start = tail.ceil_char_boundary(tail.len().saturating_sub(MAX_STDERR_TAIL_BYTES));
    tail[start..].to_owned()
}

/// Returns the error for a call that the host refused, could not start, or ended.
pub(crate) fn of_host(error: &ProcessError, seen: Seen<'_>) -> ToolError {
    seen.added_to(ToolError::from(error.clone()))
}

#[cfg(test)]
mod tests;
