//! JSON documents: compact, keys in a fixed order, one line with a newline at its end.
//!
//! Sums are `{"tag":…}` or `{"tag":…,"value":…}`; optional values are `{"tag":"None"}` or
//! `{"tag":"Some","value":…}`, except for rich members, which are left out where they are absent.

mod checked;
mod diagnostics;
mod found;
mod params;
mod places;
mod signature;
mod tokens;
mod tree;
mod writer;

pub use checked::{checked, checked_definition, hashes, renamed};
pub use diagnostics::{Detail, errors, list};
pub use found::found;
pub use tokens::tokens;
pub use tree::tree;
#[cfg(test)]
pub(crate) use tree::tree_without_spans;
pub use writer::Writer;
