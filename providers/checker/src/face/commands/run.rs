//! `soil run`: one call of a definition in the real world.

use std::path::PathBuf;

use soil::check::Depth;
use soil::diagnostic::Code;
use soil::json::{At, Json};

use super::checked;
use crate::face::{Answer, Options, input};
use crate::failure::Failure;
use crate::real_run::{CallError, call};

/// What `run` is given.
#[derive(Debug, clap::Args)]
pub(in crate::face) struct Run {
    /// The program's `program.json`.
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// The definition, bare or as `module::name`.
    #[arg(long, value_name = "NAME")]
    entry: String,
    /// The arguments that are no capabilities, as a JSON array.
    #[arg(long, value_name = "JSON", default_value = "[]")]
    args: String,
}

pub(super) fn run(run: &Run, options: Options) -> Result<Answer, Failure> {
    let program = input::program(&run.program)?;
    let arguments = arguments(&run.args)?;
    let checked = checked(&program, Depth::Matches, options)?;
    match call(&program, &checked, &run.entry, &arguments) {
        Ok(text) => Ok(Answer::new(text + "\n")),
        Err(CallError::Usage(message)) => Err(Failure::usage(&message)),
        Err(CallError::Malformed(error)) => Err(malformed(&error.to_string())),
        Err(CallError::Found(found)) => Err(Failure {
            diagnostics: found.into(),
            sources: program.sources,
        }),
    }
}

/// Reads the arguments that are no capabilities.
fn arguments(text: &str) -> Result<Vec<Json>, Failure> {
    let json = Json::read(text.as_bytes()).map_err(|error| malformed(&error.to_string()))?;
    let root = At::root(&json);
    let entries = root
        .entries()
        .map_err(|error| malformed(&error.to_string()))?;
    Ok(entries.map(|at| at.json().clone()).collect())
}

fn malformed(message: &str) -> Failure {
    Failure::new(Code::MalformedInput, format!("`--args`: {message}"))
}
