//! `soil search`: definitions of a program by their type.

use std::path::PathBuf;

use soil::document;
use soil::search::{Goal, MAX_MATCHES, search};

use crate::face::{Answer, input};
use crate::failure::Failure;

/// What `search` is given.
#[derive(Debug, clap::Args)]
pub(in crate::face) struct Search {
    /// The program's `program.json`.
    #[arg(value_name = "PROGRAM")]
    program: PathBuf,
    /// The type, as a signature has it behind its `:`.
    #[arg(long = "type", value_name = "TYPE")]
    ty: String,
}

pub(super) fn run(arguments: &Search) -> Result<Answer, Failure> {
    let program = input::program(&arguments.program)?;
    let goal = Goal::read(&program, &arguments.ty)
        .map_err(|error| Failure::usage(&format!("`--type` {error}")))?;
    let found = search(&program, &goal, MAX_MATCHES);
    Ok(Answer::new(document::found(&program, &found)))
}
