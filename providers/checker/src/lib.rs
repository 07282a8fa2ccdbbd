//! The checker: jobs in which a model writes one definition against a person's spec, the language face of Soil, and a provider
//! for hosts.
//!
//! The program `lonis-checker` is [`run`]; [`answer_host`] is its part for hosts within a process. [`Packer`] packs context
//! bundles for who holds a project in memory.

mod arguments;
mod bundle;
mod confined;
mod cram;
mod documents;
mod entry;
mod face;
mod failure;
mod job;
mod mode;
mod oracle;
mod payload;
mod people;
mod project;
mod project_tools;
mod real_run;
mod tools;

pub use bundle::{PackError, Packed, Packer};
pub use entry::{answer_host, run};
