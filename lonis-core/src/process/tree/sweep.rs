//! What the mechanisms of a tree have in common.

use super::super::outcome::LeftBehind;

/// The most processes of one call that are looked at; a tree beyond that is counted as this large.
pub(crate) const MOST_PROCESSES: usize = 16_384;

/// How far an attempt to end everything has come.
#[derive(Debug)]
pub(crate) enum Sweep {
    /// Nothing is left but what is listed.
    Done(Vec<LeftBehind>),
    /// Something was killed and is waited for.
    Waiting,
}
