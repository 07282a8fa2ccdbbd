//! Ops as they are sent, on files in memory.

mod definitions;
mod diff;
mod encodings;
mod fixture;
mod ops;
mod reference;
mod reports;
mod states;
mod structured;
mod text;
mod whole_files;
