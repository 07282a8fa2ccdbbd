//! `lonis.toml`: which providers and plain CLIs are registered, and under which rules they run.
//!
//! One schema serves the user file, the project file and `LONIS_CONFIG`. A file is taken whole or refused whole, with
//! file, line, column and key of the first thing that is wrong. Nothing is started here, and no variable is read.

mod document;
mod execution;
mod plain;
mod policy;
mod provider;

use std::path::{Path, PathBuf};

use lonis_schema::{ErrorKind, ToolError, ToolId};
use serde_json::json;

pub use execution::{EnvValue, Execution, SandboxMode};
pub use plain::PlainTool;
pub use provider::{NativeTool, ProviderEntry, SurfaceArguments};

use super::name::ProviderName;
use crate::policy::PolicyRule;
use crate::read_regular_file;
use document::Document;

/// Bytes that a configuration file may have.
pub const MAX_FILE_BYTES: u64 = 1_048_576;

/// One configuration file, read and checked.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Config {
    /// The file that it was read from.
    pub file: PathBuf,
    /// Execution keys for everything that does not say otherwise.
    pub defaults: Execution,
    /// The providers, as written.
    pub providers: Vec<(ProviderName, ProviderEntry)>,
    /// The plain CLIs, as written.
    pub tools: Vec<(ToolId, PlainTool)>,
    /// The rules about calls, as written.
    pub policy: Vec<PolicyRule>,
    /// Whether a provider or a plain CLI comes next, in the order in which the file has them.
    order: Vec<Table>,
}

/// Which sort of table stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Table {
    Provider,
    Tool,
}

/// One registration of a file.
#[derive(Debug)]
pub(super) enum Written {
    /// A `[providers.NAME]`.
    Provider(ProviderName, Box<ProviderEntry>),
    /// A `[tools."ID"]`.
    Tool(ToolId, Box<PlainTool>),
}

/// Why a configuration file was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}`{}: {message}", file.display(), Place { line: *line, column: *column })]
#[non_exhaustive]
pub struct ConfigError {
    /// The file.
    pub file: Box<Path>,
    /// The line, from 1, where one is known.
    pub line: Option<u32>,
    /// The column in characters, from 1, where one is known.
    pub column: Option<u32>,
    /// The key, dotted from the root, where it concerns one.
    pub key: Option<Box<str>>,
    /// What is wrong.
    pub message: Box<str>,
    /// What would mend it.
    pub hint: Option<Box<str>>,
}

struct Place {
    line: Option<u32>,
    column: Option<u32>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(formatter, " line {line}, column {column}"),
            (Some(line), None) => write!(formatter, " line {line}"),
            _ => Ok(()),
        }
    }
}

impl ConfigError {
    fn of_file(file: &Path, message: impl Into<Box<str>>) -> Self {
        Self {
            file: file.into(),
            line: None,
            column: None,
            key: None,
            message: message.into(),
            hint: None,
        }
    }
}

impl From<&ConfigError> for ToolError {
    fn from(error: &ConfigError) -> Self {
        let mut details = json!({ "file": error.file.to_string_lossy() });
        let members = [
            ("line", error.line.map(Into::into)),
            ("column", error.column.map(Into::into)),
            ("key", error.key.as_deref().map(Into::into)),
            ("hint", error.hint.as_deref().map(Into::into)),
        ];
        for (name, value) in members {
            if let Some(value) = value {
                details[name] = value;
            }
        }
        Self::new(ErrorKind::InvalidConfig, error.to_string()).with_details(details)
    }
}

impl Config {
    /// Reads a file's bytes, at most [`MAX_FILE_BYTES`].
    ///
    /// The bytes are returned apart from their meaning, since trust is of the bytes that are then parsed.
    ///
    /// # Errors
    /// When the file cannot be read, is none or is too large.
    pub fn bytes(file: &Path) -> Result<Vec<u8>, ConfigError> {
        read_regular_file(file, MAX_FILE_BYTES)
            .map_err(|error| ConfigError::of_file(file, error.to_string()))
    }

    /// Checks a file's bytes. Relative paths in it start at the file's folder, `~/` at `home`.
    ///
    /// # Errors
    /// For the first thing that is wrong; nothing of the file is then used.
    pub fn parse(file: &Path, bytes: &[u8], home: Option<&Path>) -> Result<Self, ConfigError> {
        let text = str::from_utf8(bytes).map_err(|error| {
            ConfigError::of_file(
                file,
                format!("is not UTF-8 at byte {}", error.valid_up_to()),
            )
        })?;
        let document = Document::parse(file, text, home)?;
        let mut root = document.root();
        let defaults = match root.section("defaults")? {
            Some(mut section) => {
                let defaults = Execution::read(&mut section)?;
                section.finish()?;
                defaults
            }
            None => Execution::default(),
        };
        let (mut providers, mut tools, mut order) = (Vec::new(), Vec::new(), Vec::new());
        for section in root.sections("providers")? {
            order.push((section.offset(), Table::Provider));
            providers.push(provider::read(section)?);
        }
        for section in root.sections("tools")? {
            order.push((section.offset(), Table::Tool));
            tools.push(plain::read(section)?);
        }
        order.sort_by_key(|(offset, _)| *offset);
        let policy = policy::read(&mut root)?;
        root.finish()?;
        Ok(Self {
            file: file.to_path_buf(),
            defaults,
            providers,
            tools,
            policy,
            order: order.into_iter().map(|(_, table)| table).collect(),
        })
    }

    /// Every registration in the order of the file, which decides who keeps an id.
    pub(super) fn into_written(self) -> impl Iterator<Item = Written> {
        let (mut providers, mut tools) = (self.providers.into_iter(), self.tools.into_iter());
        self.order.into_iter().filter_map(move |table| match table {
            Table::Provider => providers
                .next()
                .map(|(name, entry)| Written::Provider(name, Box::new(entry))),
            Table::Tool => tools
                .next()
                .map(|(id, tool)| Written::Tool(id, Box::new(tool))),
        })
    }
}

#[cfg(test)]
mod tests;
