//! `lonis-mcp serve`: from the surroundings of the process to a server that runs.

use std::io::{self, Write};
use std::path::PathBuf;

use crossbeam_channel::unbounded;
use lonis::host::Environment;
use lonis::process::CancelToken;
use lonis::{ErrorKind, OutputMode, ToolError};

use crate::exposure::Exposure;
use crate::registry::Registry;
use crate::server::{Event, Server};
use crate::settings::{Settings, size};
use crate::transport::{Output, read_lines};
use crate::{failure, signals};

/// The name of the exposure file beside the user's `lonis.toml`.
const EXPOSURE_FILE: &str = "lonis-mcp.toml";

/// Serves one client, and returns the exit code.
///
/// # Errors
/// What keeps the server from starting; once it runs, every failure is an answer to the client.
pub(crate) fn run(settings: Settings) -> Result<u8, ToolError> {
    let surroundings = Environment::of_process().map_err(|error| {
        let message = format!("the working directory cannot be used: {error}");
        ToolError::new(ErrorKind::Io, message)
    })?;
    let exposure = match exposure_file(&settings, &surroundings) {
        Some(path) => Exposure::read(&path)?,
        None => Exposure::default(),
    };
    let boundary = boundary(&settings, &surroundings)?;
    let (sender, events) = unbounded();
    let (on_signal, asking) = (sender.clone(), CancelToken::new());
    let ended = asking.clone();
    signals::listen(move || {
        ended.kill();
        // Nobody listens only when the server has ended already.
        let _ = on_signal.send(Event::Signal);
    })
    .map_err(|error| unstartable(&error))?;
    let registry = Registry::new(surroundings, exposure, asking);
    let offer = registry.offer()?;
    for note in &offer.notes {
        tell(note);
    }
    let on_written = sender.clone();
    let output = Output::begin(
        lonis::stdout(),
        size(settings.max_output_bytes),
        move |written| {
            // As above.
            let _ = on_written.send(Event::Written(written));
        },
    )
    .map_err(|error| unstartable(&error))?;
    let lines = read_lines(io::stdin(), size(settings.max_frame_bytes))
        .map_err(|error| unstartable(&error))?;
    let server = Server::new(settings, registry, offer, boundary, output, sender);
    server.run(&lines, &events)
}

fn exposure_file(settings: &Settings, surroundings: &Environment) -> Option<PathBuf> {
    settings.exposure.clone().or_else(|| {
        let path = surroundings.config_folder()?.join(EXPOSURE_FILE);
        path.exists().then_some(path)
    })
}

/// The directory that no root lies outside of.
fn boundary(settings: &Settings, surroundings: &Environment) -> Result<PathBuf, ToolError> {
    let path = match &settings.workspace_root {
        Some(path) => surroundings.directory().join(path),
        None => surroundings.directory().to_owned(),
    };
    let resolved = path
        .canonicalize()
        .ok()
        .filter(|path| path.is_dir() && path.to_str().is_some());
    resolved.ok_or_else(|| {
        failure::invalid_config(format!(
            "`{}` is no directory that can be used",
            path.display()
        ))
    })
}

fn unstartable(error: &io::Error) -> ToolError {
    ToolError::new(ErrorKind::Io, format!("the server cannot start: {error}"))
}

/// Tells people something about the server.
pub(crate) fn tell(note: &str) {
    // Without stderr there is nobody to tell.
    let _ = lonis::render_note(note, OutputMode::Human, &mut io::stderr().lock());
    let _ = io::stderr().flush();
}
