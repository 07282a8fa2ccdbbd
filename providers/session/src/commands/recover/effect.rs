//! What became of a call whose answer was lost: the logs know.

use std::time::Duration;

use lonis_diagnostics::{Code, Failure};
use serde::Serialize;

use crate::commands::place::Place;
use crate::store::lock::{self, Hold, LockError, Subject};
use crate::store::log::{self, Log};

/// Whether a call took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Effect {
    /// A line of a log holds it.
    Committed,
    /// No log does, and no command runs that could still write it.
    None,
    /// A command still runs.
    Unknown,
}

/// Looks a call up in every log.
pub(super) fn of(place: &Place<'_>, call: &str) -> Result<Effect, Failure> {
    let during = place.during;
    let ids = log::sessions(&place.disk).map_err(|error| {
        let diagnostic = during.diagnostic(Code::IoRead, "sessions cannot be listed");
        Failure::from(diagnostic.with("os_error", error.to_string()))
    })?;
    let mut effect = Effect::None;
    let mut damaged = None;
    for id in ids {
        // The lock is looked at first: a command that ends between both looks has its line in the log by the second one.
        let subject = Subject::Session(id.clone());
        let is_busy = match lock::acquire(&place.disk, &subject, Hold::Shared, Duration::ZERO) {
            Ok(_) => false,
            Err(LockError::Busy { .. }) => true,
            Err(error) => return Err(during.fail(error)),
        };
        let log = match Log::read(&place.disk, &id) {
            Ok(log) => log,
            Err(error) => {
                damaged.get_or_insert(error);
                continue;
            }
        };
        if log
            .events()
            .iter()
            .any(|event| event.call.as_deref() == Some(call))
        {
            return Ok(Effect::Committed);
        }
        if is_busy {
            effect = Effect::Unknown;
        }
    }
    // The line may have stood where nothing can be read now, so that nobody knows that there is none.
    match damaged {
        Some(error) => Err(during.fail(error)),
        None => Ok(effect),
    }
}
