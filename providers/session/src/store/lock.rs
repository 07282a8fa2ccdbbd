//! Locks of the operating system, which end with their holder.
//!
//! Owns the two lock files, the bounded wait, and the note about the owner, which tells people and decides nothing.

use std::fs::File;
use std::io;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::disk::Disk;
use super::layout::{STORE, transaction};
use crate::session_id::SessionId;

/// How often a lock that is held is tried again.
const RETRY: Duration = Duration::from_millis(5);

/// What a lock is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The whole store.
    Store,
    /// One session.
    Session(SessionId),
}

/// How a lock is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Beside others that share it.
    Shared,
    /// Alone.
    Exclusive,
}

/// Who says to hold a lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The process.
    pub pid: u32,
    /// The boot of the machine in which that number means it, where the system names it.
    pub boot: Option<String>,
    /// The command.
    pub command: String,
    /// The session.
    pub session: Option<String>,
    /// Since when.
    pub since: String,
}

/// Why a lock was not had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Somebody else holds it (`session/lock-busy`, of the store `session/apply-busy`).
    #[error("the lock of {} is held{}, waited {waited_millis} ms", of(subject), by(owner.as_deref()))]
    Busy {
        /// What it is about.
        subject: Subject,
        /// Who says to hold it.
        owner: Option<Box<Owner>>,
        /// How long was waited, at least.
        waited_millis: u64,
    },
    /// There are no locks here (`session/lock-failed`).
    #[error("a lock cannot be taken")]
    Failed {
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

fn of(subject: &Subject) -> String {
    match subject {
        Subject::Store => "the store".to_owned(),
        Subject::Session(session) => format!("session `{session}`"),
    }
}

/// Who took a lock last, where its number means a process of this boot.
fn by(owner: Option<&Owner>) -> String {
    match owner.filter(|owner| owner.boot == boot()) {
        Some(owner) => format!(", last taken by `{}`", owner.command),
        None => String::new(),
    }
}

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Takes a lock, waiting at most as long as asked.
///
/// # Errors
/// A lock that is still held then, and a file system without locks.
pub fn acquire(
    disk: &dyn Disk,
    subject: &Subject,
    hold: Hold,
    wait: Duration,
) -> Result<Lock, LockError> {
    let directory = match subject {
        Subject::Store => STORE.to_owned(),
        Subject::Session(session) => transaction(session.as_str()),
    };
    let failed = |source: io::Error| LockError::Failed { source };
    let file = disk
        .open_lock(&format!("{directory}/lock"))
        .map_err(failed)?;
    let operation = match hold {
        Hold::Shared => FlockOperation::NonBlockingLockShared,
        Hold::Exclusive => FlockOperation::NonBlockingLockExclusive,
    };
    let started = Instant::now();
    loop {
        match flock(&file, operation) {
            Ok(()) => return Ok(Lock { _file: file }),
            Err(Errno::WOULDBLOCK) if started.elapsed() >= wait => {
                return Err(LockError::Busy {
                    subject: subject.clone(),
                    owner: owner(disk).map(Box::new),
                    waited_millis: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                });
            }
            Err(Errno::WOULDBLOCK) => std::thread::sleep(RETRY.min(wait)),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(failed(errno.into())),
        }
    }
}

/// The name of this boot of the machine.
pub fn boot() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(name.trim().to_owned())
}

/// The longest note that is read.
const MAX_OWNER_BYTES: u64 = 64 * 1024;

/// The note about who holds a lock, for people.
fn owner_path() -> String {
    format!("{STORE}/lock.owner")
}

/// Notes who holds a lock, for those who wait.
pub fn note_owner(disk: &dyn Disk, owner: &Owner) {
    let Ok(bytes) = serde_json::to_vec(owner) else {
        return;
    };
    let path = owner_path();
    let temporary = format!("{path}.{}", owner.pid);
    // It tells people and decides nothing, so that nothing fails where it cannot be written.
    let _ = disk.create_file(&temporary, &bytes, 0o644);
    let _ = disk.rename(&temporary, &path);
}

fn owner(disk: &dyn Disk) -> Option<Owner> {
    serde_json::from_slice(&disk.read(&owner_path(), MAX_OWNER_BYTES).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::disk::RootDisk;
    use crate::store::layout;

    #[test]
    fn a_lock_is_had_once_and_ends_with_its_holder() {
        let folder = tempfile::tempdir().unwrap();
        let disk = RootDisk::open(folder.path()).unwrap();
        layout::prepare(&disk).unwrap();
        let take = |hold| acquire(&disk, &Subject::Store, hold, Duration::ZERO);
        let shared = (take(Hold::Shared).unwrap(), take(Hold::Shared).unwrap());
        let owner = Owner {
            pid: 7,
            boot: boot(),
            command: "apply".to_owned(),
            session: None,
            since: String::new(),
        };
        note_owner(&disk, &owner);
        match take(Hold::Exclusive) {
            Err(LockError::Busy { owner: seen, .. }) => assert_eq!(seen, Some(Box::new(owner))),
            other => panic!("{other:?}"),
        }
        // Whatever it says, it decides nothing: not a number that is another process by now, and no garbage.
        let file = folder.path().join(owner_path());
        for note in [
            &b"\xff{"[..],
            b"",
            br#"{"pid":1,"boot":"another","command":"","session":null,"since":""}"#,
        ] {
            std::fs::write(&file, note).unwrap();
            assert!(matches!(take(Hold::Exclusive), Err(LockError::Busy { .. })));
            assert!(take(Hold::Shared).is_ok());
        }
        drop(shared);
        let alone = take(Hold::Exclusive).unwrap();
        assert!(matches!(take(Hold::Shared), Err(LockError::Busy { .. })));
        drop(alone);
        assert!(take(Hold::Shared).is_ok());
    }
}
