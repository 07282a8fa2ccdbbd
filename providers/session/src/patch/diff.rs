//! Import of a unified diff: its files become ops of the engine, each hunk placed where its old lines stand.
//!
//! `parse` reads the text, `place` finds the lines, `ops` orders what is done. A hunk is never moved to a place
//! where its old lines do not stand, and never to one of several.

mod name;
mod ops;
mod parse;
mod place;

use super::document::Op;
use super::failure::Failure;
use super::files::Files;
use super::outcome::Warning;
use super::report::Report;
use crate::identity::{Domain, Identity};
use crate::snapshot::tree::TreeError;

/// The most bytes of a diff.
pub const MAX_DIFF_BYTES: usize = 16 * 1024 * 1024;

/// The ops that a diff stands for.
#[derive(Debug, Clone)]
pub struct Imported {
    /// What is done, in an order in which each op finds what it needs.
    pub ops: Vec<Op>,
    /// Files of the diff that are refused, and why.
    pub reports: Vec<Report>,
    /// Hunks that stand elsewhere than stated, or whose counts are wrong.
    pub warnings: Vec<Warning>,
}

/// Why a diff gives no ops at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    /// It cannot be read (`patch/diff-parse`, `patch/limit`).
    #[error("{0}")]
    Shape(Box<Failure>),
    /// An object of the workspace cannot be read.
    #[error(transparent)]
    Files(#[from] TreeError),
}

impl From<Failure> for DiffError {
    fn from(failure: Failure) -> Self {
        Self::Shape(Box::new(failure))
    }
}

/// Reads a diff, and places its hunks in the files.
///
/// # Errors
/// `patch/diff-parse` with the line of the diff, `patch/limit`; objects that cannot be read.
pub fn import<F: Files>(files: &F, diff: &str) -> Result<Imported, DiffError> {
    if diff.len() > MAX_DIFF_BYTES {
        return Err(Failure::Limit {
            what: "the diff".to_owned(),
            limit: MAX_DIFF_BYTES as u64,
            observed: diff.len() as u64,
        }
        .into());
    }
    ops::compile(files, &parse::parse(diff)?)
}

/// The identity of a diff as it was received.
pub fn identity(diff: &str) -> Identity {
    Identity::of(Domain::PatchDocument, diff.as_bytes())
}
