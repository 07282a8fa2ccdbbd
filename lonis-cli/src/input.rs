//! The input of a call: inline JSON, `@FILE`, or stdin.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use lonis::{ErrorKind, Json, MAX_INPUT_BYTES, ToolError, parse_document, read_input};
use serde_json::{Value, json};

use crate::signals;

/// Reads the input that an argument names; without one, stdin, which counts as `null` when it is a terminal.
pub(crate) fn read(argument: Option<&OsStr>) -> Result<Json, ToolError> {
    match argument.map(OsStr::as_bytes) {
        None if io::stdin().is_terminal() => Ok(Value::Null.into()),
        None | Some(b"-" | b"@-") => stdin(),
        Some([b'@', path @ ..]) => file(Path::new(OsStr::from_bytes(path))),
        Some(inline) => parse_document(inline).map_err(|error| {
            let path = Path::new(OsStr::from_bytes(inline));
            if path.is_file() {
                return error
                    .with_hint(format!("`@{}` reads the file of that name", path.display()));
            }
            error
        }),
    }
}

/// Reads the text of a document: a file's, named with `@` before it or without, or stdin's for `-` and where none is named.
pub(crate) fn text(named: Option<&OsStr>) -> Result<String, ToolError> {
    let mut bytes = Vec::new();
    // One byte more than may be there, so that a text is never taken for whole when it was cut.
    let most = MAX_INPUT_BYTES + 1;
    let path = named.and_then(path);
    let read = match path {
        // Whoever is asked for input and presses Ctrl-C has nothing else to wait for.
        None => {
            signals::with_nothing_to_end(|| io::stdin().lock().take(most).read_to_end(&mut bytes))
        }
        Some(path) => File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)),
    };
    let name = shown(path);
    let refused = |message: String| ToolError::new(ErrorKind::InvalidInput, message);
    read.map_err(|error| refused(format!("{name} cannot be read: {error}")))?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        let message = format!("{name} is longer than the {MAX_INPUT_BYTES} bytes that are read");
        let details = json!({ "bound": "max_input_bytes", "limit": MAX_INPUT_BYTES });
        return Err(ToolError::new(ErrorKind::LimitExceeded, message).with_details(details));
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        refused(format!("{name} is not UTF-8 at byte {offset}"))
    })
}

/// Reads one JSON value from where [`text`] does; unlike the input of a call, it has to be there.
pub(crate) fn document(named: Option<&OsStr>) -> Result<Json, ToolError> {
    let text = text(named)?;
    let unmarked = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if unmarked.trim_ascii().is_empty() {
        let name = shown(named.and_then(path));
        let message = format!("{name} is empty; one JSON value is wanted");
        return Err(ToolError::new(ErrorKind::InvalidInput, message));
    }
    parse_document(text.as_bytes())
}

/// A source by the name that people know it by.
fn shown(path: Option<&Path>) -> String {
    path.map_or_else(
        || "stdin".to_owned(),
        |path| format!("`{}`", path.display()),
    )
}

/// The file that an argument names; `None` is stdin.
fn path(named: &OsStr) -> Option<&Path> {
    let bytes = named.as_bytes();
    match bytes.strip_prefix(b"@").unwrap_or(bytes) {
        b"-" => None,
        path => Some(Path::new(OsStr::from_bytes(path))),
    }
}

/// Whoever is asked for input and presses Ctrl-C has nothing else to wait for.
fn stdin() -> Result<Json, ToolError> {
    signals::with_nothing_to_end(|| read_input(&mut io::stdin().lock()))
}

/// Reads one JSON value from a file.
pub(crate) fn file(path: &Path) -> Result<Json, ToolError> {
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
