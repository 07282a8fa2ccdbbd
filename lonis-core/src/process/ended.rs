//! What is known of a leader that is gone.

use std::process::ExitStatus;
use std::time::Duration;

/// A leader that is gone.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// User and system time, where the backend tells it.
    pub(crate) cpu: Option<Duration>,
    /// The largest resident memory that the system reports, its host's at the start included.
    pub(crate) peak_memory_bytes: Option<u64>,
    /// Whether its end is known to have ended processes that it had left.
    pub(crate) has_ended_others: bool,
}

/// The system has no status for a leader, and its number may be somebody else's.
#[derive(Debug)]
pub(crate) struct StatusLost;
