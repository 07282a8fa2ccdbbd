//! What a session keeps: objects named by their identity.
//!
//! [`disk`] owns the file operations and [`layout`] the places; [`objects`] owns reading and adding objects as such, wherever
//! they lie, [`segment`] the files they are kept in, [`stored`] all of them together.

pub mod disk;
pub mod journal;
pub mod layout;
pub mod lock;
pub mod log;
pub mod objects;
pub mod segment;
pub mod stored;
