//! How the wire contract behaves, seen from outside the crate.

mod bounds_and_checks;
mod canonical_vectors;
mod doubles;
mod fixtures;
mod forwarding;
mod front;
mod golden_files;
mod hashes;
mod human_text;
mod laws;
mod null_and_limits;
mod published_golden;
mod read_errors;
mod schema_agreement;
mod schema_catalogue;
mod tables;
