//! Exchange with the published crates, by their documented API alone.

mod blocks;
mod contracts;
mod hashes;
mod published_files;
