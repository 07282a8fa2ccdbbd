//! `context`: the bundle of a definition, for people to look at.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Common, Outcome};
use crate::bundle::{Budget, Bundle, Counter};
use crate::failure::Failure;
use crate::job::{surroundings, write_bundle};

/// What `context` is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Context {
    /// The definition, `<module>/<name>` or the name where it is unique.
    #[arg(value_name = "DEF")]
    definition: String,
    /// Tokens of all but the manifest.
    #[arg(long, value_name = "N")]
    budget: u64,
    /// Tokens of everything, the manifest included.
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// What counts tokens: `bytes/N`, or the tokenizer `o200k_base`.
    #[arg(long, value_name = "COUNTER", default_value_t = Counter::CONTRACT)]
    counter: Counter,
    /// The folder to write to, which must not be there or be empty.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(arguments: &Context, is_json: bool) -> Result<Outcome, Failure> {
    let project = arguments.common.project()?;
    let named = project.function(&arguments.definition)?;
    surroundings(&project, named)?;
    let budget = Budget {
        tokens: arguments.budget,
        max_tokens: arguments.max_tokens,
        counter: arguments.counter,
        is_plain: false,
    };
    let bundle = Bundle::pack(&project, named, budget)?;
    let out = &arguments.out;
    let is_taken = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
    if is_taken {
        let message = format!("`{}` is not empty", out.display());
        return Err(Failure::usage(&message));
    }
    write_bundle(&bundle, out)?;
    let text = if is_json {
        let manifest: Value = serde_json::from_slice(bundle.manifest()).unwrap_or_default();
        let digest = bundle.digest().to_string();
        format!("{}\n", json!({"digest": digest, "manifest": manifest}))
    } else {
        let (kept, dropped) = (bundle.files.len(), bundle.dropped);
        let estimate = bundle.estimate;
        format!("{kept} files, {estimate} tokens, {dropped} dropped\n")
    };
    Ok(Outcome {
        text,
        is_good: true,
    })
}
