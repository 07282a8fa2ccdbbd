//! The commands of the host: `job open`, `charge`, `close`, always as documents; `list` and `show` for people too.

use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use soil::diagnostic::Code;
use soil::document::Detail;

use super::open::{Request, open};
use super::place::Place;
use super::record::Caps;
use super::{charge, close, listed};
use crate::bundle::{Budget, Counter};
use crate::face;
use crate::failure::Failure;
use crate::project::{ROOT_VARIABLE, find};

/// What is done with jobs.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Opens a job for one definition.
    Open(Open),
    /// Adds to the cost of a job.
    Charge {
        /// The path that `job open` printed.
        job: String,
        /// Millionths of a unit of money.
        #[arg(long, value_name = "N")]
        micros: u64,
    },
    /// Ends a job, and writes back what its last draft came to.
    Close {
        /// The path that `job open` printed.
        job: String,
        /// What the agent's program says of itself, for the log.
        #[arg(long, value_name = "JSON")]
        agent_result: Option<String>,
        /// Removes the directory of the job, also of one that is closed.
        #[arg(long = "remove")]
        removes: bool,
    },
    /// Lists jobs with state, turns and cost.
    List {
        #[command(flatten)]
        place: Where,
    },
    /// Shows record, draft and last events of a job.
    Show {
        /// The path that `job open` printed, or the name of the job's directory.
        job: String,
        #[command(flatten)]
        place: Where,
    },
}

#[derive(Debug, clap::Args)]
struct Open {
    /// `<module>/<name>`, or the name where it is unique.
    #[arg(value_name = "DEF")]
    definition: String,
    /// Tokens of the bundle.
    #[arg(long, value_name = "N", default_value_t = 24_000, value_parser = clap::value_parser!(u64).range(1_000..=200_000))]
    budget: u64,
    /// Tokens of the bundle, its manifest included.
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// What counts tokens: `bytes/N`, or the tokenizer `o200k_base`.
    #[arg(long, value_name = "COUNTER", default_value_t = Counter::CONTRACT)]
    counter: Counter,
    /// Calls that are served.
    #[arg(long, value_name = "N", default_value_t = 60)]
    turns: u64,
    /// Milliseconds that the job may take.
    #[arg(long, value_name = "N", default_value_t = 1_800_000)]
    wall_ms: u64,
    /// Millionths of a unit of money that the job may cost.
    #[arg(long, value_name = "N")]
    cost_micros: Option<u64>,
    /// Who serves the model.
    #[arg(long, value_name = "NAME", requires = "model")]
    provider: Option<String>,
    /// The model.
    #[arg(long, value_name = "NAME", requires = "provider")]
    model: Option<String>,
    /// Leaves parameters, edits and fits out of documents.
    #[arg(long = "plain")]
    is_plain: bool,
    #[command(flatten)]
    place: Where,
}

#[derive(Debug, clap::Args)]
struct Where {
    /// The folder that holds `soil.toml`; the nearest one upward without it.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// The folder of jobs; `.lonis/jobs` below the root without it.
    #[arg(long, value_name = "DIR")]
    jobs: Option<PathBuf>,
}

impl Command {
    /// Says whether the answer can be text; to hosts it is a document always.
    const fn is_for_people(&self) -> bool {
        matches!(self, Self::List { .. } | Self::Show { .. })
    }
}

impl Where {
    /// Finds the root, as an absolute path without links, which is what a job records.
    fn root(&self) -> Result<PathBuf, Failure> {
        let current =
            std::env::current_dir().map_err(|error| Failure::io(Path::new("."), &error))?;
        let environment = std::env::var_os(ROOT_VARIABLE);
        let root = find(self.root.as_deref(), environment.as_deref(), &current)?;
        let whole = root.canonicalize().map_err(|error| {
            let message = format!("the root `{}`: {error}", root.display());
            Failure::new(Code::ConfigNoRoot, message)
        })?;
        if whole.to_str().is_none() {
            let message = format!("the path of the root `{}` is not UTF-8", whole.display());
            return Err(Failure::new(Code::Io, message));
        }
        Ok(whole)
    }

    fn place(&self, root: &Path) -> Place {
        Place::of(root, self.jobs.as_deref())
    }
}

/// Runs a command and gives its exit code.
pub(crate) fn run(arguments: &Arguments, is_json: bool) -> u8 {
    // A bug is a document like any other failure, so the hook must not write beside it.
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| answer(&arguments.command, is_json)));
    let outcome = outcome.unwrap_or_else(|_| {
        let message = "the checker has a bug that this input shows";
        Err(Failure::new(Code::Internal, message))
    });
    let is_for_people = arguments.command.is_for_people() && !is_json;
    let written = outcome.and_then(|text| {
        if is_for_people {
            return face::answer_people(&text);
        }
        face::write(text.as_bytes())
    });
    match written {
        Ok(()) => 0,
        Err(failure) => {
            if is_for_people {
                face::show(&failure);
            } else {
                face::write_error(&failure.document(Detail::Rich));
            }
            failure.tool_exit_code()
        }
    }
}

fn answer(command: &Command, is_json: bool) -> Result<String, Failure> {
    match command {
        Command::Open(arguments) => {
            let root = arguments.place.root()?;
            let request = Request {
                definition: arguments.definition.clone(),
                budget: Budget {
                    tokens: arguments.budget,
                    max_tokens: arguments.max_tokens,
                    counter: arguments.counter,
                    is_plain: arguments.is_plain,
                },
                caps: Caps {
                    turns: arguments.turns,
                    wall_ms: arguments.wall_ms,
                    cost_micros: arguments.cost_micros,
                },
                provider: arguments.provider.clone(),
                model: arguments.model.clone(),
            };
            open(&root, arguments.place.place(&root), &request)
        }
        Command::Charge { job, micros } => charge::charge(job, *micros),
        Command::Close {
            job,
            agent_result,
            removes,
        } => close::close(job, agent_result.as_deref(), *removes),
        Command::List { place } => {
            let root = place.root()?;
            listed::list(&place.place(&root), is_json)
        }
        Command::Show { job, place } => {
            let path = if Path::new(job).is_absolute() {
                PathBuf::from(job)
            } else {
                let root = place.root()?;
                place.place(&root).path_of(job)
            };
            listed::show(&path.to_string_lossy(), is_json)
        }
    }
}
