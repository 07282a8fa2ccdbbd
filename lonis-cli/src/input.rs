//! The input of a call: inline JSON, `@FILE`, or stdin.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use lonis::{ErrorKind, Json, MAX_INPUT_BYTES, ToolError, parse_document, read_input};
use serde_json::Value;

/// Reads the input that an argument names; without one, stdin, which counts as `null` when it is a terminal.
pub(crate) fn read(argument: Option<&OsStr>) -> Result<Json, ToolError> {
    match argument.map(OsStr::as_bytes) {
        None if io::stdin().is_terminal() => Ok(Value::Null.into()),
        None | Some(b"-" | b"@-") => read_input(&mut io::stdin().lock()),
        Some([b'@', path @ ..]) => file(Path::new(OsStr::from_bytes(path))),
        Some(inline) => parse_document(inline),
    }
}

/// Reads the text of a document: a file's, or stdin's for `-` and where none is named.
pub(crate) fn text(path: Option<&Path>) -> Result<String, ToolError> {
    let mut bytes = Vec::new();
    let read = match path.filter(|path| *path != Path::new("-")) {
        None => io::stdin()
            .lock()
            .take(MAX_INPUT_BYTES)
            .read_to_end(&mut bytes),
        Some(path) => {
            File::open(path).and_then(|file| file.take(MAX_INPUT_BYTES).read_to_end(&mut bytes))
        }
    };
    let name = path.unwrap_or(Path::new("-"));
    let refused = |message: String| ToolError::new(ErrorKind::InvalidInput, message);
    read.map_err(|error| refused(format!("`{}` cannot be read: {error}", name.display())))?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        refused(format!(
            "`{}` is not UTF-8 at byte {offset}",
            name.display()
        ))
    })
}

/// Reads a document: a file's, or stdin's for `-` and where none is named.
pub(crate) fn document(path: Option<&Path>) -> Result<Json, ToolError> {
    match path {
        None => read_input(&mut io::stdin().lock()),
        Some(path) if path == Path::new("-") => read_input(&mut io::stdin().lock()),
        Some(path) => file(path),
    }
}

fn file(path: &Path) -> Result<Json, ToolError> {
    let refused = |error: &io::Error| {
        ToolError::new(
            ErrorKind::InvalidInput,
            format!("the file `{}` cannot be read: {error}", path.display()),
        )
    };
    let mut opened = File::open(path).map_err(|error| refused(&error))?;
    // A folder opens, and fails only when it is read.
    if opened.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(refused(&io::ErrorKind::IsADirectory.into()));
    }
    read_input(&mut opened)
}
