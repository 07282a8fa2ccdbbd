//! `cargo xtask tidy`: the house rules that no lint can say. Each finding names the file, the rule and what was seen.

mod documents;
mod manifests;
mod sources;
mod structure;

use std::path::Path;

use crate::command::{Failure, say};
use crate::workspace;

/// What a rule found, as lines ready to be shown.
pub(crate) type Findings = Vec<String>;

pub(crate) fn run(root: &Path) -> Result<(), Failure> {
    let files = workspace::files(root)?;
    let mut findings = Findings::new();
    findings.extend(sources::check(root, &files)?);
    findings.extend(structure::check(root, &files)?);
    findings.extend(manifests::check(root, &files)?);
    findings.extend(documents::check(root)?);
    for finding in &findings {
        say(finding);
    }
    if findings.is_empty() {
        return Ok(());
    }
    Err(Failure::Found(format!("{} findings", findings.len())))
}
