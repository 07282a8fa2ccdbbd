//! Ops as they are sent, on files in memory.

mod definitions;
mod diff;
mod fixture;
mod structured;
mod text;
mod whole_files;
