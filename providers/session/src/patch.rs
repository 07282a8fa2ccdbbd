//! Semantic patches: an edit document becomes checked splices on files in memory, in one normal form.
//!
//! [`document`] reads what was sent, [`engine`] runs it on [`files`], and [`outcome`] is what it gives; a refusal is a
//! list of [`report`]s. Nothing here touches a file system or a store.

#[expect(
    clippy::similar_names,
    clippy::unused_self,
    reason = "a text and its splices are named for each other, and all rules of a language are methods"
)]
pub mod definition;
pub mod document;
pub mod engine;
pub mod failure;
pub mod files;
mod line;
#[expect(
    clippy::needless_pass_by_value,
    reason = "the ops are done with once they are in the outcome"
)]
pub mod outcome;
#[expect(
    clippy::match_same_arms,
    reason = "a directory that a patch empties is absent for another reason"
)]
mod path_state;
#[expect(clippy::format_push_string, reason = "odd characters are rare")]
pub mod report;
mod retry;
pub mod splice;
#[expect(
    clippy::similar_names,
    clippy::unused_self,
    reason = "a text and its splices are named for each other, and all rules of a format are methods"
)]
pub mod structured;
#[expect(clippy::similar_names, reason = "votes are cast and then counted")]
mod text;
mod work;

#[cfg(test)]
mod tests;
