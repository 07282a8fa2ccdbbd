//! What has to hold before an apply, as the policy file declares it.

use std::collections::BTreeMap;

use lonis::ToolId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::value::{GlobList, Limit};
use crate::identity::{Domain, Identity, canonical_bytes};
use crate::path::WorkspacePath;

/// The most words of a command, and the most bytes of one.
const MAX_ARGV: (usize, usize) = (256, 16 * 1024);

/// One obligation, every key with its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Obligation {
    /// Its name, `[a-z0-9][a-z0-9_-]{0,63}`, of which the policy has one.
    pub name: String,
    /// A command, or none where a tool is called.
    #[serde(default)]
    pub argv: Option<Vec<String>>,
    /// The id of a tool, or none where a command is run.
    #[serde(default)]
    pub tool: Option<String>,
    /// What the tool is given, without `root`.
    #[serde(default = "empty_object")]
    pub input: Value,
    /// What has to stand in the tool's result.
    #[serde(default)]
    pub expect: Option<Expectation>,
    /// Where the command starts.
    #[serde(default = "here")]
    pub cwd: String,
    /// What is added to the environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Variables that are passed on where they are set.
    #[serde(default = "path_alone")]
    pub pass_env: Vec<String>,
    /// The limit on its time.
    #[serde(default = "five_minutes")]
    pub timeout_millis: Limit<86_400_000, 0>,
    /// Exit codes that are a pass.
    #[serde(default = "zero_alone")]
    pub expected_exit: Vec<u8>,
    /// The limit on what is written to stdout.
    #[serde(default = "four_mebibytes")]
    pub max_stdout_bytes: Limit<{ 1 << 40 }, 0>,
    /// The limit on what is written to stderr.
    #[serde(default = "four_mebibytes")]
    pub max_stderr_bytes: Limit<{ 1 << 40 }, 0>,
    /// The limit on processor time.
    #[serde(default)]
    pub max_cpu_millis: Option<Limit<86_400_000, 0>>,
    /// The limit on memory.
    #[serde(default)]
    pub max_memory_bytes: Option<Limit<{ 1 << 50 }, 0>>,
    /// The limit on processes at once.
    #[serde(default)]
    pub max_processes: Option<Limit<1_000_000, 0>>,
    /// The limit on the length of a file.
    #[serde(default)]
    pub max_file_bytes: Option<Limit<{ 1 << 50 }, 0>>,
    /// Whether there is a network.
    #[serde(default)]
    pub network: Network,
    /// Directories that are kept between runs, outside the snapshot.
    #[serde(default)]
    pub scratch: Vec<WorkspacePath>,
    /// What the result depends on; nothing is everything.
    #[serde(default)]
    pub inputs: GlobList,
    /// Whether an earlier pass may be taken over.
    #[serde(default)]
    pub reuse: bool,
}

/// What has to stand in a tool's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// A JSON Pointer into the data of the last block.
    pub pointer: String,
    /// The value there.
    pub equals: Value,
}

/// Whether there is a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    /// What the engine itself has.
    #[default]
    Inherit,
    /// None.
    Deny,
}

/// A rule that a declaration breaks: the key, what is expected of it, what was seen.
pub(super) type Broken = (&'static str, &'static str, String);

impl Obligation {
    /// The identity of the declaration.
    pub fn declaration(&self) -> Identity {
        Identity::of(Domain::Obligation, &canonical_bytes(self))
    }

    /// Checks what no single key shows.
    pub(super) fn check(&self) -> Result<(), Broken> {
        self.check_words()?;
        self.check_form()
    }

    fn check_words(&self) -> Result<(), Broken> {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let name = self.name.as_bytes();
        let is_name = (1..=64).contains(&name.len())
            && is_plain(name[0])
            && name
                .iter()
                .all(|&byte| is_plain(byte) || byte == b'_' || byte == b'-');
        if !is_name {
            return Err((
                "name",
                "1 to 64 of a-z, 0-9, `_` and `-`",
                self.name.clone(),
            ));
        }
        if self.cwd != "." && WorkspacePath::new(&self.cwd).is_err() {
            return Err(("cwd", "`.` or a path below the root", self.cwd.clone()));
        }
        if let Some(reserved) = self.scratch.iter().find(|path| path.is_reserved()) {
            return Err((
                "scratch",
                "directories outside `.git` and `.lonis`",
                reserved.as_str().to_owned(),
            ));
        }
        let is_variable = |name: &str| !name.is_empty() && !name.contains(['=', '\0']);
        let passed = self.pass_env.iter().find(|name| !is_variable(name));
        if let Some(name) = passed {
            return Err(("pass_env", "names of variables", name.clone()));
        }
        let own = self.env.iter();
        if let Some((name, _)) = own
            .clone()
            .find(|(name, value)| !is_variable(name) || value.contains('\0'))
        {
            return Err(("env", "names and values of variables", name.clone()));
        }
        Ok(())
    }

    fn check_form(&self) -> Result<(), Broken> {
        match (&self.argv, &self.tool) {
            (Some(argv), None) => self.check_command(argv),
            (None, Some(tool)) => self.check_tool(tool),
            (Some(_), Some(_)) => Err(("tool", "either `argv` or `tool`", "both".to_owned())),
            (None, None) => Err(("argv", "either `argv` or `tool`", "neither".to_owned())),
        }
    }

    fn check_command(&self, argv: &[String]) -> Result<(), Broken> {
        let (words, bytes) = MAX_ARGV;
        let is_word = |word: &String| word.len() <= bytes && !word.contains('\0');
        if argv.is_empty() || argv.len() > words || !argv.iter().all(is_word) || argv[0].is_empty()
        {
            return Err((
                "argv",
                "1 to 256 words of at most 16 KiB",
                format!("{} words", argv.len()),
            ));
        }
        if self.expect.is_some() {
            return Err(("expect", "no expectation beside `argv`", "one".to_owned()));
        }
        if self.input != empty_object() {
            return Err(("input", "no input beside `argv`", "one".to_owned()));
        }
        if self.expected_exit.is_empty() {
            return Err(("expected_exit", "one code or more", "none".to_owned()));
        }
        Ok(())
    }

    fn check_tool(&self, tool: &str) -> Result<(), Broken> {
        if ToolId::new(tool).is_err() {
            return Err(("tool", "the id of a tool", tool.to_owned()));
        }
        if !self.input.is_object() {
            return Err(("input", "an object", self.input.to_string()));
        }
        if self.expected_exit != zero_alone() {
            return Err((
                "expected_exit",
                "no exit codes beside `tool`",
                format!("{:?}", self.expected_exit),
            ));
        }
        let pointer = self.expect.as_ref().map_or("", |expect| &expect.pointer);
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(("expect.pointer", "a JSON Pointer", pointer.to_owned()));
        }
        Ok(())
    }
}

fn empty_object() -> Value {
    Value::Object(serde_json::Map::new())
}

fn here() -> String {
    ".".to_owned()
}

fn path_alone() -> Vec<String> {
    vec!["PATH".to_owned()]
}

fn zero_alone() -> Vec<u8> {
    vec![0]
}

fn five_minutes() -> Limit<86_400_000, 0> {
    Limit::of(300_000)
}

fn four_mebibytes() -> Limit<{ 1 << 40 }, 0> {
    Limit::of(4 << 20)
}
