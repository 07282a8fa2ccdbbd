//! `<name>.question.json`: what an agent asks a person, beside the spec that it is about.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use lonis::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use soil::diagnostic::Code;

use super::bundle_files::BUNDLE;
use super::directory::{self, Directory};
use super::record::{DecisionHashes, Hash, Record, SpecHashes};
use crate::failure::Failure;

/// A question that waits for its answer.
///
/// # Wire shape
/// `{"def","kind","question","hole","options","asked_against","bundle","created"}`, and `decisions_against` and, where the
/// job has one, `evidence`: its last failing test. `seen` holds the texts that it was asked against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// `<module>/<name>`.
    pub(crate) def: String,
    pub(crate) kind: Kind,
    #[serde(rename = "question")]
    pub(crate) text: String,
    pub(crate) hole: Hole,
    /// What the agent proposes.
    pub(crate) options: Vec<String>,
    /// What the spec was when it was asked.
    pub(crate) asked_against: SpecHashes,
    pub(crate) bundle: Hash,
    /// RFC 3339; only shown.
    pub(crate) created: String,
    pub(crate) decisions_against: DecisionHashes,
    /// The texts behind the hashes, to show what changed since.
    #[serde(default)]
    pub(crate) seen: Seen,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) evidence: Option<Value>,
}

/// What an agent had before it when it asked.
///
/// # Wire shape
/// `{"spec":S,"decisions":S}`: the `.tr` file, and `decisions.md` of the bundle, empty where there were no decisions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seen {
    pub(crate) spec: Option<String>,
    pub(crate) decisions: Option<String>,
}

impl Seen {
    /// Reads the texts from the bundle of a job.
    ///
    /// # Errors
    /// `io`, when one cannot be read.
    pub(crate) fn of(job: &Directory) -> Result<Self, Failure> {
        let text = |name: &str| -> Result<String, Failure> {
            let bytes = job.read(&format!("{BUNDLE}/{name}"))?;
            Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
        };
        Ok(Self {
            spec: Some(text("spec.md")?),
            decisions: Some(text("decisions.md")?),
        })
    }
}

/// What sort of question it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tag", deny_unknown_fields)]
pub(crate) enum Kind {
    /// The spec says too little.
    Ambiguity,
    /// Two parts of the spec cannot both hold.
    Contradiction,
    /// The answer is a rule for the module or the project.
    Rule,
}

/// The hole that waits for the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tag", content = "value", deny_unknown_fields)]
pub(crate) enum Hole {
    /// None does.
    None,
    /// The one of this name does.
    Some(String),
}

/// What an agent asks.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) kind: Kind,
    pub(crate) question: String,
    pub(crate) hole: Hole,
    pub(crate) options: Vec<String>,
}

impl Question {
    /// Makes the question of a job.
    pub(crate) fn of(record: &Record, asked: Asked, seen: Seen, evidence: Option<Value>) -> Self {
        Self {
            def: record.definition.clone(),
            kind: asked.kind,
            text: asked.question,
            hole: asked.hole,
            options: asked.options,
            asked_against: record.spec_hashes,
            bundle: record.bundle_digest,
            created: Timestamp::now().to_string(),
            decisions_against: record.decisions,
            seen,
            evidence,
        }
    }

    /// Gives the text of the file.
    pub(crate) fn json(&self) -> String {
        let mut text = serde_json::to_string(self).expect("texts and digests are JSON");
        text.push('\n');
        text
    }

    /// Writes the question, where none waits.
    ///
    /// The file appears whole: it is written under another name and then linked to its own, which fails where one is.
    ///
    /// # Errors
    /// `question-write-conflict`, when one waits already; `io`.
    pub(crate) fn store(&self, folder: &Path, name: &str) -> Result<(), Failure> {
        let path = path(folder, name);
        let text = self.json();
        let beside = folder.join(format!(".{name}.question.{}.new", std::process::id()));
        let written = write_beside(&beside, text.as_bytes())
            .and_then(|()| std::fs::hard_link(&beside, &path));
        // The name beside is of no use any more, whatever came of the question.
        let _ = std::fs::remove_file(&beside);
        written.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                let message = format!("`{name}.question.json` waits for its answer already");
                Failure::new(Code::QuestionWriteConflict, message)
            }
            _ => Failure::io(&path, &error),
        })
    }

    /// Reads the question about a definition; none when there is none.
    ///
    /// # Errors
    /// `malformed-input`, when the file is no question; `io`.
    pub(crate) fn read(folder: &Path, name: &str) -> Result<Option<Self>, Failure> {
        let Some(bytes) = directory::read(&path(folder, name))? else {
            return Ok(None);
        };
        let question = serde_json::from_slice(&bytes).map_err(|error| {
            let message = format!("`{name}.question.json` is no question: {error}");
            Failure::new(Code::MalformedInput, message)
        })?;
        Ok(Some(question))
    }

    /// Says whether a question about a definition waits.
    pub(crate) fn is_open(folder: &Path, name: &str) -> bool {
        path(folder, name).symlink_metadata().is_ok()
    }
}

fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.question.json"))
}

fn write_beside(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o644)
        .open(path)?;
    file.write_all(bytes)
}
