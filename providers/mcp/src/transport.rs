//! The two pipes to the client: lines in, lines out, each in a thread of its own, both bounded.

mod lines;
mod output;

pub(crate) use lines::{Line, read_lines};
pub(crate) use output::{Output, Written};
