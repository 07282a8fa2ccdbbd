//! The only writer of stdout and stderr.
//!
//! Stdout is data only. What a command says besides is a note: a line of text for people, in machine modes a line of
//! JSON on success and a member of the error's details on failure, so that stderr is then exactly one document.

use std::io::{self, BufWriter, Write};

use lonis::diagnostics::Code;
use lonis::log::Level;
use lonis::{
    Json, OutputMode, Stdout, ToolError, exit_code, not_written, render_note, report, stdout,
    write_text,
};
use serde::Serialize;
use serde_json::json;

use crate::colour;

/// The member of an error's details that names the code of the catalogue.
const CODE: &str = "code";

/// What a command writes to.
pub(crate) struct Output {
    mode: OutputMode,
    stdout: BufWriter<Stdout>,
    notes: Vec<String>,
    /// The error to come is a tool's own, to which nothing is added.
    passes_error_on: bool,
}

impl Output {
    pub(crate) fn new(mode: OutputMode) -> Self {
        Self {
            mode,
            stdout: BufWriter::with_capacity(64 * 1024, stdout()),
            notes: Vec::new(),
            passes_error_on: false,
        }
    }

    pub(crate) fn mode(&self) -> OutputMode {
        self.mode
    }

    /// Where data goes; buffered until a flush or [`Output::finish`].
    pub(crate) fn data(&mut self) -> &mut dyn Write {
        &mut self.stdout
    }

    /// Writes our own text, as it is.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), ToolError> {
        self.stdout
            .write_all(text.as_bytes())
            .map_err(|error| not_written(&error))
    }

    /// Writes a line in which others had a say, so that it stays one line and drives no terminal.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), ToolError> {
        write_text(text, &mut self.stdout).map_err(|error| not_written(&error))
    }

    /// Writes a line of fields with tabs between them, each as safe as a [`Output::line`].
    pub(crate) fn fields(&mut self, fields: &[&str]) -> Result<(), ToolError> {
        let mut line = Vec::new();
        for field in fields {
            if !line.is_empty() {
                line.push(b'\t');
            }
            // One field stays on one line: a line break in it is shown like any other control character.
            let flat = field.replace('\n', "\u{240a}");
            write_text(&flat, &mut line).map_err(|error| not_written(&error))?;
            line.pop();
        }
        line.push(b'\n');
        self.stdout
            .write_all(&line)
            .map_err(|error| not_written(&error))
    }

    /// Writes one JSON document and a line break.
    pub(crate) fn document(&mut self, value: &impl Serialize) -> Result<(), ToolError> {
        serde_json::to_writer(&mut self.stdout, value)
            .map_err(|error| not_written(&error.into()))?;
        self.text("\n")
    }

    /// Keeps something to be said beside the result.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Keeps what others have to say beside the result.
    pub(crate) fn notes(&mut self, texts: &[String]) {
        self.notes.extend(texts.iter().cloned());
    }

    /// Leaves the error that the command is about to fail with as it is, since a tool wrote it.
    pub(crate) fn pass_error_on(&mut self) {
        self.passes_error_on = true;
    }

    /// Ends a command that succeeded with a code of its own; a result that cannot be written is a failure all the same.
    pub(crate) fn finish(mut self, code: u8) -> u8 {
        if let Err(error) = self.stdout.flush() {
            let error = not_written(&error).with_detail(CODE, json!(Code::IoWrite.as_str()));
            return self.fail(&error);
        }
        let mut said = Vec::new();
        self.say_notes(&mut said);
        self.tell(&said);
        code
    }

    /// Ends a command that failed, with the error's own code.
    pub(crate) fn fail(mut self, error: &ToolError) -> u8 {
        lonis::log::event(Level::Error, "command.failed", || {
            vec![
                ("kind", error.kind().as_str().into()),
                ("exit_code", u64::from(error.exit_code()).into()),
            ]
        });
        // What was delivered before the failure stays delivered; if that fails too, the first error counts.
        let _ = self.stdout.flush();
        let mut said = Vec::new();
        let code = if !self.mode.is_machine() {
            self.say_notes(&mut said);
            report(error, self.mode, &mut said)
        } else if self.passes_error_on {
            report(error, self.mode, &mut said)
        } else {
            let mut error = coded(error);
            if !self.notes.is_empty() {
                error = error.with_detail("notes", json!(self.notes));
            }
            report(&error, self.mode, &mut said)
        };
        self.tell(&said);
        code
    }

    fn say_notes(&self, said: &mut Vec<u8>) {
        for note in &self.notes {
            // Writing to memory does not fail.
            let _ = render_note(note, self.mode, said);
        }
    }

    /// Writes what is to be said besides, with one write, so that lines of two programs do not mix.
    fn tell(&self, said: &[u8]) {
        let painted = (self.mode == OutputMode::Human && colour::shows_on_stderr())
            .then(|| colour::paint(&String::from_utf8_lossy(said)));
        let bytes = painted.as_ref().map_or(said, String::as_bytes);
        // With stderr gone nobody is left to be told; the exit code says what matters.
        let _ = io::stderr().lock().write_all(bytes);
    }
}

/// Writes a line of the log, which people see beside everything else.
pub(crate) fn say_log_line(line: &str) {
    let mut safe = Vec::new();
    // Writing to memory does not fail, and with stderr gone nobody is left to be told.
    let _ = write_text(line, &mut safe);
    let _ = io::stderr().lock().write_all(&safe);
}

/// The exit code of a command that did what it was asked.
pub(crate) const DONE: u8 = exit_code::SUCCESS;

/// Adds to an error of our own the code that `lonis session explain` knows; one that is there stays.
fn coded(error: &ToolError) -> ToolError {
    let details = error.details().map(Json::to_value);
    if details.is_some_and(|details| details.get(CODE).is_some()) {
        return error.clone();
    }
    match Code::of_wire_kind(error.kind().as_str()) {
        Some(code) => error.clone().with_detail(CODE, json!(code.as_str())),
        None => error.clone(),
    }
}
