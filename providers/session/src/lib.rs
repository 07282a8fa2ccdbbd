//! Transactional edits of a directory tree: begin freezes a base, stage adds a checked patch, test proves the result,
//! apply writes it back.

pub mod beneath;
pub mod file_set;
pub mod identity;
pub mod path;
pub mod policy;
pub mod snapshot;
pub mod store;
