//! The arguments of the program.

use std::ffi::OsString;

use clap::CommandFactory;

use crate::{face, job, people};

/// Checks, prints, runs and hashes Soil.
#[derive(Debug, clap::Parser)]
#[command(name = "lonis-checker", version, arg_required_else_help = false)]
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
///
/// A host names a mode too, so what follows one is for people only where it is a command for them.
pub(crate) fn for_people(words: &[OsString]) -> Option<&[OsString]> {
    let (has_mode, words) = match words {
        [mode, _, rest @ ..] if mode == "--mode" => (true, rest),
        [mode, rest @ ..] if mode.to_string_lossy().starts_with("--mode=") => (true, rest),
        words => (false, words),
    };
    let Some(first) = words.first() else {
        // Nobody who speaks the protocol says nothing.
        return (!has_mode).then_some(words);
    };
    let is_among = |known: &[&str]| known.iter().any(|word| first == word);
    let is_for_people = || {
        let command = Arguments::command();
        let mut commands = command.get_subcommands();
        let is_command = commands.any(|command| first == command.get_name());
        is_command || is_among(&["help", "--help", "-h", "--version", "-V"])
    };
    let is_for_hosts = is_among(&["manifest", "tools", "call"]) || (has_mode && !is_for_people());
    (!is_for_hosts).then_some(words)
}
