//! Behaviour of the spawner as its users meet it.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    reason = "a test helper that fails has failed the test"
)]

mod confinement;
mod cost;
mod failures;
mod host_signals;
mod inheritance;
mod limits;
mod probe;
mod started;
mod stdio;
