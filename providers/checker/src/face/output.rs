//! The only writer of stdout and stderr.

use std::io::{self, Write};

use soil::diagnostic::Code;
use soil::document::{self, Detail};

use super::arguments::Options;
use super::failure::Failure;
use super::human;

/// Writes the answer of a command.
pub(super) fn answer(text: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text).and_then(|()| stdout.flush());
    written
        .map_err(|error| Failure::new(Code::Io, format!("the answer cannot be written: {error}")))
}

/// Writes why there is no answer; colour goes to terminals alone.
pub(super) fn fail(failure: &Failure, options: Options) {
    let written = if options.is_human {
        let text = human::render(failure);
        anstream::stderr().lock().write_all(text.as_bytes())
    } else {
        let detail = if options.is_rich {
            Detail::RichPlain
        } else {
            Detail::Plain
        };
        let text = document::errors(failure.diagnostics.clone(), &failure.sources, detail);
        io::stderr().lock().write_all(text.as_bytes())
    };
    // With stderr gone the exit code is all that is left to say.
    let _ = written;
}
