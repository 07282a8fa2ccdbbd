//! What the program is asked for on its command line.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use lonis::{BlockKind, ErrorKind, OutputMode, Provider, ToolError};

use crate::serve;
use crate::settings::Settings;

/// Offers the registered tools to a client of the Model Context Protocol.
#[derive(Debug, Parser)]
#[command(name = "lonis-mcp", version)]
pub(crate) struct Arguments {
    /// How errors are written: for people, or as one JSON document.
    #[arg(long, global = true, value_name = "MODE", default_value = "human")]
    mode: Mode,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Mode {
    Human,
    Json,
    Ndjson,
}

impl Mode {
    fn output(self) -> OutputMode {
        match self {
            Self::Human => OutputMode::Human,
            Self::Json => OutputMode::Json,
            Self::Ndjson => OutputMode::Ndjson,
        }
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serves one client on stdin and stdout until it closes its end.
    Serve(Box<Settings>),
    /// Offers the tools of an MCP server as a provider: not there in this version.
    #[command(hide = true)]
    Bridge {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
}

/// Does what the words ask for.
pub(crate) fn run(words: Vec<OsString>) -> ExitCode {
    if is_for_hosts(&words) {
        return lonis::serve(provider());
    }
    let program = OsString::from("lonis-mcp");
    let mode = mode_of(&words);
    match Arguments::try_parse_from(std::iter::once(program).chain(words)) {
        Ok(arguments) => match carry_out(arguments.command) {
            Ok(code) => ExitCode::from(code),
            Err(error) => report(&error, arguments.mode.output()),
        },
        Err(error) if error.use_stderr() => refuse(&error, mode),
        // The text of `--help` or `--version`; a reader that takes none of it has had enough.
        Err(error) => {
            let text = shown(&error, io::stdout().is_terminal());
            let mut stdout = lonis::stdout();
            let written = stdout.write_all(text.as_bytes());
            match written.and_then(|()| stdout.flush()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::from(lonis::exit_code::IO),
            }
        }
    }
}

fn carry_out(command: Command) -> Result<u8, ToolError> {
    match command {
        Command::Serve(settings) => serve::run(*settings),
        Command::Bridge { .. } => Err(ToolError::new(
            ErrorKind::NotImplemented,
            "the tools of an MCP server cannot be offered as a provider in this version",
        )),
    }
}

/// The mode of words that cannot be read as a whole.
fn mode_of(words: &[OsString]) -> OutputMode {
    let word = |at: usize| words.get(at).map(|word| word.to_string_lossy());
    let named = match word(0).as_deref() {
        Some("--mode") => word(1),
        Some(first) => first
            .strip_prefix("--mode=")
            .map(|mode| mode.to_owned().into()),
        None => None,
    };
    match named.as_deref() {
        Some("json") => OutputMode::Json,
        Some("ndjson") => OutputMode::Ndjson,
        _ => OutputMode::Human,
    }
}

/// Whether the words are those of a host that asks a provider for its surface.
fn is_for_hosts(words: &[OsString]) -> bool {
    let rest = match words {
        [mode, _, rest @ ..] if mode == "--mode" => rest,
        [mode, rest @ ..] if mode.to_string_lossy().starts_with("--mode=") => rest,
        rest => rest,
    };
    let Some(first) = rest.first() else {
        return false;
    };
    ["manifest", "tools", "call"]
        .iter()
        .any(|word| first == word)
}

/// What a host that looks through a folder of providers is told: this program has no tools of its own.
fn provider() -> Provider<BlockKind> {
    Provider::new("mcp", env!("CARGO_PKG_VERSION"))
        .description("Offers the registered tools to a client of the Model Context Protocol.")
}

fn report(error: &ToolError, mode: OutputMode) -> ExitCode {
    ExitCode::from(lonis::report(error, mode, &mut io::stderr().lock()))
}

/// Words that are no command line: people read clap's own text, programs one error.
fn refuse(error: &clap::Error, mode: OutputMode) -> ExitCode {
    if mode == OutputMode::Human {
        // Without stderr there is nobody to tell.
        let text = shown(error, io::stderr().is_terminal());
        let _ = io::stderr().lock().write_all(text.as_bytes());
        return ExitCode::from(lonis::exit_code::INVALID_INPUT);
    }
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(first);
    report(&ToolError::new(ErrorKind::InvalidInput, message), mode)
}

/// Clap's text, in colour where people see it and have not asked for none.
fn shown(error: &clap::Error, at_terminal: bool) -> String {
    let text = error.render();
    if at_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) {
        text.ansi().to_string()
    } else {
        text.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_those_that_clap_can_read() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn hosts_are_told_from_people() {
        let words = |text: &str| -> Vec<OsString> { text.split(' ').map(OsString::from).collect() };
        for text in [
            "manifest",
            "--mode json manifest",
            "--mode=json tools list",
            "--mode ndjson call x",
        ] {
            assert!(is_for_hosts(&words(text)), "{text}");
        }
        for text in ["serve", "--mode json serve", "--help", "manifests"] {
            assert!(!is_for_hosts(&words(text)), "{text}");
        }
    }
}
