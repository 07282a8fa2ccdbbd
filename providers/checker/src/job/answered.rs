//! `.lonis/answering.json`: an answer that is being given, noted before it is written.
//!
//! The answer goes into the spec and the question goes away, one after the other. An answer that was killed between the
//! two is finished by whoever looks next: where the spec has it, the question is answered.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use soil::hash::Digest;

use super::directory::{read, remove_file, replace};
use super::place::{hold_for_writing, state_file};
use super::record::Hash;
use crate::failure::Failure;

/// An answer that is being given.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answering {
    /// The file of the question below the root, and its digest.
    question: (String, Hash),
    /// The file that gets the answer, and its digest once it has it.
    file: (String, Hash),
}

impl Answering {
    /// Notes an answer, writes it, and takes the question away; the caller holds the project for writing.
    ///
    /// # Errors
    /// `io`, when a file cannot be read, written or removed.
    pub(super) fn carry_out(
        root: &Path,
        question: &str,
        file: &str,
        text: &str,
    ) -> Result<(), Failure> {
        let asked = read(&root.join(question))?.unwrap_or_default();
        let answering = Self {
            question: (question.to_owned(), Hash(Digest::of([asked]))),
            file: (file.to_owned(), Hash(Digest::of([text]))),
        };
        let json = serde_json::to_string(&answering).expect("paths and digests are JSON");
        replace(&note(root), json.as_bytes(), 0o600)?;
        replace(&root.join(file), text.as_bytes(), 0o644)?;
        remove_file(&root.join(question))?;
        remove_file(&note(root))
    }

    fn is_written(&self, root: &Path) -> Result<bool, Failure> {
        for (path, digest) in [&self.question, &self.file] {
            let bytes = read(&root.join(path))?;
            if bytes.map(|bytes| Hash(Digest::of([bytes]))) != Some(*digest) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Finishes an answer that was killed while it was given, if there is one.
///
/// # Errors
/// `io`, when a file cannot be read or removed.
pub(crate) fn finish_answer(root: &Path) -> Result<(), Failure> {
    if note(root).symlink_metadata().is_err() {
        return Ok(());
    }
    let _writing = hold_for_writing(root)?;
    let bytes = read(&note(root))?.unwrap_or_default();
    let noted: Option<Answering> = serde_json::from_slice(&bytes).ok();
    if let Some(answering) = noted
        && is_below(&answering.question.0)
        && is_below(&answering.file.0)
        && answering.is_written(root)?
    {
        remove_file(&root.join(&answering.question.0))?;
    }
    remove_file(&note(root))
}

/// Says whether a path names something below the root, and a question or a spec at that.
fn is_below(path: &str) -> bool {
    let path = Path::new(path);
    let mut parts = path.components();
    parts.all(|part| matches!(part, std::path::Component::Normal(_)))
}

fn note(root: &Path) -> PathBuf {
    state_file(root, "answering.json")
}
