//! Why the arguments of a command line are refused.

use std::ffi::OsString;

use clap::CommandFactory as _;
use clap::error::{ContextKind, ErrorKind};
use lonis_diagnostics::{Code, Diagnostic};

use super::Arguments;

/// Says what is wrong with arguments: what is missing, and which values there are.
pub(super) fn refusal(error: &clap::Error, words: &[OsString]) -> Diagnostic {
    let (message, argument) = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            (no_command(), "COMMAND".to_owned())
        }
        _ => (reason(error), argument(error)),
    };
    let message = format!("`{}`: {message}", subject(words));
    Diagnostic::new(Code::InvocationUsage, "session/arguments", message)
        .with("argument", argument)
        .with("expected", "arguments as `--help` shows them")
}

/// The command line up to its command: the first word that is one.
fn subject(words: &[OsString]) -> String {
    let known = Arguments::command();
    let mut words = words.iter().skip(1).filter_map(|word| word.to_str());
    match words.find(|word| known.find_subcommand(word).is_some()) {
        Some(command) => format!("lonis-session {command}"),
        None => "lonis-session".to_owned(),
    }
}

fn no_command() -> String {
    let names: Vec<String> = Arguments::command()
        .get_subcommands()
        .map(|command| format!("`{}`", command.get_name()))
        .collect();
    format!("a command is missing: one of {}", names.join(", "))
}

/// The parser's own words in one line: its first paragraph, and what could have been meant.
fn reason(error: &clap::Error) -> String {
    let text = error.to_string().replace('\'', "`");
    let first = text.split("\n\n").next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    let mut reason = first.split_whitespace().collect::<Vec<_>>().join(" ");
    for tip in text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("tip: "))
    {
        reason.push_str("; ");
        reason.push_str(tip);
    }
    reason
}

/// The argument that is meant; arguments as such where none is named.
fn argument(error: &clap::Error) -> String {
    [ContextKind::InvalidArg, ContextKind::InvalidSubcommand]
        .into_iter()
        .find_map(|kind| error.get(kind))
        .map(ToString::to_string)
        .filter(|argument| !argument.is_empty())
        .unwrap_or_else(|| "ARGUMENT".to_owned())
}
