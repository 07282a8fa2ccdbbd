//! What one obligation showed, member by member.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::identity::Identity;

/// What one obligation showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObligationResult {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Whether it passed.
    pub ok: bool,
    /// The code that says why not.
    #[serde(deserialize_with = "present")]
    pub code: Option<String>,
    /// The identity of its declaration.
    pub declaration: Identity,
    /// What was run.
    pub tool: RanTool,
    /// Names of the variables that it saw.
    pub env_names: Vec<String>,
    /// The identity of their values.
    pub env_digest: Identity,
    /// Its exit code.
    #[serde(deserialize_with = "present")]
    pub exit: Option<u8>,
    /// The signal that ended it.
    #[serde(deserialize_with = "present")]
    pub signal: Option<i32>,
    /// How long it ran.
    pub duration_micros: u64,
    /// What it wrote to stdout; of a tool, its blocks.
    pub stdout: Output,
    /// What it wrote to stderr; of a tool that failed, its error follows.
    pub stderr: Output,
    /// Managed files that it changed.
    pub mutated: Vec<String>,
    /// Its directories that are kept between runs.
    pub scratch: Scratch,
    /// The limits that it ran under.
    pub limits: Value,
    /// By what means they were held.
    pub enforcement: Enforcement,
    /// The evidence that the result was taken over from.
    #[serde(deserialize_with = "present")]
    pub reused_from: Option<Identity>,
}

/// What an obligation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A program of the machine or of the tree.
    Command,
    /// A tool of the host's registry.
    Tool,
}

/// What was run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RanTool {
    /// The first word of the command, or the id of the tool.
    pub name: String,
    /// The plain BLAKE3 of the executable's bytes; `None` where none is found.
    #[serde(deserialize_with = "present")]
    pub blake3: Option<String>,
    /// The content hash of a tool's contract.
    #[serde(deserialize_with = "present")]
    pub contract: Option<String>,
    /// The version of a tool.
    #[serde(deserialize_with = "present")]
    pub version: Option<String>,
}

/// Output that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The identity of all that is kept.
    pub blob: Identity,
    /// Its length.
    pub bytes: u64,
    /// Whether anything was replaced in it.
    pub redacted: bool,
}

/// Directories that are kept between runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scratch {
    /// The directories.
    pub paths: Vec<String>,
    /// Whether an earlier run had left something in one of them.
    pub warm: bool,
}

/// By what means each kind of bound was held: the real mechanism, or `unavailable`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enforcement {
    /// The time limit.
    pub wall: String,
    /// The limit on processor time.
    pub cpu: String,
    /// The limit on memory.
    pub memory: String,
    /// The limits on output.
    pub output: String,
    /// The limit on processes if there is one, and what ends those that are left: with `session` one that leaves its session
    /// can outlive the run.
    pub processes: String,
    /// The limit on the length of a file.
    pub file_size: String,
    /// The closing of the network.
    pub network: String,
    /// How the workspace was made.
    pub workspace: String,
}

/// Reads a member that has to be there, if only as `null`.
pub(super) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}
