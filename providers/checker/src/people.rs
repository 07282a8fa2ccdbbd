//! The human face: `lonis-checker check`, `test` and their kin.
//!
//! A command prints text for people, or with `--json` the document instead. What is refused is shown in its source, or as a
//! document of diagnostics, on stderr. The exit code is that of the first code, and 1 for a result that is not as it
//! should be.

mod answer;
mod check;
mod context;
mod refresh;
mod run;
mod spec;
mod status;
mod test;

use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;

use soil::diagnostic::Code;
use soil::document::Detail;

use crate::face;
use crate::failure::Failure;
use crate::project::{Project, ROOT_VARIABLE, find};

/// The exit code of a result that is not as it should be.
const RED: u8 = 1;

/// A command for people.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Answers what an agent asked.
    Answer(answer::Answer),
    /// Checks a project, or one module of it.
    Check(check::Check),
    /// Writes what a model would get to read.
    Context(context::Context),
    /// Shows a section of the rules.
    Spec(spec::Spec),
    /// Shows what an agent has to know.
    Skill(spec::Skill),
    /// Makes locks true again: hashes, checks and tests of what has a body.
    Refresh(refresh::Refresh),
    /// Says that a definition whose tests pass is accepted.
    Accept(refresh::Accept),
    /// Shows what is not as locks say, and open questions.
    Status(status::Status),
    /// Calls a definition, with the files, the clock and the chance of this machine.
    Run(run::Run),
    /// Runs the cases, properties and references of definitions, or of all.
    Test(test::Test),
}

/// What every command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Common {
    /// The folder that holds `soil.toml`; the nearest one upward without it.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl Common {
    /// Finds the root.
    fn root(&self) -> Result<PathBuf, Failure> {
        let current = std::env::current_dir().map_err(|error| {
            let message = format!("the current folder is not known: {error}");
            Failure::new(Code::Io, message)
        })?;
        let environment = std::env::var_os(ROOT_VARIABLE);
        find(self.root.as_deref(), environment.as_deref(), &current)
    }

    /// Reads the project.
    fn project(&self) -> Result<Project, Failure> {
        Project::load(&self.root()?)
    }
}

/// What a command gives.
struct Outcome {
    text: String,
    is_good: bool,
}

impl Command {
    fn outcome(&self, is_json: bool) -> Result<Outcome, Failure> {
        match self {
            Self::Answer(answer) => answer::run(answer, is_json),
            Self::Check(check) => check::run(check, is_json),
            Self::Context(arguments) => context::run(arguments, is_json),
            Self::Spec(arguments) => spec::run(arguments, is_json),
            Self::Skill(_) => Ok(spec::run_skill(is_json)),
            Self::Refresh(arguments) => refresh::run(arguments, is_json),
            Self::Accept(arguments) => refresh::run_accept(arguments, is_json),
            Self::Status(status) => status::run(status, is_json),
            Self::Run(arguments) => run::run(arguments),
            Self::Test(test) => test::run(test, is_json),
        }
    }
}

/// Runs a command and gives its exit code.
pub(crate) fn run(command: &Command, is_json: bool) -> u8 {
    // A bug is a document like any other failure, so the hook must not write beside it.
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| command.outcome(is_json)));
    let outcome = outcome.unwrap_or_else(|_| {
        let message = "the checker has a bug that this input shows";
        Err(Failure::new(Code::Internal, message))
    });
    let written = outcome.and_then(|outcome| {
        if is_json {
            face::write(outcome.text.as_bytes())?;
        } else {
            face::answer_people(&outcome.text)?;
        }
        Ok(if outcome.is_good { 0 } else { RED })
    });
    written.unwrap_or_else(|failure| {
        if is_json {
            face::write_error(&failure.document(Detail::Rich));
        } else {
            face::show(&failure);
        }
        failure.tool_exit_code()
    })
}
