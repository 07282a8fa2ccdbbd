//! `soil test`: the cases of a bundle.

use std::path::PathBuf;

use soil::check::Depth;
use soil::diagnostic::Code;
use soil::eval::{Bounds, Machine, Unit};
use soil::testing::{Bundle, MAX_RUN_FUEL, Suite, SuiteError, report};

use super::checked;
use crate::face::{Answer, Options, input};
use crate::failure::{BROKEN, Failure, OK};
use crate::real_run::unfilled;

/// What `test` is given.
#[derive(Debug, clap::Args)]
pub(in crate::face) struct Test {
    /// The bundle: a program and its cases.
    #[arg(value_name = "BUNDLE")]
    path: PathBuf,
}

pub(super) fn run(test: &Test, options: Options) -> Result<Answer, Failure> {
    let bytes = input::json(&test.path)?;
    let malformed =
        |message: String| Failure::about(&input::shown(&test.path), Code::MalformedInput, message);
    let bundle = Bundle::read(&bytes).map_err(|error| malformed(error.to_string()))?;
    let program = input::program(&input::beside(&test.path, &bundle.program))?;
    let checked = checked(&program, Depth::Matches, options)?;
    let unit = Unit::compile(&checked);
    let mut machine = Machine::new(&unit, Bounds::default());
    let suite = Suite::prepare(&mut machine, &unit, &program, &bundle.cases);
    let suite = suite.map_err(|error| match error {
        SuiteError::Unfilled {
            definition,
            unfilled: found,
        } => Failure {
            diagnostics: unfilled(&definition, &found).into(),
            sources: program.sources.clone(),
        },
        SuiteError::Malformed { .. } => malformed(error.to_string()),
    })?;
    let cases = suite.run(&mut machine, &mut MAX_RUN_FUEL.clone());
    let are_good = cases.iter().all(|case| case.verdict.is_good());
    Ok(Answer {
        text: report(&cases, options.is_rich).into(),
        code: if are_good { OK } else { BROKEN },
    })
}
