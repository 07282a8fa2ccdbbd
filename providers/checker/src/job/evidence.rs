//! `evidence.json`: the last failing test of a job, which a question carries to the person who answers it.

use serde_json::Value;
use soil::document::Writer;

use super::directory::Directory;
use crate::failure::Failure;
use crate::project::TestRun;

const NAME: &str = "evidence.json";

/// Keeps the last test of a run that is not as it should be, or that there is none.
///
/// # Errors
/// `io`, when it cannot be written.
pub(crate) fn set_evidence(directory: &Directory, run: &TestRun) -> Result<(), Failure> {
    let mut rows = run.rows.iter().rev();
    let mut writer = Writer::new();
    match rows.find(|row| !row.verdict().is_good()) {
        Some(row) => row.write(&mut writer, true),
        None => writer.raw("null"),
    }
    directory.replace(NAME, writer.finish().as_bytes())
}

/// Gives the last failing test; none where none failed last.
///
/// # Errors
/// `io`, when it cannot be read.
pub(crate) fn evidence(directory: &Directory) -> Result<Option<Value>, Failure> {
    let bytes = directory.read(NAME)?.unwrap_or_default();
    let value: Option<Value> = serde_json::from_slice(&bytes).unwrap_or_default();
    Ok(value)
}
