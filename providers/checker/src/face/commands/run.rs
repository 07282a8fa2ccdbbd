//! `soil run`: one call of a definition in the real world.

use std::path::PathBuf;

use soil::check::Depth;
use soil::diagnostic::{Code, Diagnostic};
use soil::eval::{Bounds, InvokeError, Raised, Unfilled, Unit, invoke};
use soil::json::{At, Json};

use super::checked;
use crate::face::real_world::RealWorld;
use crate::face::{Answer, Options, input};
use crate::failure::Failure;

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
    let unit = Unit::compile(&checked);
    let bounds = Bounds::default();
    let world = Box::new(RealWorld::new(bounds.cells));
    let result = invoke(&unit, &program, &run.entry, &arguments, world, bounds);
    match result {
        Ok(text) => Ok(Answer::new(text + "\n")),
        Err(InvokeError::Usage(message)) => Err(Failure::usage(&message)),
        Err(InvokeError::Malformed(error)) => Err(malformed(&error.to_string())),
        Err(InvokeError::Unfilled(found)) => Err(Failure {
            diagnostics: unfilled(&run.entry, &found).into(),
            sources: program.sources,
        }),
        Err(InvokeError::Raised(error)) => Err(raised(&error).into()),
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

/// Makes the report that a definition has or reaches a hole.
pub(super) fn unfilled(definition: &str, found: &Unfilled) -> Diagnostic {
    let message = format!("`{definition}` has or reaches a hole");
    let mut diagnostic = Diagnostic::new(Code::UnfilledHole, message);
    diagnostic.file = found.hole.map(|(file, _)| file);
    diagnostic.span = found.hole.map(|(_, span)| span);
    diagnostic
}

/// Makes the report of an error that ended the run.
fn raised(raised: &Raised) -> Diagnostic {
    let diagnostic = Diagnostic::new(raised.code(), raised.to_string());
    let trace = raised.trace.iter();
    trace.fold(diagnostic, Diagnostic::with_note)
}
