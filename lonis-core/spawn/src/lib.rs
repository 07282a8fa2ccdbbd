//! Starts, signals and reaps one isolated child process.
//!
//! A [`Plan`] is built once per program and started any number of times with [`spawn`], which gives a [`Started`]
//! child: a number that is pinned until the reap, and a pidfd. What goes wrong between the start and the program's
//! first instruction is a [`SpawnError`] that names the [`Step`], and that child is reaped already.
//!
//! This is the only crate of Lonis with `unsafe` code, and its surface is safe. Before `main` it looks which of the first
//! three descriptors are closed ([`was_closed_at_start`]), and does nothing else unasked: only a program that owns its
//! process asks for a signal setting that lasts. It never changes a signal mask beyond one call, reads no environment and
//! keeps no clock. Supervision, deadlines and trees live in the process layer of `lonis-core`. Spawning is there on Linux;
//! elsewhere on Unix only the signal settings are.
//!
//! ```
//! # #[cfg(target_os = "linux")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::{io, os::fd::AsFd, path::Path};
//!
//! let plan = lonis_spawn::Plan::new(Path::new("/bin/sh"), ["-c", "exit 3"], ["PATH=/usr/bin:/bin"])?;
//! let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
//! let request = lonis_spawn::Request::new(stdin.as_fd(), stdout.as_fd(), stderr.as_fd());
//! let reaped = lonis_spawn::spawn(&plan, &request)?.reap()?;
//! assert_eq!(reaped.status.code(), Some(3));
//! # Ok(())
//! # }
//! # #[cfg(not(target_os = "linux"))]
//! # fn main() {}
//! ```

#[cfg(unix)]
mod at_start;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(unix)]
mod signal;

#[cfg(unix)]
pub use crate::at_start::was_closed_at_start;
#[cfg(target_os = "linux")]
pub use crate::linux::*;
#[cfg(unix)]
pub use crate::signal::{
    ChildSignal, Signal, child_signal, restore_child_signal, survive_file_size_signal,
    write_without_sigpipe,
};
