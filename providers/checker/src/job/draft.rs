//! The draft of a job: the text that checks, runs and the end of the job speak of.

use serde::{Deserialize, Serialize};
use soil::hash::Digest;

use super::directory::Directory;
use super::record::Hash;
use crate::failure::Failure;

const TEXT: &str = "draft.soil";
const FACTS: &str = "draft.json";

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
    /// The two files are replaced one after the other, the text first. Where a call was killed between them the text is the
    /// newer one, which the digest shows; it counts as stored, with the citations of the draft before it.
    ///
    /// # Errors
    /// `io`, when a file cannot be read.
    pub(crate) fn read(directory: &Directory) -> Result<Option<Self>, Failure> {
        let Some(bytes) = directory.read(TEXT)? else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let digest = digest_of(&text);
        let facts = directory.read(FACTS)?;
        let facts: Option<DraftFacts> = facts.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let facts = match facts {
            Some(facts) if facts.digest == digest => facts,
            Some(facts) => DraftFacts {
                seq: facts.seq + 1,
                digest,
                ..facts
            },
            None => DraftFacts {
                seq: 1,
                digest,
                decisions_applied: Vec::new(),
            },
        };
        Ok(Some(Self { text, facts }))
    }

    /// Stores a canonical text and what it cites.
    ///
    /// # Errors
    /// `io`, when a file cannot be written.
    pub(crate) fn store(
        directory: &Directory,
        text: &str,
        decisions_applied: Vec<Citation>,
    ) -> Result<Self, Failure> {
        let before = Self::read(directory)?.map_or(0, |draft| draft.facts.seq);
        let facts = DraftFacts {
            seq: before + 1,
            digest: digest_of(text),
            decisions_applied,
        };
        directory.replace(TEXT, text.as_bytes())?;
        let mut json = serde_json::to_string(&facts).expect("texts and numbers are JSON");
        json.push('\n');
        directory.replace(FACTS, json.as_bytes())?;
        Ok(Self {
            text: text.to_owned(),
            facts,
        })
    }
}

fn digest_of(text: &str) -> Hash {
    Hash(Digest::of([text]))
}
