//! One tool over many inputs: so many calls at one time, results in the order of the inputs, one error for each that
//! fails.
//!
//! One thread starts the calls and takes what they print, woken by the supervisor of `lonis::process`; no call has a
//! thread of its own. What is read ahead of the output is bounded, so that a slow reader holds the inputs back.

mod bell;
mod engine;
mod inputs;
mod item;
mod journal;

pub(crate) use engine::{Engine, Plan};
pub(crate) use inputs::Inputs;
pub(crate) use item::Item;
pub(crate) use journal::Journal;
