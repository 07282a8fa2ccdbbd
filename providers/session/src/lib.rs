//! Transactional edits of a directory tree: begin freezes a base, stage adds a checked patch, test proves the result,
//! apply writes it back.

pub mod apply;
pub mod beneath;
pub mod cli;
pub mod clock;
pub mod command;
pub mod commands;
pub mod diagnose;
pub mod engine;
pub mod event;
pub mod evidence;
pub mod file_set;
pub mod gc;
pub mod identity;
pub mod obligation;
pub mod patch;
pub mod path;
pub mod policy;
pub mod program_hash;
pub mod provider;
pub mod registry;
mod request;
pub mod session_id;
pub mod snapshot;
pub mod store;
