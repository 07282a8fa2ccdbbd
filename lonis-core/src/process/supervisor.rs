//! One thread for every call that its own consumer does not drive at the moment.
//!
//! It keeps the ceiling, the sampled bounds and the cancel of calls whose consumer holds them, wakes the tasks of the
//! async bridge, drives the calls of a [`super::Pool`], and clears away what did not vanish in time. It is started when
//! it is first needed, lives as long as the process, and nobody joins it. What it does is in `engine.rs`, how it is told
//! in `line.rs`.

mod engine;
mod line;
mod tokens;

use std::sync::{Arc, Mutex, PoisonError};

use super::leftover::Leftover;
use super::system_error::SystemError;
use engine::Engine;
use line::Message;
pub(crate) use line::{CallNumber, Place, Supervisor};

static SUPERVISOR: Mutex<Option<Arc<Supervisor>>> = Mutex::new(None);

/// Returns the supervisor, starting it if there is none.
pub(crate) fn get() -> Result<Arc<Supervisor>, SystemError> {
    let mut supervisor = SUPERVISOR.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(running) = supervisor.as_ref() {
        return Ok(Arc::clone(running));
    }
    let started = Arc::new(Supervisor::new()?);
    let mut engine = Engine::new(Arc::clone(&started));
    std::thread::Builder::new()
        .name("lonis-supervisor".to_owned())
        .spawn(move || engine.run())
        .map_err(|error| SystemError::new("start a thread", error.raw_os_error().unwrap_or(0)))?;
    *supervisor = Some(Arc::clone(&started));
    Ok(started)
}

/// Leaves to the supervisor what did not vanish in time.
pub(crate) fn clear_away(leftover: Leftover) {
    // Without a supervisor the process stays a zombie until this program ends; the outcome has listed it.
    if let Ok(supervisor) = get() {
        supervisor.send(Message::ClearAway(Box::new(leftover)));
    }
}
