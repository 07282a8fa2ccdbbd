//! The behaviour of `lonis-core` as its users see it, one module for each.

mod process;
mod provider;
mod subprocess;
