//! The arguments of the program.

use std::ffi::OsString;

use crate::{face, job, people};

/// Checks, prints, runs and hashes Soil.
#[derive(Debug, clap::Parser)]
#[command(
    name = "lonis-checker",
    version,
    disable_help_subcommand = true,
    arg_required_else_help = false
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) part: Part,
}

/// What of the program is asked for.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Part {
    /// Reads, checks, prints, runs and hashes files of Soil.
    #[command(disable_help_subcommand = true)]
    Soil(face::Arguments),
    /// Opens, charges, closes and shows jobs.
    #[command(disable_help_subcommand = true)]
    Job(job::commands::Arguments),
    #[command(flatten)]
    People(people::Command),
}

/// Gives the words of a command line that is no host's, without the mode that `lonis checker …` hands on.
pub(crate) fn for_people(words: &[OsString]) -> Option<&[OsString]> {
    let words = match words {
        [mode, _, rest @ ..] if mode == "--mode" => rest,
        [mode, rest @ ..] if mode.to_string_lossy().starts_with("--mode=") => rest,
        words => words,
    };
    let first = words.first()?;
    let is_for_hosts = ["manifest", "tools", "call"]
        .iter()
        .any(|word| first == word);
    (!is_for_hosts).then_some(words)
}
