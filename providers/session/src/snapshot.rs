//! A workspace as a value: trees of files, executable bits and links, named by what they hold.
//!
//! [`tree`] owns the objects and their identities, [`manifest`] the flat form of a whole snapshot, [`change`] what differs
//! between two; none of the three touches a file system. [`live`] is the tree that people work in, [`mod@capture`] makes a snapshot
//! of it, and [`stat_cache`] says which of its files need not be read for that; [`materialise`] puts a snapshot into a workspace.

pub mod capture;
pub mod change;
pub mod live;
pub mod manifest;
pub mod materialise;
pub mod stat_cache;
pub mod tree;
