//! `spec` and `skill`: the rules, as agents read them.

use super::{Common, Outcome};
use crate::documents::{section, skill};
use crate::failure::Failure;

/// What `spec` is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Spec {
    /// A reference such as those of diagnostics: `soil-syntax-spec#5.9`.
    #[arg(value_name = "REF")]
    reference: String,
    // Every command takes a root, also one that needs none.
    #[command(flatten)]
    _common: Common,
}

/// What `skill` is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Skill {
    // Every command takes a root, also one that needs none.
    #[command(flatten)]
    _common: Common,
}

pub(super) fn run(arguments: &Spec, is_json: bool) -> Result<Outcome, Failure> {
    let section = section(&arguments.reference)?;
    let text = if is_json {
        section.document()
    } else {
        format!("{}\n\n{}\n", section.title, section.text)
    };
    Ok(Outcome {
        text,
        is_good: true,
    })
}

pub(super) fn run_skill(is_json: bool) -> Outcome {
    let text = if is_json {
        format!("{}\n", serde_json::json!({"text": skill()}))
    } else {
        skill()
    };
    Outcome {
        text,
        is_good: true,
    }
}
