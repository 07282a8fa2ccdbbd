//! One file for each command; here an argument list finds its own.

mod call;
mod completions;
mod conform;
mod hash;
mod manifest;
mod map;
mod new;
mod providers;
mod replay;
mod schema;
mod tools;
mod trust;
mod validate;

use std::ffi::OsString;

use clap::error::{ContextKind, ErrorKind as Usage};
use clap::{CommandFactory, Parser};
use lonis::{ErrorKind, ToolError};

use crate::cli::{Cli, Command};
use crate::output::{DONE, Output};
use crate::{colour, external, mode, plain_words};

/// Carries out what the arguments ask for and returns the exit code of its success.
pub(crate) fn dispatch(args: &[OsString], output: &mut Output) -> Result<u8, ToolError> {
    // The commonest question of a script is answered before a parser is built.
    if args.len() == 1 && (args[0] == "--version" || args[0] == "-V") {
        return version(output);
    }
    if let Some(command) = plain_words::command(args) {
        return run(command, None, output);
    }
    let leading = mode::leading(args);
    let program = std::iter::once(OsString::from("lonis"));
    let cli = match Cli::try_parse_from(program.chain(args.iter().cloned())) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, args, output),
    };
    run(cli.command, leading, output)
}

fn run(command: Command, leading: Option<OsString>, output: &mut Output) -> Result<u8, ToolError> {
    match command {
        Command::Tools(command) => tools::run(&command, output),
        Command::Call(call) => call::run(&call, output),
        Command::Map(arguments) => map::run(&arguments, output),
        Command::Replay(arguments) => replay::run(&arguments, output),
        Command::Schema { name } => schema::run(name.as_deref(), output),
        Command::Hash { file } => hash::run(file.as_deref(), output),
        Command::Manifest => manifest::run(output),
        Command::Providers(command) => providers::run(&command, output),
        Command::Trust(arguments) => trust::run(&arguments, output),
        Command::Completions { shell } => completions::run(shell, output),
        Command::Validate { kind, strict, file } => {
            validate::run(&kind, strict, file.as_deref(), output)
        }
        Command::New(arguments) => new::run(&arguments, output),
        Command::Conform(arguments) => conform::run(&arguments, output),
        Command::External(words) => Err(external::run(leading, &words, &command_names())),
    }
}

fn version(output: &mut Output) -> Result<u8, ToolError> {
    output.text(concat!("lonis ", env!("CARGO_PKG_VERSION"), "\n"))?;
    Ok(DONE)
}

/// Help and version are results; everything else that the parser says is a usage error.
fn usage(error: &clap::Error, args: &[OsString], output: &mut Output) -> Result<u8, ToolError> {
    match error.kind() {
        Usage::DisplayHelp | Usage::DisplayVersion => {
            let help = error.render();
            if colour::shows_on_stdout() {
                output.text(&help.ansi().to_string())?;
            } else {
                output.text(&help.to_string())?;
            }
            Ok(DONE)
        }
        Usage::DisplayHelpOnMissingArgumentOrSubcommand | Usage::MissingSubcommand => {
            let (path, command) = named_by(args);
            let (message, help) = match path.as_str() {
                "" => ("a command is missing".to_owned(), "lonis help".to_owned()),
                path => (
                    format!("a command of `{path}` is missing"),
                    format!("lonis help {path}"),
                ),
            };
            let names = names_below(&command).join(", ");
            let error = ToolError::new(ErrorKind::InvalidInput, message);
            Err(error.with_hint(format!(
                "the commands are {names}; `{help} COMMAND` tells more"
            )))
        }
        _ => Err(refused(error, args)),
    }
}

fn command_names() -> Vec<String> {
    names_below(&Cli::command())
}

fn names_below(command: &clap::Command) -> Vec<String> {
    command
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect()
}

/// The command that an argument list names, and the words that name it.
fn named_by(args: &[OsString]) -> (String, clap::Command) {
    let (mut path, mut command) = (Vec::new(), Cli::command());
    let mut args = args.iter();
    while let Some(word) = args.next() {
        if word == "--mode" {
            args.next();
            continue;
        }
        if word.to_str().is_some_and(|word| word.starts_with('-')) {
            continue;
        }
        let Some(below) = command.find_subcommand(word).cloned() else {
            break;
        };
        path.push(below.get_name().to_owned());
        command = below;
    }
    (path.join(" "), command)
}

/// The parser's own words, on one line: its first paragraph is the error, the rest are remedies.
fn refused(error: &clap::Error, args: &[OsString]) -> ToolError {
    let rendered = error.render().to_string();
    let mut paragraphs = rendered.split("\n\n");
    let first = paragraphs.next().unwrap_or_default();
    let message = first
        .strip_prefix("error: ")
        .unwrap_or(first)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let refused = ToolError::new(ErrorKind::InvalidInput, message.replace('\'', "`"));
    let suggestion = [
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedArg,
        ContextKind::SuggestedValue,
    ]
    .into_iter()
    .find_map(|kind| error.get(kind));
    match suggestion {
        Some(nearest) => refused.with_hint(format!("did you mean `{nearest}`?")),
        None => refused.with_hint(match named_by(args).0.as_str() {
            "" => "`lonis help` lists the commands and their arguments".to_owned(),
            path => format!("`lonis help {path}` tells its arguments"),
        }),
    }
}
