//! Tools of other providers, from the `lonis.toml` that whoever started this program named.
//!
//! Nothing is read and nothing is started before a tool is asked for. What stands in a tree that a session is about is never
//! looked at for it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use lonis::host::{Environment, Host, Registered, Standing};
use lonis::process::Program;
use lonis::{BlockKind, Tool, ToolError, json_content_hash};
use serde_json::json;

use crate::evidence::RanTool;
use crate::program_hash::ProgramHashes;

/// The registry of one file, or none.
#[derive(Debug, Default)]
pub struct Registry {
    file: Option<PathBuf>,
    host: OnceLock<Result<Host, ToolError>>,
}

/// A tool that can be called.
pub struct Hosted {
    /// The tool.
    pub tool: Arc<dyn Tool<BlockKind>>,
    /// What evidence says of it.
    pub ran: RanTool,
}

impl fmt::Debug for Hosted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Hosted")
            .field("ran", &self.ran)
            .finish_non_exhaustive()
    }
}

/// Why a tool cannot be called.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// No file was named.
    #[error("tool `{id}` needs a registry, and no `--providers FILE` was given")]
    NoRegistry {
        /// The tool.
        id: String,
    },
    /// The file or what it registers cannot be used, or has no such tool.
    #[error("{}", .0.message())]
    Host(Box<ToolError>),
}

impl Registry {
    /// The registry of a file, if one is named.
    pub fn new(file: Option<PathBuf>) -> Self {
        Self {
            file,
            host: OnceLock::new(),
        }
    }

    /// The file.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Finds a tool, with what evidence says of it.
    ///
    /// # Errors
    /// No registry, no such tool, or a provider that does not answer.
    pub fn find(&self, id: &str, hashes: &ProgramHashes) -> Result<Hosted, RegistryError> {
        let host = self.host(id)?;
        let refused = |error: ToolError| RegistryError::Host(Box::new(error));
        let tool = host.find(id).map_err(refused)?;
        let contract = tool.try_contract().map_err(refused)?;
        let contract = contract.map(|contract| json_content_hash(&json!(contract)).to_string());
        let program = program_of(host, id);
        let ran = RanTool {
            name: id.to_owned(),
            blake3: program.and_then(|program| hashes.of(&program.resolve().ok()?)),
            contract,
            version: Some(tool.tool_version().to_owned()),
        };
        Ok(Hosted { tool, ran })
    }

    fn host(&self, id: &str) -> Result<&Host, RegistryError> {
        let Some(file) = &self.file else {
            let id = id.to_owned();
            return Err(RegistryError::NoRegistry { id });
        };
        let load = || {
            let environment = Environment::of_process().map_err(|error| {
                ToolError::new(
                    lonis::ErrorKind::Io,
                    format!("the working directory cannot be read: {error}"),
                )
            })?;
            Host::load(&environment.with_variable("LONIS_CONFIG", file))
        };
        self.host
            .get_or_init(load)
            .as_ref()
            .map_err(|error| RegistryError::Host(Box::new(error.clone())))
    }
}

/// The program of a tool: its own registration, else that of the provider that it is named after, else of whichever has it.
fn program_of(host: &Host, id: &str) -> Option<Program> {
    let active = |name: &str| {
        let mut all = host.registrations().iter();
        all.find(|one| one.standing == Standing::Active && one.name == name)
    };
    let namespace = id.split_once(':').map_or(id, |(namespace, _)| namespace);
    let found = active(id).or_else(|| active(namespace)).or_else(|| {
        let hosted = host.tools().iter().find(|tool| tool.id.as_str() == id)?;
        active(&hosted.provider)
    })?;
    let command = match &found.what {
        Registered::Provider(entry) => &entry.command,
        Registered::Plain(tool) => &tool.command,
    };
    Some(Program::new(command))
}
