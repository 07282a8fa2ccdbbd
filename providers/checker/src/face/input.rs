//! Reading files, each within a bound.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::program::{Manifest, Program, ProgramTexts};
use soil::source::{MAX_SOURCE_BYTES, Sources};

use crate::failure::Failure;

/// The longest JSON input.
///
/// # Units and bounds
/// Bytes: 64 MiB. A longer one gives `malformed-input`.
const MAX_JSON_BYTES: usize = 64 << 20;

/// Reads a file of definitions, and no more of it than shows that it is too long.
pub(super) fn source(path: &Path) -> Result<Vec<u8>, Failure> {
    bounded(path, MAX_SOURCE_BYTES).map_err(|error| unreadable(path, &error))
}

/// Reads a JSON input.
pub(super) fn json(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = bounded(path, MAX_JSON_BYTES).map_err(|error| unreadable(path, &error))?;
    match too_long(&bytes) {
        Some(message) => Err(Failure::about(&shown(path), Code::MalformedInput, message)),
        None => Ok(bytes),
    }
}

/// Reads the program that a manifest describes.
pub(super) fn program(path: &Path) -> Result<Program, Failure> {
    let bytes = json(path)?;
    let manifest = Manifest::read(&bytes)
        .map_err(|error| Failure::about(&shown(path), Code::MalformedInput, error.to_string()))?;
    Ok(Program::read(&texts(path, manifest)?)?)
}

/// Reads all files that a manifest names, and reports all that cannot be read.
pub(super) fn texts(path: &Path, manifest: Manifest) -> Result<ProgramTexts, Failure> {
    let folder = folder(path);
    let types = manifest.types.clone();
    let mut sources = Sources::new();
    let mut diagnostics = Diagnostics::new();
    let mut fetch = |name: &str| {
        let is_json = name == types;
        let max = if is_json {
            MAX_JSON_BYTES
        } else {
            MAX_SOURCE_BYTES
        };
        let read = bounded(&beside(path, name), max);
        let wrong = match &read {
            Err(error) => Some((Code::Io, reason(name, error))),
            Ok(bytes) if is_json => too_long(bytes).map(|text| (Code::MalformedInput, text)),
            Ok(_) => None,
        };
        if let Some((code, message)) = wrong {
            let mut diagnostic = Diagnostic::new(code, message);
            diagnostic.file = Some(sources.add(name, Vec::new()));
            diagnostics.push(diagnostic);
        }
        // A file that is not there is reported with all the others.
        Ok::<_, std::convert::Infallible>(read.unwrap_or_default())
    };
    let Ok(texts) = manifest.load(&module(folder), &mut fetch);
    if diagnostics.is_empty() {
        return Ok(texts);
    }
    Err(Failure {
        diagnostics,
        sources,
    })
}

/// Gives the path of a file that another one names.
pub(super) fn beside(path: &Path, name: &str) -> PathBuf {
    match path.parent() {
        Some(folder) => folder.join(name),
        None => PathBuf::from(name),
    }
}

/// Gives the folder that a file stands in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Gives a path as documents show it.
pub(super) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Gives the name of the module whose files stand in a folder itself.
fn module(folder: &Path) -> String {
    let whole = folder.canonicalize().ok();
    let name = whole.as_deref().and_then(Path::file_name);
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// Reads a file up to one byte past a bound.
fn bounded(path: &Path, max: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(max as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn too_long(bytes: &[u8]) -> Option<String> {
    (bytes.len() > MAX_JSON_BYTES)
        .then(|| format!("the input is longer than {MAX_JSON_BYTES} bytes"))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let path = shown(path);
    Failure::about(&path, Code::Io, reason(&path, error))
}

fn reason(path: &str, error: &io::Error) -> String {
    format!("`{path}` cannot be read: {error}")
}
