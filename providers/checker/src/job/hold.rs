//! Locks on files: held by one process at a time, and given back by the system however that process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use soil::diagnostic::Code;

use crate::failure::Failure;

/// How long a lock is waited for.
///
/// # Units and bounds
/// 10 s; then `io`.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// How long a waiter sleeps between two looks, since the system offers no wait with an end.
const PAUSE: Duration = Duration::from_millis(5);

/// A lock that is held.
#[derive(Debug)]
pub(crate) struct Hold {
    // Closing the file gives the lock back.
    _file: File,
}

impl Hold {
    /// Takes the lock that a file stands for; the file is made where it is missing.
    ///
    /// # Errors
    /// `io`, when it cannot be opened, is a link, or another process holds it for longer than is waited.
    pub(crate) fn take(path: &Path) -> Result<Self, Failure> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(no_follow())
            .open(path)
            .map_err(|error| Failure::io(path, &error))?;
        match wait_for(&file, MAX_WAIT) {
            Ok(true) => Ok(Self { _file: file }),
            Ok(false) => {
                let message = format!(
                    "`{}` was held by another process for {} s",
                    path.display(),
                    MAX_WAIT.as_secs()
                );
                Err(Failure::new(Code::Io, message))
            }
            Err(error) => Err(Failure::io(path, &error)),
        }
    }
}

/// Waits until the lock of an open file is this process's own, and says whether it became so in time.
///
/// # Errors
/// What the system says.
pub(super) fn wait_for(file: &File, max: Duration) -> io::Result<bool> {
    let end = Instant::now() + max;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Gives the flags by which a link is an error, and a pipe is not waited for.
pub(crate) fn no_follow() -> i32 {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    i32::try_from(flags.bits()).expect("open flags fit the system's own type")
}

/// Says whether an error means that nothing is there.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}
