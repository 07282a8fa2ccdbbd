//! Types of definitions and of what stands in them.
//!
//! A [`Scheme`] is the type of something global, over its variables; it is made once from a signature and copied at each
//! use. Within one definition types are terms of a store, which unification changes.

mod closed;
mod scheme;
pub(crate) mod store;

pub use closed::{ClosedType, ClosedTypes};
pub use scheme::{Scheme, SchemeNode, SchemeRow, SchemeType, Schemes, WrittenVariables};
