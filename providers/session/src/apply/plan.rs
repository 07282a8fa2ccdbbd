//! What an apply does to each path, and what stands at one.

use std::io;

use serde::{Deserialize, Serialize};

use crate::identity::{Domain, Identity};
use crate::snapshot::change::Change;
use crate::snapshot::tree::Entry;
use crate::store::disk::{Disk, Kind, ancestors_of};
use crate::store::journal::Step;
use crate::store::layout::TEMPORARY;

/// What is done to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Nothing stood there.
    Create,
    /// Something stood there, and something else will.
    Replace,
    /// Nothing will stand there.
    Remove,
}

/// Makes the steps of a difference: removals first, so that a file can become a directory and a directory a file.
pub fn steps(session: &str, changes: &[Change]) -> Vec<Step> {
    let mut steps: Vec<Step> = changes
        .iter()
        .enumerate()
        .filter_map(|(number, change)| {
            let op = match (&change.before, &change.after) {
                (None, Some(_)) => Op::Create,
                (Some(_), Some(_)) => Op::Replace,
                (Some(_), None) => Op::Remove,
                (None, None) => return None,
            };
            Some(Step {
                path: change.path.clone(),
                op,
                base: change.before,
                target: change.after,
                temp: format!("{session}.{number}"),
            })
        })
        .collect();
    steps.sort_by_key(|step| step.op != Op::Remove);
    steps
}

/// Directories that have to be made before the files in them, the outermost first.
///
/// # Errors
/// What the system says.
pub fn missing_directories(disk: &dyn Disk, steps: &[Step]) -> io::Result<Vec<String>> {
    let mut missing: Vec<String> = Vec::new();
    for step in steps.iter().filter(|step| step.op == Op::Create) {
        for directory in ancestors_of(step.path.as_str()) {
            let is_known = missing.iter().any(|known| known == directory);
            let stands = disk
                .look(directory)?
                .is_some_and(|look| look.kind == Kind::Directory);
            if !is_known && !stands {
                missing.push(directory.to_owned());
            }
        }
    }
    Ok(missing)
}

/// The place of a step's prepared file.
pub fn temporary(step: &Step) -> String {
    format!("{TEMPORARY}/{}", step.temp)
}

/// What stands at a path, content hashed; `None` for nothing, a directory, and what is neither file nor link.
///
/// # Errors
/// What the system says.
pub fn state_at(disk: &dyn Disk, path: &str) -> io::Result<Option<Entry>> {
    let Some(look) = disk.look(path)? else {
        return Ok(None);
    };
    Ok(match look.kind {
        Kind::File => {
            let bytes = disk.read(path)?;
            Some(Entry::File {
                executable: look.is_executable(),
                blob: Identity::of(Domain::Blob, &bytes),
                bytes: bytes.len() as u64,
            })
        }
        Kind::Link => {
            let text = disk.read_link(path)?;
            Some(Entry::Link {
                blob: Identity::of(Domain::Blob, &text),
                bytes: text.len() as u64,
            })
        }
        Kind::Directory | Kind::Other => None,
    })
}

/// Whether nothing at all stands at a path.
///
/// # Errors
/// What the system says.
pub fn is_free(disk: &dyn Disk, path: &str) -> io::Result<bool> {
    Ok(disk.look(path)?.is_none())
}
