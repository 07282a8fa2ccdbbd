//! `lonis call`: one call of one tool.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use lonis::limits::{Bound, LimitError, Limits};
use lonis::process::Outcome;
use lonis::{BlockKind, BlockStream, Call, Delivery, ErrorKind, Recorder, ToolError, deliver};

use crate::catalog::Found;
use crate::cli;
use crate::output::{DONE, Output};
use crate::progress::{Behind, Progress, Waiting};
use crate::signals::{self, Busy};
use crate::{catalog, confirm, input, record};

pub(crate) fn run(arguments: &cli::Call, output: &mut Output) -> Result<u8, ToolError> {
    // The id comes first, so that a wrong one is told before anything is read from stdin.
    let found = catalog::find(&arguments.id, output)?;
    let input = input::read(arguments.input.as_deref())?;
    let is_without_input = arguments.input.is_none() && input.text() == "null";
    let mut call = Call::new(input)
        .with_limits(limits(arguments)?)
        // This is the program's main thread: what ends with it ends with the program.
        .tied_to_thread();
    let is_hosted = found.is_hosted();
    if is_hosted && (arguments.stream || Progress::is_shown_in(output.mode())) {
        // A terminal or a reader that takes nothing can hold this thread up while the tool runs.
        call = call.with_cancel(signals::watched_token());
    } else if is_hosted {
        call = call.with_cancel(signals::token()).without_pauses();
    }
    for variable in &arguments.env {
        let (name, value) = assignment(variable)?;
        call = call.with_env(name, value);
    }
    if let Some(directory) = &arguments.cwd {
        call = call.with_cwd(std::path::absolute(directory).unwrap_or_else(|_| directory.clone()));
    }
    if arguments.yes || (found.asks() && confirm::agrees(&arguments.id, output.mode())?) {
        call = call.confirmed();
    }
    let busy = (is_hosted && !arguments.stream).then(Busy::begin);
    let mut stream = start(&found, call, arguments.record.as_deref()).map_err(|error| {
        if is_without_input && *error.kind() == ErrorKind::InvalidInput {
            error.with_hint("no input was given: it stands behind the id, as JSON or as `@FILE`")
        } else {
            error
        }
    })?;
    found.remember();
    let delivery = if arguments.stream {
        Delivery::Streamed
    } else {
        Delivery::Collected
    };
    let progress = Progress::begin(&format!("calling {}", arguments.id), output.mode());
    let waiting = Waiting::new(progress, busy);
    let result = follow(&mut stream, delivery, waiting, output).map_err(|error| {
        if *error.kind() == ErrorKind::Timeout && !stream.failed_by_tool() {
            return with_way_to_more_time(error);
        }
        error
    });
    if arguments.timing {
        output.note(stream.outcome().map_or_else(
            || "no program was started, so that there are no times to tell".to_owned(),
            timing,
        ));
    }
    result.map(|()| DONE)
}

/// Says what gives a call more time: its timeout and its ceiling are set in different places.
fn with_way_to_more_time(error: ToolError) -> ToolError {
    let ceiling = Bound::MaxWallMillis.name();
    let is_ceiling = error
        .details()
        .is_some_and(|details| details.to_value()["bound"] == ceiling);
    error.with_hint(if is_ceiling {
        "`bounds.max_wall_millis` in `lonis.toml` is what every call of the tool may take in all"
    } else {
        "`--timeout` gives the call longer, `bounds.timeout_millis` in `lonis.toml` every call of the tool"
    })
}

/// Starts a call, and writes it down where that is asked for.
fn start(
    found: &Found,
    call: Call,
    record: Option<&Path>,
) -> Result<BlockStream<BlockKind>, ToolError> {
    let Some(place) = record else {
        return found.tool.start(call);
    };
    let file = record::create(place, &call)?;
    let recorder = Recorder::begin(file, Arc::clone(&found.tool), &call)?;
    match found.tool.start(call) {
        Ok(stream) => Ok(recorder.follow(stream)),
        Err(error) => {
            // The call's own error says more than that it could not be written down.
            let _ = recorder.refused(&error);
            Err(error)
        }
    }
}

