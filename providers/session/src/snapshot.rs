//! A workspace as a value: trees of files, executable bits and links, named by what they hold.
//!
//! [`tree`] owns the objects and their identities, [`manifest`] the flat form of a whole snapshot, [`change`] what differs
//! between two. None of the three touches a file system.

pub mod change;
pub mod manifest;
pub mod tree;
