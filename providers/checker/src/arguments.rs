//! The arguments of the program.

use std::ffi::OsString;

use clap::CommandFactory;

use crate::mode::Output;
use crate::{face, job, people};

/// Checks, prints, runs and hashes Soil.
#[derive(Debug, clap::Parser)]
#[command(name = "lonis-checker", version, arg_required_else_help = false)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) output: Output,
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

/// Says whether a command line is for people, or at least no host's.
///
/// A host names a mode too, so what follows one is for people only where it is a command for them.
pub(crate) fn is_for_people(words: &[OsString]) -> bool {
    let (_, others) = Output::parted(words);
    let has_mode = words
        .first()
        .is_some_and(|word| word == "--mode" || word.to_string_lossy().starts_with("--mode="));
    let Some(first) = others.first() else {
        // Nobody who speaks the protocol says nothing.
        return !has_mode;
    };
    let is_among = |known: &[&str]| known.iter().any(|word| *first == word);
    let is_command = || {
        let command = Arguments::command();
        let mut commands = command.get_subcommands();
        let is_known = commands.any(|command| *first == command.get_name());
        is_known || is_among(&["help", "--help", "-h", "--version", "-V"])
    };
    !is_among(&["manifest", "tools", "call"]) && (!has_mode || is_command())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_told_from_people() {
        for (words, expected) in [
            (&[][..], true),
            (&["check"], true),
            (&["chek"], true),
            (&["--json"], true),
            (&["--mode", "json", "check"], true),
            (&["--mode=json", "--json", "job", "list"], true),
            (&["--mode", "xml", "check"], true),
            (&["--mode", "json", "--help"], true),
            (&["--mode", "json"], false),
            (&["--mode", "json", "chek"], false),
            (&["--mode", "json", "call", "check"], false),
            (&["call", "checker.check"], false),
            (&["manifest", "--mode", "json"], false),
        ] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(is_for_people(&words), expected, "{words:?}");
        }
    }
}
