//! `run`: one call of a definition of the project, with real capabilities.

use soil::diagnostic::Code;
use soil::json::Json;

use super::{Common, Outcome};
use crate::failure::Failure;
use crate::project::{Depends, Project, assemble, checked};
use crate::real_run::{CallError, call};

/// What `run` is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// The definition, `<module>/<name>` or the name where it is unique.
    #[arg(value_name = "DEF")]
    definition: String,
    /// The arguments that are no capabilities, each as JSON.
    #[arg(value_name = "JSON", allow_negative_numbers = true)]
    arguments: Vec<String>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(arguments: &Run) -> Result<Outcome, Failure> {
    let project = arguments.common.project()?;
    let text = result(&project, arguments)?;
    Ok(Outcome {
        text: text + "\n",
        is_good: true,
    })
}

fn result(project: &Project, arguments: &Run) -> Result<String, Failure> {
    let named = project.function(&arguments.definition)?;
    if named.function.body.is_none() {
        let message = format!("`{}` has no body yet", named.full_name());
        return Err(Failure::new(Code::NoDraft, message));
    }
    let values = arguments.arguments.iter().enumerate();
    let values = values.map(|(index, text)| {
        Json::read(text.as_bytes()).map_err(|error| malformed(&format!("$[{index}]"), &error))
    });
    let values: Vec<Json> = values.collect::<Result<_, _>>()?;
    let assembled = assemble(project, &Depends::Target { named, draft: None })?;
    let checked = checked(&assembled)?;
    let name = named.program_name();
    call(&assembled.program, &checked, &name, &values).map_err(|error| match error {
        CallError::Usage(message) => Failure::usage(&message),
        CallError::Malformed(error) => malformed(&error.place, &error.message),
        CallError::Found(found) => assembled.failure(found.into()),
    })
}

fn malformed(place: &str, error: &dyn std::fmt::Display) -> Failure {
    let message = format!("the arguments do not fit: `{place}` {error}");
    Failure::new(Code::MalformedInput, message)
}
