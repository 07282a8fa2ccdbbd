//! `lonis conform`: a provider against the protocol.

use std::os::unix::ffi::OsStrExt;

use lonis::process::{ProcessError, Program};
use lonis::{ToolError, not_written, render};

use crate::cli::Conform;
use crate::conform::{Choices, Target, conform};
use crate::output::{DONE, Output};
use crate::{catalog, signals, surroundings};

pub(crate) fn run(arguments: &Conform, output: &mut Output) -> Result<u8, ToolError> {
    let environment = surroundings::read()?;
    let name = arguments.provider.to_string_lossy().into_owned();
    let program = if arguments.provider.as_bytes().contains(&b'/') {
        Program::new(environment.directory().join(&arguments.provider))
    } else {
        catalog::load()?.provider(&name)?.program().clone()
    };
    // Each row of a program that cannot start would say the same, and none of them what is wrong.
    program.resolve().map_err(ProcessError::from)?;
    // What the provider starts and leaves behind is ended with it, whichever way it was named.
    signals::token();
    let inputs = arguments
        .input
        .iter()
        .map(|text| Choices::parse_input(text))
        .collect::<Result<_, _>>()?;
    let choices = Choices {
        tools: arguments.tool.clone(),
        inputs,
    };
    let report = conform(&Target::new(name, program), &choices, &std::env::temp_dir())?;
    let written = if output.mode().is_machine() {
        render(&report.blocks(), output.mode(), output.data())
    } else {
        report.write_human(output.data())
    };
    written.map_err(|error| not_written(&error))?;
    report.error().map_or(Ok(DONE), Err)
}
