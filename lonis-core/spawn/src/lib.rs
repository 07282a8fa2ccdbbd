//! Starts, signals and reaps one isolated child process.
//!
//! A [`Plan`] is built once per program and started any number of times with [`spawn`], which gives a [`Started`] child: a
//! pid that is pinned until the reap, and a pidfd. What goes wrong between the start and the new program's first instruction
//! is a [`SpawnError`] that names the [`Step`], and that child is reaped already.
//!
//! This is the only crate of Lonis with `unsafe` code, and its surface is safe. It never installs a signal handler, never
//! changes a signal mask beyond one call, reads no environment and keeps no clock. Supervision, deadlines and trees live in
//! `lonis-core`'s process layer. Spawning is there on Linux; elsewhere only the signal settings are.

#[cfg(target_os = "linux")]
mod backend;
#[cfg(target_os = "linux")]
mod c_strings;
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod clone3;
#[cfg(target_os = "linux")]
mod descriptors;
#[cfg(target_os = "linux")]
mod fault;
#[cfg(target_os = "linux")]
mod isolation;
#[cfg(target_os = "linux")]
mod plan;
#[cfg(target_os = "linux")]
mod posix_spawn;
#[cfg(unix)]
mod signal;
#[cfg(target_os = "linux")]
mod spawn;
#[cfg(target_os = "linux")]
mod started;
#[cfg(target_os = "linux")]
mod step;

#[cfg(unix)]
pub use crate::signal::{
    ChildSignal, Signal, child_signal, restore_child_signal, write_without_sigpipe,
};
#[cfg(target_os = "linux")]
pub use crate::{
    backend::{Backend, Enforcement, Setting},
    c_strings::CStrings,
    isolation::{Group, Isolation, Limit, Namespaces, Resource},
    plan::{Plan, PlanError},
    spawn::{Request, spawn},
    started::{ReapError, Reaped, Started, Usage},
    step::{SpawnError, Step},
};
