//! What a block was made from: the pins that a replay compares.

use crate::finding::Checker;
use crate::object_only::object_only;
use crate::wire_number::optional_count;
use serde::{Deserialize, Serialize};

/// The version, pins and replay declaration of a block.
///
/// # Wire shape
/// ```
/// let text = r#"{"tool_version":"1.2.0","replay":{"replayable":true,"required_hashes":["input_hash"]},"input_hash":"9f2c","seed":7}"#;
/// let provenance: lonis_schema::ReplayProvenance = serde_json::from_str(text)?;
/// assert_eq!(serde_json::to_string(&provenance)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Units and bounds
/// `tool_version`: at most 256 Unicode scalar values. Each hash: at most 128; hashes are opaque here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ReplayProvenance {
    /// Version of the tool that made the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// How the tool stands to the version that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<Compatibility>,
    /// Whether and under which pins the block can be made again.
    #[serde(default, skip_serializing_if = "Replay::is_default")]
    pub replay: Replay,
    /// Hash of the project worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_hash: Option<String>,
    /// Hash of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_hash: Option<String>,
    /// Hash of the plan followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_hash: Option<String>,
    /// Hash of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_hash: Option<String>,
    /// Seed of the random numbers used.
    #[serde(
        default,
        deserialize_with = "optional_count",
        skip_serializing_if = "Option::is_none"
    )]
    pub seed: Option<u64>,
}

/// How a tool stands to the version that was asked for.
///
/// # Units and bounds
/// `status`: at most 256 Unicode scalar values. `reasons`: at most 256, of at most 4096 each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Compatibility {
    /// One word on the relation.
    pub status: String,
    /// Why it is so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

/// Whether a block can be made again, and which pins have to agree then.
///
/// The default, `false` with both lists empty, is left out on the wire.
///
/// # Units and bounds
/// `required_hashes`: at most 64, of at most 256 Unicode scalar values each. `reasons`: at most 256, of at most 4096.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Replay {
    /// Whether the producer claims that a replay gives the same block.
    pub replayable: bool,
    /// Names of the hash slots that have to agree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_hashes: Vec<String>,
    /// Why a replay is possible or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

object_only!(ReplayProvenance, Compatibility, Replay);

/// Nothing set, for whoever needs a reference to it.
pub(crate) static NO_PROVENANCE: ReplayProvenance = ReplayProvenance {
    tool_version: None,
    compatibility: None,
    replay: Replay {
        replayable: false,
        required_hashes: Vec::new(),
        reasons: Vec::new(),
    },
    project_hash: None,
    input_hash: None,
    plan_hash: None,
    result_hash: None,
    seed: None,
};

impl ReplayProvenance {
    /// Returns whether nothing is set; such a provenance is left out on the wire.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn check(&self, checker: &mut Checker) {
        checker.text("tool_version", self.tool_version.as_deref(), 256);
        if let Some(compatibility) = &self.compatibility {
            checker.inside("compatibility", |checker| {
                checker.text("status", &*compatibility.status, 256);
                checker.texts("reasons", &compatibility.reasons, 256, 4096);
            });
        }
        checker.inside("replay", |checker| {
            checker.texts("required_hashes", &self.replay.required_hashes, 64, 256);
            checker.texts("reasons", &self.replay.reasons, 256, 4096);
        });
        checker.text("project_hash", self.project_hash.as_deref(), 128);
        checker.text("input_hash", self.input_hash.as_deref(), 128);
        checker.text("plan_hash", self.plan_hash.as_deref(), 128);
        checker.text("result_hash", self.result_hash.as_deref(), 128);
    }

    /// Sets the version of the tool.
    pub fn with_tool_version(mut self, version: impl Into<String>) -> Self {
        self.tool_version = Some(version.into());
        self
    }

    /// Sets how the tool stands to the version that was asked for.
    pub fn with_compatibility(mut self, compatibility: Compatibility) -> Self {
        self.compatibility = Some(compatibility);
        self
    }

    /// Sets whether and under which pins the block can be made again.
    pub fn with_replay(mut self, replay: Replay) -> Self {
        self.replay = replay;
        self
    }

    /// Pins the project worked on.
    pub fn with_project_hash(mut self, hash: impl Into<String>) -> Self {
        self.project_hash = Some(hash.into());
        self
    }

    /// Pins the input.
    pub fn with_input_hash(mut self, hash: impl Into<String>) -> Self {
        self.input_hash = Some(hash.into());
        self
    }

    /// Pins the plan followed.
    pub fn with_plan_hash(mut self, hash: impl Into<String>) -> Self {
        self.plan_hash = Some(hash.into());
        self
    }

    /// Pins the result.
    pub fn with_result_hash(mut self, hash: impl Into<String>) -> Self {
        self.result_hash = Some(hash.into());
        self
    }

    /// Sets the seed of the random numbers used.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }
}

impl Replay {
    /// Declares that the block can be made again where the named hash slots agree.
    pub fn replayable<T: Into<String>>(required_hashes: impl IntoIterator<Item = T>) -> Self {
        let required_hashes = required_hashes.into_iter().map(Into::into).collect();
        Self {
            replayable: true,
            required_hashes,
            reasons: Vec::new(),
        }
    }

    /// Declares that the block cannot be made again, and why.
    pub fn not_replayable<T: Into<String>>(reasons: impl IntoIterator<Item = T>) -> Self {
        let reasons = reasons.into_iter().map(Into::into).collect();
        Self {
            replayable: false,
            required_hashes: Vec::new(),
            reasons,
        }
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
