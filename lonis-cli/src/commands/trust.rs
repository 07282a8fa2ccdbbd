//! `lonis trust`: lets a project file start programs, after showing which.

use std::path::Path;

use lonis::host::{
    Config, Environment, Registrations, TrustError, TrustStore, TrustedFile, project_file,
};
use lonis::{ErrorKind, Timestamp, ToolError, not_written};
use serde_json::{Value, json};

use crate::cli::Trust;
use crate::output::{DONE, Output};
use crate::surroundings;

pub(crate) fn run(arguments: &Trust, output: &mut Output) -> Result<u8, ToolError> {
    let environment = surroundings::read()?;
    let folder = environment
        .state_folder()
        .ok_or_else(|| refused(&TrustError::NoPlace))?;
    let store = TrustStore::in_folder(folder);
    if arguments.list {
        return list(&store, output);
    }
    let file = match &arguments.file {
        Some(file) => environment.directory().join(file),
        None => project_file(environment.directory()).ok_or_else(|| {
            ToolError::new(
                ErrorKind::NotFound,
                "there is no `lonis.toml` in this folder or in one above it",
            )
        })?,
    };
    if arguments.remove {
        return forget(&store, &file, output);
    }
    let looked_at = LookedAt::read(&environment, &file)?;
    if arguments.show {
        looked_at.show(output)
    } else {
        looked_at.trust(&store, output)
    }
}

/// A file as it was read once: what is shown of it and what is trusted are the same bytes.
struct LookedAt<'a> {
    file: &'a Path,
    bytes: Vec<u8>,
    commands: Vec<(String, Vec<String>)>,
}

impl<'a> LookedAt<'a> {
    /// Reads a file and starts nothing of it.
    fn read(environment: &Environment, file: &'a Path) -> Result<Self, ToolError> {
        let bytes = Config::bytes(file).map_err(|error| ToolError::from(&error))?;
        let config = Config::parse(file, &bytes, environment.home().as_deref())
            .map_err(|error| ToolError::from(&error))?;
        let commands = Registrations::commands(&config);
        Ok(Self {
            file,
            bytes,
            commands,
        })
    }

    /// Shows every program that the file would start.
    fn show(&self, output: &mut Output) -> Result<u8, ToolError> {
        if output.mode().is_machine() {
            let file = self.file.to_string_lossy();
            output.document(&json!({ "file": file, "commands": self.documents() }))?;
        } else {
            self.lines(output)?;
        }
        Ok(DONE)
    }

    /// Shows the same, and records the bytes only when that was written.
    fn trust(&self, store: &TrustStore, output: &mut Output) -> Result<u8, ToolError> {
        let entry = TrustedFile::of(self.file, &self.bytes, &Timestamp::now())
            .map_err(|error| refused(&error))?;
        // What is shown says that the file is trusted, so that it has to be likely.
        store.prepare().map_err(|error| refused(&error))?;
        let is_machine = output.mode().is_machine();
        if is_machine {
            output.document(&json!({ "trusted": entry, "commands": self.documents() }))?;
        } else {
            self.lines(output)?;
        }
        let shown = output.data().flush();
        shown.map_err(|error| not_written(&error))?;
        let path = entry.path.display().to_string();
        store.record(entry).map_err(|error| refused(&error))?;
        if !is_machine {
            output.line(&format!("trusted {path}"))?;
        }
        Ok(DONE)
    }

    fn documents(&self) -> Vec<Value> {
        let commands = self.commands.iter();
        commands
            .map(|(name, words)| json!({ "name": name, "command": words }))
            .collect()
    }

    fn lines(&self, output: &mut Output) -> Result<(), ToolError> {
        output.line(&format!("{} would start", self.file.display()))?;
        for (name, words) in &self.commands {
            let words: Vec<String> = words.iter().map(|word| shown(word)).collect();
            output.line(&format!("  {name}: {}", words.join(" ")))?;
        }
        Ok(())
    }
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

fn list(store: &TrustStore, output: &mut Output) -> Result<u8, ToolError> {
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
    let refused = ToolError::new(ErrorKind::Io, error.to_string());
    match error {
        TrustError::Damaged { path, .. } => refused.with_hint(format!(
            "without the file `{}` nothing is trusted, and `lonis trust` begins a new one",
            path.display()
        )),
        _ => refused,
    }
}
