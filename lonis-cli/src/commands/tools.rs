//! `lonis tools list`, `search` and `describe`.

use lonis::{ErrorKind, Search, ToolError};
use serde_json::json;

use crate::catalog::{self, Row};
use crate::cli::Tools;
use crate::output::{DONE, Output};
use crate::signals::Busy;

pub(crate) fn run(command: &Tools, output: &mut Output) -> Result<u8, ToolError> {
    match command {
        Tools::List => print(&catalog::rows(output)?.iter().collect::<Vec<_>>(), output),
        Tools::Search { words, limit } => search(words, *limit, output),
        Tools::Describe { id } => describe(id, output),
    }
}

fn describe(id: &str, output: &mut Output) -> Result<u8, ToolError> {
    let found = catalog::find(id, output)?;
    let asking = Busy::begin();
    let contract = found.tool.try_contract()?.ok_or_else(|| {
        ToolError::new(
            ErrorKind::NotImplemented,
            format!("the tool `{id}` has no contract"),
        )
    })?;
    found.remember();
    drop(asking);
    output.document(&contract)?;
    Ok(DONE)
}

fn print(rows: &[&Row], output: &mut Output) -> Result<u8, ToolError> {
    if output.mode().is_machine() {
        output.document(&json!({ "provider": "lonis", "tools": rows }))?;
    } else {
        for row in rows {
            output.fields(&[&row.name, &row.version])?;
        }
    }
    Ok(DONE)
}

/// The rows that have every word, the likeliest first; where none has, those that a slip may have meant.
fn search(words: &[String], limit: Option<usize>, output: &mut Output) -> Result<u8, ToolError> {
    let rows = catalog::rows(output)?;
    let search = Search::new(words);
    let mut found = search.ranked(&rows, texts);
    if found.is_empty() {
        found = search.near(&rows, texts);
        if !found.is_empty() {
            output.note("no tool has every word; these have one that is near");
        }
    }
    found.truncate(limit.unwrap_or(usize::MAX));
    print(&found, output)
}

fn texts(row: &Row) -> (&str, &str) {
    (&row.name, &row.description)
}
