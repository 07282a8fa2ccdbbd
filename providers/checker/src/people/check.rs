//! `check`: what is right and wrong in a project.

use soil::document::Detail;

use super::{Common, Outcome};
use crate::failure::Failure;
use crate::project_tools::{check_document, check_shown, judge_all};

/// What `check` is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// A module; all of them without it.
    module: Option<String>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(check: &Check, is_json: bool) -> Result<Outcome, Failure> {
    let project = check.common.project()?;
    let report = judge_all(&project, check.module.as_deref())?;
    let text = if is_json {
        check_document(&report, Detail::Rich)
    } else {
        check_shown(&report)
    };
    Ok(Outcome {
        text,
        is_good: report.is_ok(),
    })
}
