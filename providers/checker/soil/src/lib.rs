//! Soil: a small, pure, typed language in which one function at a time is written, checked, printed, run and hashed.
//!
//! The crate is a library of values: it opens no file, reads no clock and starts no process, so that the same inputs give
//! the same bytes on every machine. One folder per phase:
//!
//! - [`source`] — texts, byte spans, lines and columns;
//! - [`diagnostic`] — the closed list of codes, and what a report says beside its code;
//! - [`syntax`] — interned names, tokens, the tree, and reading it;
//! - [`mod@print`] — canonical text, and the form of it that is hashed;
//! - [`spec`] — `.tr` files, their blocks and their hashes;
//! - [`lock`] — what is known of a spec and its body; [`config`] — `soil.toml`;
//! - [`hash`] — digests;
//! - [`document`] — JSON documents.

pub mod config;
pub mod diagnostic;
pub mod document;
pub mod hash;
pub mod lock;
pub mod print;
pub mod source;
pub mod spec;
pub mod syntax;
