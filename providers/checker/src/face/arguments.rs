//! The arguments of the face.

use clap::error::{ContextKind, ContextValue};
use soil::diagnostic::{Code, Diagnostic};

use super::commands::Command;
use crate::mode::Output;

/// What is asked of Soil.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) options: Options,
    /// Prints the versions of face and language.
    #[arg(long)]
    pub(super) version: bool,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

/// How all commands answer.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Options {
    /// Adds what programs can use: parameters and edits of diagnostics, terms that fit holes.
    #[arg(long = "rich", global = true)]
    pub(super) is_rich: bool,
    /// Shows diagnostics in their source, for people.
    #[arg(long = "human", global = true)]
    pub(super) is_human: bool,
}

impl Options {
    /// Shows diagnostics to people where a mode says so too; documents are what is answered anyway.
    pub(super) const fn in_mode(mut self, output: Output) -> Self {
        self.is_human |= output.is_human();
        self
    }
}

/// Says why arguments are refused: in one line, with what could have been meant.
pub(super) fn reason(error: &clap::Error) -> Diagnostic {
    use clap::error::ErrorKind::{DisplayHelpOnMissingArgumentOrSubcommand, MissingSubcommand};
    if [DisplayHelpOnMissingArgumentOrSubcommand, MissingSubcommand].contains(&error.kind()) {
        return Diagnostic::new(Code::Usage, "a command is missing; `--help` lists them");
    }
    let text = error.render().to_string().replace('\'', "`");
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    let mut message = first.trim_end_matches(':').to_owned();
    if let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg)
        && first.ends_with(':')
    {
        message = format!("{message}: {}", missing.join(", "));
    }
    let tips = lines.filter_map(|line| line.trim_start().strip_prefix("tip: "));
    tips.fold(Diagnostic::new(Code::Usage, message), Diagnostic::with_note)
}