/// Writes the blocks of a call and keeps what else is to be said of it.
pub(super) fn follow(
    stream: &mut BlockStream<BlockKind>,
    delivery: Delivery,
    waiting: Waiting,
    output: &mut Output,
) -> Result<(), ToolError> {
    let result = write(stream, delivery, waiting, output);
    output.notes(stream.notes());
    // In machine modes an error of the tool's own stays the one document on stderr.
    if !output.mode().is_machine() {
        for line in stream.diagnostics().lines() {
            output.note(line);
        }
    }
    // Only a call that has come to its end has an error of its tool; output that could not be written breaks it off.
    if result.is_err() && stream.failed_by_tool() {
        output.pass_error_on();
    }
    result
}

fn write(
    stream: &mut BlockStream<BlockKind>,
    delivery: Delivery,
    waiting: Waiting,
    output: &mut Output,
) -> Result<(), ToolError> {
    let mode = output.mode();
    let mut out = Behind::new(waiting, output.data());
    match delivery {
        Delivery::Streamed => deliver(stream, mode, &mut out),
        Delivery::Collected => lonis::collect(stream, mode, &mut out),
    }
}

fn limits(arguments: &cli::Call) -> Result<Limits, ToolError> {
    bounded([
        ("--timeout", Bound::TimeoutMillis, arguments.timeout),
        ("--max-stdout", Bound::MaxStdoutBytes, arguments.max_stdout),
        ("--max-stderr", Bound::MaxStderrBytes, arguments.max_stderr),
    ])
}

/// Returns the limits that options ask for; one that cannot be is told under the option's name.
pub(super) fn bounded(asked: [(&str, Bound, Option<u64>); 3]) -> Result<Limits, ToolError> {
    let mut given = asked
        .into_iter()
        .filter_map(|(option, bound, value)| Some((option, bound, value?)));
    given.try_fold(Limits::new(), |limits, (option, bound, value)| {
        limits.with(bound, value).map_err(|error| {
            let message = match error {
                LimitError::OutOfRange {
                    value, least, most, ..
                } => {
                    format!("`{option}` is {value}, allowed are {least} to {most}")
                }
                error => format!("`{option}`: {error}"),
            };
            ToolError::new(ErrorKind::InvalidInput, message)
        })
    })
}

/// What a call took, for people: the machine's form of it is the record.
fn timing(outcome: &Outcome) -> String {
    let cpu = outcome
        .cpu
        .map_or_else(|| "unknown".to_owned(), |cpu| format!("{cpu:.1?}"));
    let memory = outcome.peak_memory_bytes.map_or_else(
        || "unknown".to_owned(),
        |bytes| format!("{} KiB", bytes / 1024),
    );
    format!(
        "wall {:.1?}, tool {:.1?}, processor {cpu}, peak memory {memory}, {} bytes in, {} out, {} on stderr",
        outcome.wall,
        outcome.tool_time,
        outcome.stdin_bytes,
        outcome.stdout_bytes,
        outcome.stderr_bytes
    )
}

/// `NAME=VALUE`, or `NAME` for this program's own value.
fn assignment(text: &OsStr) -> Result<(OsString, OsString), ToolError> {
    let refused = |message: String| ToolError::new(ErrorKind::InvalidInput, message);
    let bytes = text.as_bytes();
    let (name, value) = match bytes.iter().position(|byte| *byte == b'=') {
        Some(at) => (
            OsStr::from_bytes(&bytes[..at]),
            Some(OsStr::from_bytes(&bytes[at + 1..]).to_owned()),
        ),
        None => (text, std::env::var_os(text)),
    };
    if name.is_empty() {
        // What stands behind the equals sign may be a secret.
        return Err(refused("a value of `--env` names no variable".to_owned()));
    }
    match value {
        Some(value) => Ok((name.to_owned(), value)),
        None => Err(refused(format!(
            "`--env {}` hands on a variable that is not set",
            name.to_string_lossy()
        ))),
    }
}
