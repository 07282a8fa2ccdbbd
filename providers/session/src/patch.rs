//! Semantic patches: an edit document becomes checked splices on files in memory, in one normal form.
//!
//! [`document`] reads what was sent, [`engine`] runs it on [`files`], and [`outcome`] is what it gives; a refusal is a
//! list of [`report`]s. Nothing here touches a file system or a store.

pub mod definition;
pub mod delimiter;
pub mod diff;
pub mod document;
pub mod engine;
pub mod failure;
pub mod files;
pub(crate) mod line;
pub mod outcome;
mod path_state;
pub mod report;
mod retry;
pub mod revert;
pub mod splice;
mod steps;
pub mod structured;
mod text;
mod work;

#[cfg(test)]
mod tests;
