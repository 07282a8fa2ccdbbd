//! The draft of a job: the text that checks, runs and the end of the job speak of.

use serde::{Deserialize, Serialize};
use soil::diagnostic::Code;
use soil::hash::Digest;

use super::directory::Directory;
use super::record::Hash;
use crate::failure::Failure;

const TEXT: &str = "draft.soil";
const FACTS: &str = "draft.json";

/// The file that holds both while they are being replaced.
const STORED: &str = "draft.next.json";

/// A draft that was stored.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// The canonical text.
    pub(crate) text: String,
    pub(crate) facts: DraftFacts,
}

/// What is known of a draft beside its text.
///
/// # Wire shape
/// `{"seq":N,"digest":H,"decisions_applied":[{"scope":{"tag":"Project"|"Module"},"label":S}]}`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DraftFacts {
    /// How many drafts were stored, this one included.
    pub(crate) seq: u64,
    /// The digest of the text as one part.
    pub(crate) digest: Hash,
    /// The decisions that the agent cites.
    pub(crate) decisions_applied: Vec<Citation>,
}

/// A decision that is cited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Citation {
    pub(crate) scope: CitedScope,
    pub(crate) label: String,
}

/// The scope of a cited decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tag", deny_unknown_fields)]
pub(crate) enum CitedScope {
    /// The project's own decisions.
    Project,
    /// Those of the definition's module.
    Module,
}

impl Citation {
    /// Says whether this is the decision of project or module with that label.
    pub(crate) fn names(&self, is_projects: bool, label: &str) -> bool {
        (self.scope == CitedScope::Project) == is_projects && self.label == label
    }
}

impl Draft {
    /// Reads the draft of a job; none before the first.
    ///
    /// # Errors
    /// `io`, when a file cannot be read, or the text is not the one that was stored.
    pub(crate) fn read(directory: &Directory) -> Result<Option<Self>, Failure> {
        if let Some(stored) = Stored::read(directory)? {
            return Ok(Some(stored.draft()));
        }
        let Some(text) = directory.read(TEXT)? else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&text).into_owned();
        let facts = directory.read(FACTS)?;
        let facts: Option<DraftFacts> = facts.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        match facts.filter(|facts| facts.digest == digest_of(&text)) {
            Some(facts) => Ok(Some(Self { text, facts })),
            None => Err(Failure::new(
                Code::Io,
                format!("`{TEXT}` is not the text that `{FACTS}` speaks of: write the draft again"),
            )),
        }
    }

    /// Reads the text alone, as it stands beside a call that may be writing another one.
    ///
    /// # Errors
    /// `io`, when it cannot be read.
    pub(crate) fn text(directory: &Directory) -> Result<Option<String>, Failure> {
        let text = directory.read(TEXT)?;
        Ok(text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Stores a canonical text and what it cites, both or neither however the call ends.
    ///
    /// # Errors
    /// `io`, when a file cannot be written.
    pub(crate) fn store(
        directory: &Directory,
        text: &str,
        decisions_applied: Vec<Citation>,
    ) -> Result<Self, Failure> {
        let stored = Stored {
            facts: DraftFacts {
                seq: last_number(directory)? + 1,
                digest: digest_of(text),
                decisions_applied,
            },
            text: text.to_owned(),
        };
        for step in stored.steps() {
            step.run(directory)?;
        }
        Ok(stored.draft())
    }
}

/// A draft in one file, which is there while its two files are being written: it counts from then on.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    text: String,
    facts: DraftFacts,
}

/// One change of a job's directory that is made whole or not at all.
#[derive(Debug)]
enum Step {
    Put(&'static str, String),
    Remove(&'static str),
}

impl Step {
    fn run(&self, directory: &Directory) -> Result<(), Failure> {
        match self {
            Self::Put(name, text) => directory.replace(name, text.as_bytes()),
            Self::Remove(name) => directory.remove_file(name),
        }
    }
}

impl Stored {
    fn read(directory: &Directory) -> Result<Option<Self>, Failure> {
        let bytes = directory.read(STORED)?;
        let stored: Option<Self> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(stored.filter(|stored| stored.facts.digest == digest_of(&stored.text)))
    }

    fn draft(self) -> Draft {
        Draft {
            text: self.text,
            facts: self.facts,
        }
    }

    /// Lists the changes that store it: after the first it is the draft, wherever the others stop.
    fn steps(&self) -> [Step; 4] {
        let json = |text: Result<String, serde_json::Error>| text.expect("texts are JSON") + "\n";
        [
            Step::Put(STORED, json(serde_json::to_string(self))),
            Step::Put(TEXT, self.text.clone()),
            Step::Put(FACTS, json(serde_json::to_string(&self.facts))),
            Step::Remove(STORED),
        ]
    }
}

/// Gives how many drafts were stored, those that cannot be read any more among them.
fn last_number(directory: &Directory) -> Result<u64, Failure> {
    if let Some(stored) = Stored::read(directory)? {
        return Ok(stored.facts.seq);
    }
    let facts = directory.read(FACTS)?;
    let facts: Option<DraftFacts> = facts.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok(facts.map_or(0, |facts| facts.seq))
}

fn digest_of(text: &str) -> Hash {
    Hash(Digest::of([text]))
}

#[cfg(test)]
mod tests;
