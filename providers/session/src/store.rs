//! What a session keeps: objects named by their identity.
//!
//! [`disk`] owns the file operations; [`objects`] owns reading and adding objects as such, wherever they lie.

pub mod disk;
pub mod objects;
