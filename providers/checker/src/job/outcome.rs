//! What became of a job.

use serde::{Deserialize, Serialize};
use soil::document::Writer;

use super::directory::Directory;
use crate::failure::Failure;

/// The file that tells how a closed job ended.
const NAME: &str = "outcome.json";

/// The outcome of a job.
///
/// # Wire shape
/// `{"tag":"Green"}`, `{"tag":"Partial","value":{"holes":N}}`, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tag", content = "value", deny_unknown_fields)]
pub(crate) enum Outcome {
    /// The agent asked a question.
    Question,
    /// What the job was made from changed.
    Invalidated,
    /// The draft is what the spec asks for.
    Green,
    /// The draft checks and has holes left.
    Partial {
        /// How many.
        holes: u64,
    },
    /// Anything else.
    Failed,
}

impl Outcome {
    /// Gives the word that stands in logs.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Invalidated => "invalidated",
            Self::Green => "green",
            Self::Partial { .. } => "partial",
            Self::Failed => "failed",
        }
    }

    /// Reads how a closed job ended; none where that is not known.
    ///
    /// # Errors
    /// `io`, when it cannot be read.
    pub(crate) fn read(directory: &Directory) -> Result<Option<Self>, Failure> {
        let bytes = directory.read(NAME)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Notes how a job ends.
    ///
    /// # Errors
    /// `io`, when it cannot be written.
    pub(crate) fn store(self, directory: &Directory) -> Result<(), Failure> {
        let text = serde_json::to_string(&self).expect("words and numbers are JSON");
        directory.replace(NAME, text.as_bytes())
    }

    /// Gives the document that the host prints.
    ///
    /// # Wire shape
    /// `{"outcome":{"tag":…},"wrote":[path]}`, paths below the root.
    pub(crate) fn document(self, wrote: &[String]) -> String {
        let mut writer = Writer::new();
        writer.object(|writer| {
            writer.key("outcome");
            match self {
                Self::Question => writer.tag("Question"),
                Self::Invalidated => writer.tag("Invalidated"),
                Self::Green => writer.tag("Green"),
                Self::Failed => writer.tag("Failed"),
                Self::Partial { holes } => writer.variant("Partial", |writer| {
                    writer.key("holes").number(holes);
                }),
            }
            writer.key("wrote").array(|writer| {
                for path in wrote {
                    writer.string(path);
                }
            });
        });
        writer.finish_document()
    }
}
