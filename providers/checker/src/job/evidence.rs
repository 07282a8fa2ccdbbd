//! `evidence.json`: the last failing test of a job, which a question carries to the person who answers it.

use serde_json::Value;

use super::directory::Directory;
use crate::failure::Failure;

const NAME: &str = "evidence.json";

/// Keeps the last test of a document of `run_tests` that is not as it should be; where all are, what was kept stays.
///
/// # Errors
/// `io`, when it cannot be written.
pub(crate) fn keep_evidence(directory: &Directory, document: &str) -> Result<(), Failure> {
    let document: Value = serde_json::from_str(document).unwrap_or_default();
    let cases = document["cases"].as_array().into_iter().flatten();
    let mut bad = cases.filter(|case| case["result"] == "fail" || case["result"] == "xpass");
    match bad.next_back() {
        Some(case) => directory.replace(NAME, case.to_string().as_bytes()),
        None => Ok(()),
    }
}

/// Gives the last failing test; none before one failed.
///
/// # Errors
/// `io`, when it cannot be read.
pub(crate) fn evidence(directory: &Directory) -> Result<Option<Value>, Failure> {
    let bytes = directory.read(NAME)?.unwrap_or_default();
    Ok(serde_json::from_slice(&bytes).ok())
}
