//! `closing.json`: what the end of a job writes to the project, noted before the first write.
//!
//! The files of a project change one after the other. A close that was killed between two of them is finished by the next
//! one: each file is either as it was before, and is written, or as it is to be, and is left alone.

use std::path::Path;

use serde::{Deserialize, Serialize};
use soil::hash::Digest;

use super::directory::{Directory, read, replace};
use super::outcome::Outcome;
use super::record::Hash;
use crate::failure::Failure;

const NAME: &str = "closing.json";

/// The writes of a close, in their order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Journal {
    pub(crate) outcome: Outcome,
    pub(crate) writes: Vec<Write>,
}

/// One file that changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Write {
    /// The path below the root.
    pub(crate) path: String,
    /// The digest of what was there; none for a new file.
    before: Option<Hash>,
    text: String,
}

impl Journal {
    /// Reads what a killed close left; none when there is nothing.
    ///
    /// # Errors
    /// `io`, when it cannot be read.
    pub(crate) fn read(directory: &Directory) -> Result<Option<Self>, Failure> {
        let bytes = directory.read(NAME)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Notes what is to be written.
    ///
    /// # Errors
    /// `io`, when it cannot be written.
    pub(crate) fn store(&self, directory: &Directory) -> Result<(), Failure> {
        let text = serde_json::to_string(self).expect("texts and digests are JSON");
        directory.replace(NAME, text.as_bytes())
    }

    /// Writes what is not written yet, and says whether every file was one of the two that it may be.
    ///
    /// # Errors
    /// `io`, when a file cannot be read or written.
    pub(crate) fn carry_out(&self, root: &Path) -> Result<bool, Failure> {
        for write in &self.writes {
            let path = root.join(&write.path);
            let present = digest(&path)?;
            if present == Some(Hash(Digest::of([&write.text]))) {
                continue;
            }
            if present != write.before {
                return Ok(false);
            }
            replace(&path, write.text.as_bytes(), 0o644)?;
        }
        Ok(true)
    }
}

impl Write {
    /// Notes that a file gets a text in place of what is there now.
    ///
    /// # Errors
    /// `io`, when the file cannot be read.
    pub(crate) fn new(root: &Path, path: String, text: String) -> Result<Self, Failure> {
        let before = digest(&root.join(&path))?;
        Ok(Self { path, before, text })
    }
}

fn digest(path: &Path) -> Result<Option<Hash>, Failure> {
    let bytes = read(path)?;
    Ok(bytes.map(|bytes| Hash(Digest::of([bytes]))))
}
