//! One call from its start to an exit code: blocks on stdout, one error on stderr.
//!
//! A failed write is a failed call: it ends the tool and is `io`, never a panic and never success.

use std::io::{self, Write};

use lonis_schema::{Block, BlockPayload, ErrorKind, OutputMode, ToolError, ToolId, exit_code};
use serde_json::{Value, json};

use crate::render::{BlockWriter, render, render_error, render_note};
use crate::{BlockStream, Call, ToolRegistry};

/// How the blocks of a call reach the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// All at once after the call; a call that fails writes none.
    Collected,
    /// Each as it comes; those that came before a failure stay written.
    Streamed,
}

/// Calls a tool, writes its blocks to stdout after the call or its error to stderr, and returns the exit code.
pub fn run_tool<P: BlockPayload>(
    registry: &ToolRegistry<P>,
    id: &ToolId,
    input: Value,
    mode: OutputMode,
) -> u8 {
    let started = registry.start(id, Call::new(input));
    run_call(
        started,
        Delivery::Collected,
        mode,
        &mut crate::stdout(),
        &mut io::stderr().lock(),
    )
}

/// Calls a tool, writes each block to stdout as it comes and a final error to stderr, and returns the exit code.
pub fn run_stream<P: BlockPayload>(
    registry: &ToolRegistry<P>,
    id: &ToolId,
    input: Value,
    mode: OutputMode,
) -> u8 {
    let started = registry.start(id, Call::new(input));
    run_call(
        started,
        Delivery::Streamed,
        mode,
        &mut crate::stdout(),
        &mut io::stderr().lock(),
    )
}

/// Follows a started call to its end and returns its exit code; what [`run_tool`] and [`run_stream`] do, for any output.
pub fn run_call<P: BlockPayload>(
    started: Result<BlockStream<P>, ToolError>,
    delivery: Delivery,
    mode: OutputMode,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> u8 {
    let mut stream = match started {
        Ok(stream) => stream,
        Err(error) => return report(&error, mode, stderr),
    };
    let result = match delivery {
        Delivery::Collected => collect(&mut stream, mode, stdout),
        Delivery::Streamed => deliver(&mut stream, mode, stdout),
    };
    match result {
        Ok(()) => {
            for note in stream.notes() {
                // The call has succeeded and its output is written; a note more or less changes nothing about that.
                let _ = render_note(note, mode, stderr);
            }
            exit_code::SUCCESS
        }
        Err(error) => report_with_notes(error, &stream, mode, stderr),
    }
}

/// Writes the error of a call with what else is known about it: into the details of the host's own errors in the machine
/// modes, where stderr is one error and nothing more; on lines of their own for people.
fn report_with_notes<P: BlockPayload>(
    error: ToolError,
    stream: &BlockStream<P>,
    mode: OutputMode,
    stderr: &mut dyn Write,
) -> u8 {
    let notes = stream.notes();
    if mode == OutputMode::Human {
        for note in notes {
            // What matters is the error that follows, and its exit code.
            let _ = render_note(note, mode, stderr);
        }
        return report(&error, mode, stderr);
    }
    if notes.is_empty() || !stream.failed_by_host() {
        return report(&error, mode, stderr);
    }
    report(&error.with_detail("notes", json!(notes)), mode, stderr)
}

/// Writes each block of a call as it comes, and flushes it; the document is closed even where the call fails.
///
/// # Errors
/// The error of the call; `invalid_output` for a block that was built here and breaks a limit; `io` when the output takes
/// nothing more; `serialization` for a payload that has no JSON form. After any of them the stream is to be dropped.
pub fn deliver<P: BlockPayload>(
    stream: &mut BlockStream<P>,
    mode: OutputMode,
    out: &mut dyn Write,
) -> Result<(), ToolError> {
    let mut writer = BlockWriter::new(mode, out);
    let mut failure = None;
    for item in stream {
        match item.and_then(within_limits) {
            Ok(block) => writer
                .write(&block)
                .and_then(|()| writer.flush())
                .map_err(|error| not_written(&error))?,
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    writer.finish().map_err(|error| not_written(&error))?;
    failure.map_or(Ok(()), Err)
}

/// Writes the blocks of a call at once after its end; a call that fails writes none.
///
/// # Errors
/// As [`deliver`].
pub fn collect<P: BlockPayload>(
    stream: &mut BlockStream<P>,
    mode: OutputMode,
    out: &mut dyn Write,
) -> Result<(), ToolError> {
    let blocks = stream.collect_remaining()?;
    let blocks = blocks
        .into_iter()
        .map(within_limits)
        .collect::<Result<Vec<_>, _>>()?;
    render(&blocks, mode, out)
        .and_then(|()| out.flush())
        .map_err(|error| not_written(&error))
}

/// Refuses a block that was built here and breaks a limit; one that was received keeps what it breaks as warnings.
fn within_limits<P: BlockPayload>(block: Block<P>) -> Result<Block<P>, ToolError> {
    if block.received_data().is_some() {
        return Ok(block);
    }
    let findings = block
        .check()
        .map_err(|error| ToolError::new(ErrorKind::Serialization, error.to_string()))?;
    match findings.first() {
        None => Ok(block),
        Some(finding) => Err(ToolError::new(
            ErrorKind::InvalidOutput,
            format!("block breaks a limit: {finding}"),
        )),
    }
}

/// Writes the error that ends a program's work, and returns the exit code for it, which is never success.
pub fn report(error: &ToolError, mode: OutputMode, stderr: &mut dyn Write) -> u8 {
    // With stderr gone as well the exit code is all that is left to say.
    let _ = render_error(error, mode, stderr).and_then(|()| stderr.flush());
    match error.exit_code() {
        exit_code::SUCCESS => exit_code::TOOL_FAILED,
        code => code,
    }
}

/// Returns the error for output that could not be written.
pub fn not_written(error: &io::Error) -> ToolError {
    let kind = match error.kind() {
        io::ErrorKind::InvalidData => ErrorKind::Serialization,
        // The system's words for it, a broken pipe, say nothing to whoever ended the reader.
        io::ErrorKind::BrokenPipe => {
            let message = "whoever read the output has closed it before all was written";
            return ToolError::new(ErrorKind::Io, message);
        }
        _ => ErrorKind::Io,
    };
    ToolError::new(kind, format!("output could not be written: {error}"))
}

#[cfg(test)]
mod tests;
