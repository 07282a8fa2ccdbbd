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
//! - [`json`] — JSON as it is written, and reading inputs strictly;
//! - [`environment`] — the types that a program may name; [`builtins`] — what it may call without a definition;
//! - [`program`] — the texts of a program, read; the prelude;
//! - [`names`] — what each name means; [`types`] — what stands for types;
//! - [`check`] — names, types, rows and matches of a program;
//! - [`values`] — values, read, written, compared, drawn; [`eval`] — running programs within bounds;
//! - [`testing`] — cases, properties, and what is wrong with a spec before anything runs;
//! - [`search`] — definitions by their type; [`hash`] — digests;
//! - [`document`] — JSON documents.

pub mod builtins;
pub mod check;
pub mod config;
pub mod diagnostic;
pub mod document;
pub mod environment;
pub mod eval;
mod facts;
pub mod hash;
mod infer;
pub mod json;
pub mod lock;
mod matching;
pub mod names;
pub mod print;
pub mod program;
pub mod search;
pub mod source;
pub mod spec;
pub mod syntax;
mod table;
pub mod testing;
pub mod types;
pub mod values;
mod verdict;
