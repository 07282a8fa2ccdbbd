//! The session engine on real directories.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test")]
#![expect(
    clippy::disallowed_methods,
    reason = "a test compares the engine with git, and runs the program as a shell would"
)]

mod bookkeeping;
mod bystanders;
mod command_line;
mod concurrency;
mod corpus;
mod definitions;
mod diff_import;
mod evidence;
mod faces;
mod failure_cases;
mod file_set;
mod file_set_generated;
mod full;
mod gc;
mod generated;
mod git;
mod goldens;
mod ground;
mod killed;
mod languages;
mod left_out;
mod limits;
mod memory;
mod network;
mod obligations;
mod people;
mod program;
mod race;
mod real_hunks;
mod rebase;
mod recover;
mod repair_utility;
mod reuse;
mod running;
mod siblings;
mod signals;
mod staging;
mod story;
mod surface;
mod tight;
