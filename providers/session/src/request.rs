//! What a command is asked for: a checked input, of whatever face.

use std::path::PathBuf;

use lonis::SchemaCheck;
use lonis_diagnostics::{Code, Failure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::command::Command;
use crate::commands::bounded::length_of;
use crate::diagnose::During;
use crate::identity::Identity;
use crate::patch::document::Rounded;
use crate::patch::report::clipped;
use crate::path::WorkspacePath;
use crate::policy::RebaseWord;
use crate::session_id::SessionId;

/// The most bytes of a page as JSON.
const MAX_PAGE_BYTES: usize = 128 * 1024;

/// An input that keeps the schema of its command.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are the flags of all commands"
)]
pub(crate) struct Request {
    pub(crate) root: PathBuf,
    pub(crate) call: Option<String>,
    pub(crate) expect_head: Option<Identity>,
    pub(crate) fresh: bool,
    pub(crate) progress: bool,
    pub(crate) rebase: RebaseWord,
    pub(crate) paths: Option<Vec<String>>,
    pub(crate) read: Option<String>,
    pub(crate) excluded: bool,
    pub(crate) cursor: Option<String>,
    pub(crate) identity: Option<String>,
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
    pub(crate) format: Option<String>,
    pub(crate) status: Option<String>,
    pub(crate) after_seq: Option<u64>,
    pub(crate) limit: Option<usize>,
    pub(crate) patch: Option<Value>,
    pub(crate) diff: Option<String>,
    pub(crate) revert: Option<String>,
    /// What was rounded as the text of the input was read.
    #[serde(skip)]
    pub(crate) rounded: Rounded,
    pub(crate) gate: Option<String>,
    pub(crate) only: Option<Vec<String>>,
    pub(crate) dry_run: Option<bool>,
    pub(crate) verify: bool,
    pub(crate) effect_of: Option<String>,
    pub(crate) keep_days: Option<u64>,
    accept: Option<Vec<String>>,
    session: String,
}

impl Request {
    /// Checks an input against the schema of its command, and reads it.
    pub(crate) fn read(command: Command, input: &Value) -> Result<Self, Failure> {
        let operation = command.operation();
        let during = During(&operation);
        let check = SchemaCheck::compile(&command.input_schema())
            .map_err(|error| during.diagnostic(Code::ErrorInternal, error.to_string()))?;
        check.check(input).map_err(|breach| {
            during
                .diagnostic(Code::ToolInvalidInput, breach.to_string())
                .with("pointer", breach.pointer.clone())
                .with("expected", breach.schema_pointer.clone())
                .with("received", received(input, &breach.pointer))
        })?;
        let request = Self::deserialize(input).map_err(|error| {
            during
                .diagnostic(Code::ToolInvalidInput, error.to_string())
                .with("pointer", "")
        })?;
        if !request.root.is_absolute() {
            let diagnostic =
                during.diagnostic(Code::ToolInvalidInput, "`root` is not an absolute path");
            return Err(diagnostic
                .with("pointer", "/root")
                .with("expected", "an absolute path")
                .into());
        }
        Ok(request)
    }

    /// The id of the session, where the command has one.
    pub(crate) fn session(&self, during: During<'_>) -> Result<SessionId, Failure> {
        SessionId::new(&self.session).map_err(|error| during.fail(error))
    }

    /// The paths that are asked for.
    pub(crate) fn workspace_paths(
        &self,
        during: During<'_>,
    ) -> Result<Vec<WorkspacePath>, Failure> {
        checked(self.paths.as_deref(), during)
    }

    /// The paths whose live state is accepted.
    pub(crate) fn accepted(&self, during: During<'_>) -> Result<Vec<WorkspacePath>, Failure> {
        checked(self.accept.as_deref(), during)
    }
}

/// What stands at a place of an input, its text cut where it is long.
fn received(input: &Value, pointer: &str) -> String {
    let found = input.pointer(pointer).unwrap_or(input).to_string();
    clipped(&found, MAX_RECEIVED_BYTES)
}

fn checked(paths: Option<&[String]>, during: During<'_>) -> Result<Vec<WorkspacePath>, Failure> {
    let paths = paths.unwrap_or_default().iter();
    paths
        .map(|path| WorkspacePath::new(path).map_err(|error| during.fail(error)))
        .collect()
}

/// The most bytes of what is quoted of an input.
const MAX_RECEIVED_BYTES: usize = 80;

/// A cut of a list, and where the next one starts.
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next_cursor: Option<String>,
}

/// Cuts a page out of a list at a cursor.
///
/// It ends before `size` items where their text is long: a result has a bound.
pub(crate) fn page<T: Serialize>(
    items: Vec<T>,
    cursor: Option<&str>,
    size: usize,
    during: During<'_>,
) -> Result<Page<T>, Failure> {
    let start = match cursor {
        None => 0,
        Some(cursor) => cursor
            .strip_prefix('o')
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| {
                let diagnostic = during.diagnostic(
                    Code::ToolInvalidInput,
                    format!("`{cursor}` is no cursor of this list"),
                );
                Failure::from(
                    diagnostic
                        .with("pointer", "/cursor")
                        .with("expected", "`next_cursor` of the page before"),
                )
            })?,
    };
    let total = items.len();
    let mut bytes = 0;
    let is_within = |item: &T| {
        let is_first = bytes == 0;
        bytes += length_of(item) + 1;
        is_first || bytes <= MAX_PAGE_BYTES
    };
    let items: Vec<T> = items
        .into_iter()
        .skip(start)
        .take(size)
        .take_while(is_within)
        .collect();
    let end = start.saturating_add(items.len());
    let next_cursor = (end < total).then(|| format!("o{end}"));
    Ok(Page { items, next_cursor })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_long_items_are_short_and_lead_to_the_end() {
        let during = During("session/list");
        let items: Vec<String> = (0..300)
            .map(|number| format!("{number}{}", "x".repeat(2000)))
            .collect();
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let page = page(items.clone(), cursor.as_deref(), 100, during).unwrap();
            assert!(page.items.len() <= 100 && length_of(&page.items) <= MAX_PAGE_BYTES + 2);
            seen.extend(page.items);
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, items);
        // One that is longer than a page still comes, alone.
        let long = vec!["x".repeat(MAX_PAGE_BYTES * 2), "y".to_owned()];
        let first = page(long, None, 100, during).unwrap();
        assert_eq!(
            (first.items.len(), first.next_cursor.as_deref()),
            (1, Some("o1"))
        );
    }
}
