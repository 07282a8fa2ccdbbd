//! The input of a call: inline JSON, `@FILE`, or stdin.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use lonis::{ErrorKind, Json, ToolError, parse_document, read_input};
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
        ToolError::new(ErrorKind::InvalidInput, format!("the file `{}` cannot be read: {error}", path.display()))
    };
    let mut opened = File::open(path).map_err(|error| refused(&error))?;
    // A folder opens, and fails only when it is read.
    if opened.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(refused(&io::ErrorKind::IsADirectory.into()));
    }
    read_input(&mut opened)
}
