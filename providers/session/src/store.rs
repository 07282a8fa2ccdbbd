//! What a session keeps: objects named by their identity.
//!
//! [`objects`] owns reading and adding objects as such, wherever they lie.

pub mod objects;
