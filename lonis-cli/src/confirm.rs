//! The question that a policy asks before a call, at a terminal.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};

use lonis::{OutputMode, ToolError, write_text};

use crate::signals;

/// The terminal of this process, whatever its standard streams are.
const TERMINAL: &str = "/dev/tty";
/// More than anybody types for an answer.
const MOST_BYTES: u64 = 1_024;

/// Asks whether a tool may be called; where nobody can answer, nobody agrees.
///
/// In machine modes nothing is asked: a program reads the error and decides.
pub(crate) fn agrees(id: &str, mode: OutputMode) -> Result<bool, ToolError> {
    if mode.is_machine() {
        return Ok(false);
    }
    let opened = File::options().read(true).write(true).open(TERMINAL);
    let Ok(mut terminal) = opened else {
        return Ok(false);
    };
    let mut question = Vec::new();
    write_text(id, &mut question).map_err(|error| lonis::not_written(&error))?;
    let question = format!(
        "a policy asks: call `{}`? [y/N] ",
        String::from_utf8_lossy(&question).trim_end()
    );
    let answer = signals::with_nothing_to_end(|| {
        terminal.write_all(question.as_bytes())?;
        let mut answer = String::new();
        std::io::Read::take(BufReader::new(&terminal), MOST_BYTES).read_line(&mut answer)?;
        Ok::<_, std::io::Error>(answer)
    });
    // A terminal that went away answers nothing.
    let answer = answer.unwrap_or_default();
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
