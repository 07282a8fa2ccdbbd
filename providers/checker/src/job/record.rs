//! `job.json`: what a job is and how far it has come.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use soil::eval::Bounds;
use soil::hash::Digest;
use soil::spec::Hashes;

/// The version of the form that is read and written.
pub(crate) const JOB_FORMAT: u64 = 1;

/// A job, as its directory holds it.
///
/// # Wire shape
/// `{"job_format":1,"definition":S,"root":S,"state":S,"budget":N,"caps":{…},"limits":{…},"spec_hashes":{…},"decisions":{…},
/// "callee_hashes":[{"name","hash"}],"previous_soil_hash":H|null,"bundle_digest":H,"provider":S|null,"model":S|null,
/// "opened":N,"turns":N,"cost_micros":N}`, `"plain":true` for a job whose documents are not rich, and `"cap_untold":true` between a
/// charge that reached the cap and the next call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    pub(crate) job_format: u64,
    /// `<module>/<name>`.
    pub(crate) definition: String,
    /// The root of the project.
    pub(crate) root: PathBuf,
    pub(crate) state: State,
    /// Tokens of the bundle.
    pub(crate) budget: u64,
    pub(crate) caps: Caps,
    pub(crate) limits: Limits,
    pub(crate) spec_hashes: SpecHashes,
    pub(crate) decisions: DecisionHashes,
    /// The hashes of all that the definition can call and of all declared types.
    pub(crate) callee_hashes: CalleeHashes,
    /// The hash of the body before the job, where there was one.
    pub(crate) previous_soil_hash: Option<Hash>,
    pub(crate) bundle_digest: Hash,
    pub(crate) provider: Option<String>,
    pub(crate) model: Option<String>,
    /// Milliseconds since 1970.
    pub(crate) opened: u64,
    /// The calls that were begun.
    pub(crate) turns: u64,
    pub(crate) cost_micros: u64,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) plain: bool,
    /// Whether a charge reached the cap and no call was told so yet.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) cap_untold: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands `skip_serializing_if` a reference to the field"
)]
fn is_false(value: &bool) -> bool {
    !value
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// Calls are served.
    Running,
    /// The agent asked a question.
    Asked,
    /// A cap was reached.
    Capped,
    /// What the job was made from changed.
    Invalidated,
    /// It is over.
    Closed,
}

impl State {
    /// Gives the word that stands in documents.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Asked => "asked",
            Self::Capped => "capped",
            Self::Invalidated => "invalidated",
            Self::Closed => "closed",
        }
    }
}

/// How much a job may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Caps {
    /// Calls that are served.
    pub(crate) turns: u64,
    /// Milliseconds from its opening.
    pub(crate) wall_ms: u64,
    /// Millionths of a unit of money; none means no cap.
    pub(crate) cost_micros: Option<u64>,
}

/// How far the runs of a job's drafts may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    /// Steps of one case.
    pub(crate) fuel: u64,
    /// Bytes, as the language counts them, of one case.
    pub(crate) cells: u64,
    /// Frames of one case.
    pub(crate) depth: u64,
    /// Steps of a whole run of tests.
    pub(crate) run_fuel: u64,
}

impl Default for Limits {
    fn default() -> Self {
        let Bounds { fuel, cells, depth } = Bounds::default();
        Self {
            fuel,
            cells,
            depth: depth as u64,
            run_fuel: soil::testing::MAX_RUN_FUEL,
        }
    }
}

/// The hashes of a function's `.tr`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpecHashes {
    pub(crate) formal: Hash,
    pub(crate) test: Hash,
    pub(crate) prose: Hash,
}

impl SpecHashes {
    /// Takes the hashes of a function's file; one of another kind has no tests.
    pub(crate) fn of(hashes: Hashes) -> Option<Self> {
        Some(Self {
            formal: Hash(hashes.formal),
            test: Hash(hashes.test?),
            prose: Hash(hashes.prose),
        })
    }
}

/// The two values by which a change of decisions is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecisionHashes {
    pub(crate) scope_hash: Hash,
    pub(crate) entries_digest: Hash,
}

/// One thing that a draft builds on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CalleeHash {
    pub(crate) name: String,
    pub(crate) hash: Hash,
}

/// All that a draft can build on, kept as its text: a call reads it only where a file changed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct CalleeHashes(Box<RawValue>);

impl CalleeHashes {
    /// Writes the hashes.
    pub(crate) fn of(hashes: &[CalleeHash]) -> Self {
        Self(to_raw_value(hashes).expect("names and digests are JSON"))
    }

    /// Reads the hashes; none where they are of another form.
    pub(crate) fn read(&self) -> Option<Vec<CalleeHash>> {
        serde_json::from_str(self.0.get()).ok()
    }
}

impl PartialEq for CalleeHashes {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Eq for CalleeHashes {}

/// A digest in its written form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Hash(pub(crate) Digest);

impl Hash {
    /// Gives the hex digits alone.
    pub(crate) fn bare_hex(self) -> String {
        let text = self.0.to_string();
        text.strip_prefix("sha256:").unwrap_or(&text).to_owned()
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Digest::parse(&text)
            .map(Self)
            .map_err(serde::de::Error::custom)
    }
}

impl Record {
    /// Reads the text of `job.json`; none when it is no job of this form.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let record: Self = serde_json::from_slice(bytes).ok()?;
        let names_definition = record.definition.split_once('/').is_some();
        (record.job_format == JOB_FORMAT && names_definition && record.root.is_absolute())
            .then_some(record)
    }

    /// Gives the text of `job.json`.
    pub(crate) fn text(&self) -> String {
        let mut text = serde_json::to_string(self).expect("roots are UTF-8, and all else is");
        text.push('\n');
        text
    }

    /// Gives the module of the definition.
    pub(crate) fn module(&self) -> &str {
        let parts = self.definition.split_once('/');
        parts.map_or("", |(module, _)| module)
    }

    /// Gives the name of the definition.
    pub(crate) fn name(&self) -> &str {
        let parts = self.definition.split_once('/');
        parts.map_or(self.definition.as_str(), |(_, name)| name)
    }
}

#[cfg(test)]
mod tests;
