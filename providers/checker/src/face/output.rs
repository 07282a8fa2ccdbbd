//! The only writer of stdout and stderr.

use std::io::{self, Write};

use soil::diagnostic::Code;
use soil::document::Detail;

use super::arguments::Options;
use super::human;
use crate::failure::Failure;

/// Writes the answer of a command.
pub(crate) fn answer(text: &[u8]) -> Result<(), Failure> {
    let mut stdout = lonis::stdout();
    let written = stdout.write_all(text).and_then(|()| stdout.flush());
    written
        .map_err(|error| Failure::new(Code::Io, format!("the answer cannot be written: {error}")))
}

/// Writes the answer of a command to people: what others chose to write in it cannot drive their terminal.
pub(crate) fn answer_people(text: &str) -> Result<(), Failure> {
    answer(&harmless(text))
}

/// Asks people something on stderr.
pub(crate) fn ask(text: &str) {
    // With stderr gone nobody is asked, and nobody answers.
    let _ = io::stderr().lock().write_all(&harmless(text));
}

/// Shows each character that drives a terminal by its number, line for line.
fn harmless(text: &str) -> Vec<u8> {
    let mut safe = Vec::with_capacity(text.len());
    for line in text.lines() {
        lonis::write_text(line, &mut safe).expect("memory takes all that is written to it");
    }
    safe
}

/// Writes a document of diagnostics.
pub(crate) fn error(text: &str) {
    // With stderr gone the exit code is all that is left to say.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Shows why there is no answer to people; colour goes to terminals alone.
pub(crate) fn show(failure: &Failure) {
    let text = human::render(failure);
    // With stderr gone the exit code is all that is left to say.
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Writes why there is no answer.
pub(super) fn fail(failure: &Failure, options: Options) {
    if options.is_human {
        return show(failure);
    }
    let detail = if options.is_rich {
        Detail::RichPlain
    } else {
        Detail::Plain
    };
    error(&failure.document(detail));
}
