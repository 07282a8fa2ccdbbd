//! `lonis trust`: lets a project file start programs, after showing which.

use std::path::Path;

use lonis::host::{Config, Environment, Registrations, TrustError, TrustStore, project_file};
use lonis::{ErrorKind, Timestamp, ToolError};
use serde_json::json;

use crate::output::{DONE, Output};
use crate::surroundings;

pub(crate) fn run(
    file: Option<&Path>,
    list: bool,
    remove: bool,
    output: &mut Output,
) -> Result<u8, ToolError> {
    let environment = surroundings::read()?;
    let folder = environment
        .state_folder()
        .ok_or_else(|| refused(&TrustError::NoPlace))?;
    let store = TrustStore::in_folder(folder);
    if list {
        return show(&store, output);
    }
    let file = match file {
        Some(file) => environment.directory().join(file),
        None => project_file(environment.directory()).ok_or_else(|| {
            ToolError::new(
                ErrorKind::NotFound,
                "there is no `lonis.toml` in this folder or in one above it",
            )
        })?,
    };
    if remove {
        forget(&store, &file, output)
    } else {
        trust(&store, &environment, &file, output)
    }
}

/// Shows every program that the file would start, starts none, and records the bytes that were shown.
fn trust(
    store: &TrustStore,
    environment: &Environment,
    file: &Path,
    output: &mut Output,
) -> Result<u8, ToolError> {
    let bytes = Config::bytes(file).map_err(|error| ToolError::from(&error))?;
    let config = Config::parse(file, &bytes, environment.home().as_deref())
        .map_err(|error| ToolError::from(&error))?;
    let commands = Registrations::commands(&config);
    let trusted = store
        .add(file, &bytes, &Timestamp::now())
        .map_err(|error| refused(&error))?;
    if output.mode().is_machine() {
        let commands: Vec<_> = commands
            .iter()
            .map(|(name, words)| json!({ "name": name, "command": words }))
            .collect();
        output.document(&json!({ "trusted": trusted, "commands": commands }))?;
        return Ok(DONE);
    }
    output.line(&format!("trusted {}", trusted.path.display()))?;
    for (name, words) in commands {
        let words: Vec<String> = words.iter().map(|word| shown(word)).collect();
        output.line(&format!("  {name}: {}", words.join(" ")))?;
    }
    Ok(DONE)
}

/// A word of a command as a person has to see it: one that could be taken for several, or for a line, is quoted.
fn shown(word: &str) -> String {
    // A reference to the input is written with a blank by ourselves, and never holds a line break.
    let is_reference = word.ends_with('}') && !word.contains(char::is_control);
    let is_one =
        !word.is_empty() && !word.contains(|letter: char| letter.is_whitespace() || letter == '"');
    if is_one || is_reference {
        word.to_owned()
    } else {
        format!("\"{}\"", word.escape_debug())
    }
}

fn forget(store: &TrustStore, file: &Path, output: &mut Output) -> Result<u8, ToolError> {
    if !store.remove(file).map_err(|error| refused(&error))? {
        return Err(ToolError::new(
            ErrorKind::NotFound,
            format!("`{}` is not trusted", file.display()),
        ));
    }
    if output.mode().is_machine() {
        output.document(&json!({ "removed": file.to_string_lossy() }))?;
    } else {
        output.line(&format!("no longer trusted: {}", file.display()))?;
    }
    Ok(DONE)
}

fn show(store: &TrustStore, output: &mut Output) -> Result<u8, ToolError> {
    let files = store.files().map_err(|error| refused(&error))?;
    if output.mode().is_machine() {
        output.document(&json!({ "files": files }))?;
        return Ok(DONE);
    }
    for file in files {
        output.fields(&[&file.path.to_string_lossy(), &file.trusted_at, &file.sha256])?;
    }
    Ok(DONE)
}

fn refused(error: &TrustError) -> ToolError {
    ToolError::new(ErrorKind::Io, error.to_string())
}
