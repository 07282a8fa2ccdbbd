//! The behaviour of `lonis-core` as its users see it, one module for each.

mod laws;
mod process;
mod provider;
mod subprocess;
