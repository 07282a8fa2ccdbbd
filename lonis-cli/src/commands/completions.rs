//! `lonis completions`: a completion script for a shell.

use clap::CommandFactory;
use clap_complete::Shell;
use lonis::ToolError;

use crate::cli::Cli;
use crate::output::{DONE, Output};

pub(crate) fn run(shell: Shell, output: &mut Output) -> Result<u8, ToolError> {
    // Into memory first: the generator panics on a writer that fails.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "lonis", &mut script);
    output.text(&String::from_utf8_lossy(&script))?;
    Ok(DONE)
}
