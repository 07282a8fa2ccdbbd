//! `lonis tools list`, `search` and `describe`.

use lonis::{ErrorKind, ToolError};
use serde_json::json;

use crate::catalog::{self, Row};
use crate::cli::Tools;
use crate::output::{DONE, Output};
use crate::signals::Busy;

pub(crate) fn run(command: &Tools, output: &mut Output) -> Result<u8, ToolError> {
    match command {
        Tools::List => print(&catalog::rows(output)?, output),
        Tools::Search { words } => print(&matching(catalog::rows(output)?, words), output),
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

fn print(rows: &[Row], output: &mut Output) -> Result<u8, ToolError> {
    if output.mode().is_machine() {
        output.document(&json!({ "provider": "lonis", "tools": rows }))?;
    } else {
        for row in rows {
            output.fields(&[&row.name, &row.version])?;
        }
    }
    Ok(DONE)
}

/// The rows that have every word in their id or description, those with all of them in the id first.
fn matching(rows: Vec<Row>, words: &[String]) -> Vec<Row> {
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let (mut by_name, mut by_description) = (Vec::new(), Vec::new());
    for row in rows {
        let (name, description) = (row.name.to_lowercase(), row.description.to_lowercase());
        if words.iter().all(|word| name.contains(word)) {
            by_name.push(row);
        } else if words
            .iter()
            .all(|word| name.contains(word) || description.contains(word))
        {
            by_description.push(row);
        }
    }
    by_name.append(&mut by_description);
    by_name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, description: &str) -> Row {
        Row {
            name: name.to_owned(),
            description: description.to_owned(),
            version: String::new(),
        }
    }

    #[test]
    fn a_search_wants_every_word_and_ranks_ids_first() {
        let rows = vec![
            row("a:read", "Counts words."),
            row("b:words:count", "x"),
            row("c:x", "words and count"),
        ];
        let found = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            matching(rows.clone(), &words)
                .into_iter()
                .map(|row| row.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(found(&["Words"]), ["b:words:count", "a:read", "c:x"]);
        assert_eq!(
            found(&["count", "words"]),
            ["b:words:count", "a:read", "c:x"]
        );
        assert_eq!(found(&["read", "x"]), Vec::<String>::new());
    }
}
