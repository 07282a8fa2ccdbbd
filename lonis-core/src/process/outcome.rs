//! The record that every call leaves behind, beside its output or its error.

mod containment;
mod document;
mod enforcement;
mod status;

use std::ffi::OsString;
use std::time::Duration;

use super::confinement::ConfinementReport;
use super::pipes::Stream;
pub use containment::{Containment, HostDeath, LeftBehind, LeftBehindReason, Level, Mechanism};
pub use enforcement::{BoundHeld, Breach, Enforcement};
pub use status::Status;

/// Which code path started the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Our own spawner, over `clone3`.
    Clone3,
    /// The C library's `posix_spawn`.
    PosixSpawn,
    /// The standard library, for systems other than Linux.
    Portable,
}

impl Backend {
    /// Returns the word of outcomes.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Clone3 => "clone3",
            Self::PosixSpawn => "posix-spawn",
            Self::Portable => "portable",
        }
    }
}

/// What one call did and used, whether it succeeded or not.
///
/// # Wire shape
/// An object with the members below; times are in microseconds (`wall_micros`, `tool_micros`, `held_micros`,
/// `cpu_micros`), the status is `exit_code` or `signal` with `signal_name`, and what was not measured is `null`.
///
/// # Units and bounds
/// Durations are kept to the nanosecond; sizes are bytes. What was not measured is `None`, never zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// From just before the spawn until the call was over.
    pub wall: Duration,
    /// The part of `wall` in which the tool was the one waited for.
    pub tool_time: Duration,
    /// The part of `wall` in which the consumer held the call up.
    pub held_time: Duration,
    /// User and system time of the leader and of everything reaped below it.
    pub cpu: Option<Duration>,
    /// Largest resident memory seen.
    pub peak_memory_bytes: Option<u64>,
    /// Most processes seen at one time.
    pub peak_processes: Option<u64>,
    /// Bytes of input that the tool took.
    pub stdin_bytes: u64,
    /// Bytes read from stdout.
    pub stdout_bytes: u64,
    /// Bytes read from stderr.
    pub stderr_bytes: u64,
    /// How the leader ended; `None` if it was never started or could not be reaped.
    pub status: Option<Status>,
    /// The code path that started it; `None` if it was never started.
    pub backend: Option<Backend>,
    /// What was in force to end its processes; `None` if it was never started.
    pub containment: Option<Containment>,
    /// What of the rules for files and the network was in force; `None` where none were asked for.
    pub confinement: Option<ConfinementReport>,
    /// Every bound in force, and how it was held.
    pub bounds: Vec<BoundHeld>,
    /// Whether processes outlived the leader's exit, as far as that can be known, and were ended.
    pub descendants_ended: bool,
    /// The streams that were still held open when the drain grace was over.
    pub drain_cut: Vec<Stream>,
    /// Processes that could not be ended.
    pub left_behind: Vec<LeftBehind>,
    /// Names of the variables that the tool saw, never their values.
    pub environment: Vec<OsString>,
    /// Further facts about the call, as texts for people.
    pub notes: Vec<String>,
}
