//! `lonis map`: one tool over many inputs.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::num::NonZero;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread::available_parallelism;

use lonis::limits::{Bound, Limits};
use lonis::{ErrorKind, Json, SideEffects, ToolContract, ToolError};
use rustix::process::{Resource, getrlimit};
use serde_json::json;

use crate::catalog::Found;
use crate::cli::Map;
use crate::map::{Engine, Inputs, Journal, Plan};
use crate::output::{DONE, Output};
use crate::signals::{self, Busy};
use crate::{catalog, confirm};

/// Calls at one time for each core, where no width is asked for.
const CALLS_PER_CORE: u64 = 4;
/// Descriptors that a call takes, and some to spare for starting it.
const DESCRIPTORS_PER_CALL: u64 = 8;
/// Descriptors that this program needs for itself.
const OWN_DESCRIPTORS: u64 = 64;
/// How much longer than its deadline a call may last while nobody takes its output.
const HELD_MILLIS: u64 = 60_000;

pub(crate) fn run(arguments: &Map, output: &mut Output) -> Result<u8, ToolError> {
    let found = catalog::find(&arguments.id, output)?;
    let asking = Busy::begin();
    let contract = found.tool.try_contract().ok().flatten();
    drop(asking);
    if arguments.retries > 0 {
        may_be_repeated(&arguments.id, contract.as_ref())?;
    }
    let inputs = inputs(arguments.inputs.as_deref())?;
    let journal = arguments
        .journal
        .as_deref()
        .map(|path| journal(path, &arguments.id, contract.as_ref(), &inputs))
        .transpose()?;
    let is_confirmed =
        arguments.yes || (found.asks() && confirm::agrees(&arguments.id, output.mode())?);
    let plan = plan(arguments, &found, is_confirmed)?;
    let tally = Engine::new(plan, inputs, journal, output)?.run()?;
    found.remember();
    if tally.failed == 0 {
        return Ok(DONE);
    }
    let (kind, how) = if signals::is_caught() {
        (ErrorKind::Cancelled, "failed or were cancelled")
    } else {
        (ErrorKind::ToolFailed, "failed")
    };
    let message = format!("{} of {} calls {how}", tally.failed, tally.total);
    let code = kind.exit_code();
    Err(ToolError::new(kind, message)
        .with_exit_code(code)
        .with_details(json!({ "failed": tally.failed, "total": tally.total })))
}

fn plan(arguments: &Map, found: &Found, is_confirmed: bool) -> Result<Plan, ToolError> {
    let cores = available_parallelism().map_or(1, NonZero::get) as u64;
    // Asking for the token raises the limit on descriptors.
    let cancel = found.is_hosted().then(signals::watched_token);
    let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let most = (descriptors.saturating_sub(OWN_DESCRIPTORS) / DESCRIPTORS_PER_CALL).max(1);
    let width = arguments.width.unwrap_or(cores * CALLS_PER_CORE);
    Ok(Plan {
        tool: std::sync::Arc::clone(&found.tool),
        limits: limits(arguments)?,
        width: width.clamp(1, most),
        retries: arguments.retries,
        cancel,
        is_confirmed,
    })
}

/// The limits of each call; one whose output nobody takes ends all the same.
fn limits(arguments: &Map) -> Result<Limits, ToolError> {
    let longest = *Bound::MaxWallMillis.range().end();
    let ceiling = arguments.timeout.map_or(longest, |timeout| {
        timeout.saturating_add(HELD_MILLIS).min(longest)
    });
    let limits = super::call::bounded([
        ("--timeout", Bound::TimeoutMillis, arguments.timeout),
        ("--max-stdout", Bound::MaxStdoutBytes, arguments.max_stdout),
        ("--max-stderr", Bound::MaxStderrBytes, arguments.max_stderr),
    ])?;
    limits
        .with(Bound::MaxWallMillis, ceiling)
        .map_err(|error| ToolError::new(ErrorKind::InvalidInput, error.to_string()))
}

/// Refuses to repeat calls of a tool that may change something each time.
fn may_be_repeated(id: &str, contract: Option<&ToolContract>) -> Result<(), ToolError> {
    match contract.map(ToolContract::side_effects) {
        Some(SideEffects::None | SideEffects::ReadOnly) => Ok(()),
        _ => Err(ToolError::new(
            ErrorKind::InvalidInput,
            format!("`{id}` may change something, so that `--retries` has no place"),
        )
        .with_hint("only tools that declare `none` or `read-only` are called again")),
    }
}

fn journal(
    path: &Path,
    id: &str,
    contract: Option<&ToolContract>,
    inputs: &Inputs,
) -> Result<Journal, ToolError> {
    let contract = contract.and_then(|contract| serde_json::to_value(contract).ok());
    Journal::open(
        path,
        id,
        contract.map(|contract| Json::from(contract).content_hash()),
        inputs.metadata().ok().as_ref(),
    )
}

fn inputs(argument: Option<&OsStr>) -> Result<Inputs, ToolError> {
    let bytes = argument.map_or(b"-".as_slice(), OsStr::as_bytes);
    if bytes == b"-" || bytes == b"@-" {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            let message = "the inputs are lines on stdin, or of a file that `@FILE` names";
            return Err(ToolError::new(ErrorKind::InvalidInput, message));
        }
        let own = stdin
            .as_fd()
            .try_clone_to_owned()
            .map_err(|error| unreadable("stdin", &error))?;
        return Ok(Inputs::new(File::from(own)));
    }
    let path = bytes.strip_prefix(b"@").unwrap_or(bytes);
    let path = Path::new(OsStr::from_bytes(path));
    let shown = path.display().to_string();
    let file = File::open(path).map_err(|error| unreadable(&shown, &error))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(unreadable(&shown, &io::ErrorKind::IsADirectory.into()));
    }
    Ok(Inputs::new(file))
}

fn unreadable(name: &str, error: &io::Error) -> ToolError {
    ToolError::new(
        ErrorKind::InvalidInput,
        format!("`{name}` cannot be read: {error}"),
    )
}
