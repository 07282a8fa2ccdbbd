//! `lonis providers`: what is registered, and from where.

mod doctor;
mod edit;
mod list;
mod machine;
mod rules;
mod target;

use lonis::ToolError;

use crate::cli::Providers;
use crate::output::Output;

pub(crate) fn run(command: &Providers, output: &mut Output) -> Result<u8, ToolError> {
    match command {
        Providers::List => list::run(output),
        Providers::Add {
            name,
            command,
            project,
        } => edit::add(name, command, *project, output),
        Providers::Remove { name, project } => edit::remove(name, *project, output),
        Providers::Doctor { name } => doctor::run(name.as_deref(), output),
    }
}
