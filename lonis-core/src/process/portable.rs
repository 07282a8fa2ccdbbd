//! The `portable` backend: children of the standard library, for systems that our own spawner does not know.
//!
//! It stays on the library's fast path (an absolute program, nothing that runs in the child), so it sets what that path
//! sets: a group, the three pipes, environment and directory. Signals, session, umask, closing, limits and tree levels
//! are missing. The pipes are polled like those of every other call; the one thing that is not there to be polled, the
//! exit, is watched by a thread that reaps nothing, so that the group is signalled while its number is still pinned.
//!
//! It is built on every Unix so that it can be tested on Linux, and never chosen there by itself. `wait-timeout` installs
//! a handler for SIGCHLD at the first child that has to be waited for when it is dropped: the one setting of this crate
//! that outlives a call.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use command_group::{CommandGroup, GroupChild, UnixChildExt};
use lonis_spawn::Signal;
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use wait_timeout::ChildExt;

use super::ended::Ended;
use super::environment::Environment;
use super::pipes::Ends;

/// How long the drop of a child waits for the end that it has brought about.
const DROP_PATIENCE: Duration = Duration::from_millis(50);

/// The watcher's stack; it makes two system calls.
const STACK_BYTES: usize = 64 * 1024;

/// What the standard library starts.
pub(crate) struct Order<'a> {
    /// An absolute path: a bare name would leave the fast path, and be looked for in another `PATH`.
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [OsString],
    pub(crate) environment: &'a Environment,
    pub(crate) directory: Option<&'a Path>,
}

/// A child of the standard library that is not reaped; dropping it ends and reaps its group.
#[derive(Debug)]
pub(crate) struct PortableChild {
    pid: Pid,
    /// Absent once it is reaped or given to the watcher.
    group: Option<GroupChild>,
    watch: Arc<Watch>,
    /// Ends when the watcher has seen the exit.
    exit: io::PipeReader,
}

/// What a child and its watcher have in common.
#[derive(Debug, Default)]
struct Watch {
    state: Mutex<Watched>,
}

#[derive(Debug, Default)]
enum Watched {
    #[default]
    Running,
    /// The watcher has seen the exit and is no more.
    Exited,
    /// Nobody else is left to reap it.
    Abandoned(GroupChild),
}

/// Starts a program as the leader of a group of its own.
///
/// # Errors
/// The system's own; the library does not tell which step has failed.
pub(crate) fn spawn(order: &Order<'_>, stdio: &Ends) -> io::Result<PortableChild> {
    #[expect(clippy::disallowed_methods, reason = "this is the process layer")]
    let mut command = Command::new(order.program);
    command.args(order.arguments).env_clear();
    command.envs(order.environment.iter().collect::<Vec<(&OsStr, &OsStr)>>());
    if let Some(directory) = order.directory {
        command.current_dir(directory);
    }
    command
        .stdin(stdio.stdin.try_clone()?)
        .stdout(stdio.stdout.try_clone()?)
        .stderr(stdio.stderr.try_clone()?);
    let (exit, seen) = io::pipe()?;
    let group = command.group_spawn()?;
    let pid = i32::try_from(group.id()).ok().and_then(Pid::from_raw);
    let pid = pid.expect("the system numbers processes from 1 within this type");
    let watch = Arc::new(Watch::default());
    let child = PortableChild {
        pid,
        group: Some(group),
        watch: Arc::clone(&watch),
        exit,
    };
    // It ends with the child, and nobody joins it: a child in an uninterruptible sleep may outlive its call.
    let watcher = thread::Builder::new()
        .name("lonis-exit".into())
        .stack_size(STACK_BYTES);
    watcher.spawn(move || watch.until_exit(pid, seen))?;
    Ok(child)
}

impl Watch {
    fn until_exit(&self, pid: Pid, seen: io::PipeWriter) {
        // Whatever else the answer is than an interruption, there is nothing more to wait for.
        while let Err(Errno::INTR) = waitid(
            WaitId::Pid(pid),
            WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
        ) {}
        let before = std::mem::replace(&mut *self.lock(), Watched::Exited);
        drop(seen);
        if let Watched::Abandoned(mut group) = before {
            // A status that nobody asks for any more.
            let _ = group.inner().wait();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Watched> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PortableChild {
    /// Returns the process id, which is that of its group too.
    pub(crate) fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().cast_unsigned()
    }

    /// Looks whether it has exited, without reaping it.
    ///
    /// # Errors
    /// ECHILD where its status is lost.
    pub(crate) fn has_exited(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        Ok(waitid(WaitId::Pid(self.pid), options)?.is_some())
    }

    /// Signals everything that has stayed in its group.
    pub(crate) fn signal_group(&self, signal: Signal) -> io::Result<()> {
        let Some(group) = &self.group else {
            return Ok(());
        };
        let signal = command_group::Signal::try_from(signal.number()).map_err(io::Error::from)?;
        group.signal(signal)
    }

    /// Reaps it, at once since its exit was seen.
    ///
    /// # Errors
    /// ECHILD where its status is lost.
    pub(crate) fn reap(mut self) -> io::Result<Ended> {
        let mut group = self.group.take().expect("taken here and in drop alone");
        let status = group.inner().wait()?;
        Ok(Ended {
            status,
            cpu: None,
            peak_memory_bytes: None,
            has_ended_others: false,
        })
    }
}

impl AsFd for PortableChild {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.exit.as_fd()
    }
}

impl Drop for PortableChild {
    fn drop(&mut self) {
        let Some(mut group) = self.group.take() else {
            return;
        };
        if self.has_exited().is_err() {
            // The number may be somebody else's.
            return;
        }
        // A group that is gone or refuses the signal is as far as this backend reaches.
        let _ = group.kill();
        if matches!(group.inner().wait_timeout(DROP_PATIENCE), Ok(None)) {
            let mut watched = self.watch.lock();
            match *watched {
                Watched::Running => *watched = Watched::Abandoned(group),
                // It has exited since, so this does not wait.
                _ => drop(group.inner().wait()),
            }
        }
    }
}

#[cfg(test)]
mod tests;
