//! The arguments of the program.

use crate::face;

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
}
