//! How a command line ends: what it writes where, and its exit code.

use std::io::{self, ErrorKind, IsTerminal, Write};

use lonis::{canonical, exit_code};
use lonis_diagnostics::{Code, Diagnostic, Failure, Style, success, width_of};
use serde_json::Value;

use super::Answer;

/// How the end of a command line is told.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// Whether one envelope is written in the place of text.
    pub(super) is_json: bool,
    /// The schema id of the result, where the command has one.
    pub(super) kind: Option<String>,
    /// The command, where it changes something.
    pub(super) effect: Option<&'static str>,
}

impl Ending {
    /// Writes what there is to say, and gives the exit code.
    pub(super) fn tell(&self, result: Result<Answer, Failure>) -> u8 {
        match result {
            Ok(answer) => {
                let shown = if self.is_json {
                    line(&success(&answer.kind, answer.data))
                } else {
                    answer.text
                };
                self.show(&shown)
            }
            Err(failure) if self.is_json => {
                let envelope = failure.envelope(self.kind.as_deref());
                match printed(&line(&envelope)) {
                    Ok(()) => failure.exit_code(),
                    Err(error) => complain(&error, || {
                        let message = "the refusal cannot be written to stdout";
                        let refusal = failure.entries().cloned();
                        let whole = refusal.fold(unwritten(message, &error), Failure::and);
                        line(&whole.envelope(None))
                    }),
                }
            }
            Err(failure) => match io::stderr().lock().write_all(human(&failure).as_bytes()) {
                Ok(()) => failure.exit_code(),
                Err(_) => exit_code::IO,
            },
        }
    }

    /// Writes what was asked for to stdout, and gives the exit code.
    pub(super) fn show(&self, text: &str) -> u8 {
        match printed(text) {
            Ok(()) => exit_code::SUCCESS,
            Err(error) => complain(&error, || {
                let message = "the result cannot be written to stdout";
                let failure = match self.effect {
                    None => unwritten(message, &error),
                    Some("apply") => {
                        unwritten(&format!("{message}, but the session was applied"), &error)
                    }
                    Some(command) => unwritten(
                        &format!("{message}, but `{command}` was done, and its effect stands"),
                        &error,
                    ),
                };
                if self.is_json {
                    line(&failure.envelope(None))
                } else {
                    human(&failure)
                }
            }),
        }
    }
}

fn line(envelope: &Value) -> String {
    canonical::text(envelope).unwrap_or_default() + "\n"
}

fn printed(text: &str) -> io::Result<()> {
    let mut stdout = lonis::stdout();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Says on stderr that stdout cannot be written; a reader that is gone has heard enough.
fn complain(error: &io::Error, text: impl FnOnce() -> String) -> u8 {
    if error.kind() != ErrorKind::BrokenPipe {
        // Where stderr is lost too, the exit code is all that is left to say it.
        let _ = io::stderr().lock().write_all(text().as_bytes());
    }
    exit_code::IO
}

fn unwritten(message: &str, error: &io::Error) -> Failure {
    Diagnostic::new(Code::IoWrite, "session/output", message)
        .with("path", "stdout")
        .with("os_error", error.to_string())
        .with_fact("reason", error.to_string())
        .into()
}

fn human(failure: &Failure) -> String {
    let width = width_of(std::env::var("COLUMNS").ok().as_deref());
    lonis_diagnostics::human(failure, width, style())
}

/// Colours at a terminal, or where they are forced; never where they are unwanted.
fn style() -> Style {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        return Style::Plain;
    }
    let is_forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
    if is_forced || io::stderr().is_terminal() {
        Style::Coloured
    } else {
        Style::Plain
    }
}
