//! The commands: each joins the parts, and gives one object of data or one failure.

mod abort;
mod apply;
mod begin;
pub(crate) mod bounded;
mod diff;
mod gc;
mod hermetic;
mod left_out;
mod list;
mod log;
mod opening;
mod place;
mod proof;
mod record_file;
mod recover;
mod stage;
mod status;
mod test;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use lonis_diagnostics::{Failure, Redactor};
use serde_json::Value;

use crate::clock::{Clock, SystemClock};
use crate::command::Command;
use crate::diagnose::During;
use crate::file_set::{GitEnvironment, POLICY_FILE};
use crate::obligation::Tell;
use crate::obligation::ground::Grounds;
use crate::patch::document::Rounded;
use crate::program_hash::ProgramHashes;
use crate::registry::Registry;
use crate::request::Request;
use crate::snapshot::live::LiveTree;
use crate::store::disk::{Disk, RootDisk};
use place::MAX_POLICY_BYTES;

/// What a command finds around it, beside its input.
pub struct Surroundings {
    /// Where git looks for its own configuration.
    pub git: GitEnvironment,
    /// The clock of events.
    pub clock: Box<dyn Clock>,
    /// The directory of temporary files.
    pub temporary: Option<PathBuf>,
    /// The tools that obligations and languages of a policy may call.
    pub registry: Registry,
    /// What is known of the programs that obligations run.
    pub hashes: ProgramHashes,
    /// What can be mounted for obligations.
    pub grounds: Grounds,
    /// Opens the disk on which the store of a root lies, and onto which a result is written.
    pub open_disk: Box<OpenDisk>,
}

/// Opens the disk of a root.
pub type OpenDisk = dyn Fn(&Path) -> io::Result<Box<dyn Disk>>;

impl fmt::Debug for Surroundings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Surroundings")
            .field("git", &self.git)
            .finish_non_exhaustive()
    }
}

impl Surroundings {
    /// Those of this process.
    pub fn of_process() -> Self {
        Self {
            git: GitEnvironment::of_process(),
            clock: Box::new(SystemClock),
            temporary: Some(std::env::temp_dir()),
            registry: Registry::default(),
            hashes: ProgramHashes::default(),
            grounds: Grounds::default(),
            open_disk: Box::new(|root| Ok(Box::new(RootDisk::open(root)?))),
        }
    }

    /// Lets obligations and languages of a policy call the tools that a `lonis.toml` registers.
    #[must_use]
    pub fn with_providers(mut self, file: Option<PathBuf>) -> Self {
        self.registry = Registry::new(file);
        self
    }

    /// Binds what a failure proposes to the policy file of the live tree.
    fn bound_to_policy(&self, failure: Failure, root: &Path) -> Failure {
        if !failure.proposes() {
            return failure;
        }
        let live = LiveTree::open(root, self.git.clone()).ok();
        let bytes = live.and_then(|live| live.read(POLICY_FILE, MAX_POLICY_BYTES).ok());
        match bytes {
            Some(bytes) => failure.under_policy_file(&bytes.unwrap_or_default()),
            None => failure,
        }
    }

    /// Knows where things stand on this machine, so that no answer says it.
    fn redactor(&self, request: &Request) -> Redactor {
        let mut redactor = Redactor::new();
        let providers = self.registry.file().and_then(Path::parent);
        let known = [
            ("root", Some(request.root.as_path())),
            ("home", self.git.home.as_deref()),
            ("tmp", self.temporary.as_deref()),
            ("providers", providers),
        ];
        for (name, directory) in known {
            if let Some(directory) = directory.and_then(Path::to_str) {
                redactor = redactor.knowing(name, directory);
            }
        }
        redactor
    }
}

/// Runs a command.
///
/// # Errors
/// A failure whose code is one of the catalog, and whose texts say nothing of where things stand on this machine.
pub fn run(command: Command, input: &Value, surroundings: &Surroundings) -> Result<Value, Failure> {
    run_telling(command, input, &Rounded::default(), surroundings, &|_| {})
}

/// Runs a command, and tells how far its obligations are where the input asks for `progress`; `rounded` is what was rounded as
/// the text of the input was read.
///
/// # Errors
/// As [`run`].
pub fn run_telling(
    command: Command,
    input: &Value,
    rounded: &Rounded,
    surroundings: &Surroundings,
    tell: &Tell<'_>,
) -> Result<Value, Failure> {
    let mut request = Request::read(command, input)?;
    request.rounded = rounded.clone();
    let redactor = surroundings.redactor(&request);
    let operation = command.operation();
    let during = During(&operation);
    let result = match command {
        Command::Begin => begin::run(&request, surroundings, during),
        Command::Stage => stage::run(&request, surroundings, tell, during),
        Command::Test => test::run(&request, surroundings, tell, during),
        Command::Apply => apply::run(&request, surroundings, during),
        Command::Recover => recover::run(&request, surroundings, during),
        Command::Status => status::run(&request, surroundings, during),
        Command::Abort => abort::run(&request, surroundings, during),
        Command::Diff => diff::run(&request, surroundings, during),
        Command::List => list::run(&request, surroundings, during),
        Command::Log => log::run(&request, surroundings, during),
        Command::Gc => gc::run(&request, surroundings, during),
    };
    match result {
        Ok(mut data) => {
            data["schema"] = command.kind().into();
            redactor.value(&mut data);
            bounded::bound(&mut data);
            Ok(data)
        }
        Err(failure) => {
            let session = input.get("session").and_then(Value::as_str);
            let failure = match session {
                Some(session) => failure.with_fact("session", session),
                None => failure,
            };
            let failure = surroundings.bound_to_policy(failure, &request.root);
            let failure = failure.redacted(&redactor);
            Err(match failure.result().cloned() {
                Some(mut result) => {
                    bounded::bound(&mut result);
                    failure.with_result(result)
                }
                None => failure,
            })
        }
    }
}

#[cfg(test)]
mod tests;
