//! Where the parts of a store lie below the root of a workspace.

use std::io;

use super::disk::{Disk, ancestors_of, parent_of};

/// The store.
pub const STORE: &str = ".lonis/session";

/// Segments.
pub const OBJECTS: &str = ".lonis/session/objects";

/// Objects and segments that were found damaged.
pub const QUARANTINE: &str = ".lonis/session/quarantine";

/// Bytes on their way into the live tree.
pub const TEMPORARY: &str = ".lonis/session/tmp";

/// Journals of unfinished applies.
pub const JOURNALS: &str = ".lonis/session/journal";

/// Files that others saved in the middle of an apply.
pub const KEPT: &str = ".lonis/session/kept";

/// Sessions.
pub const TRANSACTIONS: &str = ".lonis/session/transactions";

/// Trees that were written out once, for runs to lay their changes over.
pub const BASES: &str = ".lonis/session/base";

/// What is known about live files.
pub const STAT_CACHE: &str = ".lonis/session/stat-cache";

/// The version of the store's layout.
pub const VERSION: &str = ".lonis/session/VERSION";

/// Keeps the store out of every commit.
const IGNORE: &str = ".lonis/.gitignore";

/// The longest name of a version that is read.
const MAX_VERSION_BYTES: u64 = 64;

/// The one version there is.
const CURRENT: &[u8] = b"1\n";

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// It was written in another layout (`session/state-invalid`).
    #[error("`{VERSION}` names the layout `{found}`, and `1` is the one that is known")]
    Version {
        /// What it names.
        found: String,
    },
    /// It cannot be made or read (`session/store-write`).
    #[error("`{path}` cannot be made or read")]
    Io {
        /// The file or directory, from the root of the workspace.
        path: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// The directory of one session.
pub fn transaction(session: &str) -> String {
    format!("{TRANSACTIONS}/{session}")
}

/// Makes a directory below the root with those above it; their names are durable afterwards.
///
/// # Errors
/// What the system says.
pub fn make_directories(disk: &dyn Disk, path: &str) -> io::Result<()> {
    for directory in ancestors_of(path).chain([path]) {
        if disk.look(directory)?.is_some() {
            continue;
        }
        match disk.create_dir(directory) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => disk.sync(parent_of(directory))?,
        }
    }
    Ok(())
}

/// Writes a file so that it is there whole or not at all, and durable: a temporary name, the bytes, their sync, the rename,
/// the sync of the directory.
///
/// # Errors
/// What the system says; the temporary file is removed then, if that still works.
pub fn replace_file(disk: &dyn Disk, path: &str, bytes: &[u8]) -> io::Result<()> {
    let temporary = create_temporary(disk, path, bytes)?;
    let renamed = disk
        .sync(&temporary)
        .and_then(|()| disk.rename(&temporary, path));
    if let Err(error) = renamed {
        // What is left behind is only a temporary name, and the error that matters is the first one.
        let _ = disk.remove_file(&temporary);
        return Err(error);
    }
    disk.sync(parent_of(path))
}

fn create_temporary(disk: &dyn Disk, path: &str, bytes: &[u8]) -> io::Result<String> {
    let mut number = 0_u64;
    loop {
        let temporary = format!("{path}.{number}.tmp");
        match disk.create_file(&temporary, bytes, 0o644) {
            Ok(()) => return Ok(temporary),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => {
                // As above.
                let _ = disk.remove_file(&temporary);
                return Err(error);
            }
        }
    }
}

/// Makes the store where there is none, and checks the version of one that is there.
///
/// # Errors
/// A store of another version, and what the system says.
pub fn prepare(disk: &dyn Disk) -> Result<(), LayoutError> {
    let failed = |path: &'static str| {
        move |source| LayoutError::Io {
            path: path.to_owned(),
            source,
        }
    };
    if check_version(disk)? {
        return Ok(());
    }
    for directory in [OBJECTS, TEMPORARY, JOURNALS, TRANSACTIONS] {
        make_directories(disk, directory).map_err(failed(directory))?;
    }
    if disk.look(IGNORE).map_err(failed(IGNORE))?.is_none() {
        replace_file(disk, IGNORE, b"*\n").map_err(failed(IGNORE))?;
    }
    // Last, so that a store with a version is whole.
    replace_file(disk, VERSION, CURRENT).map_err(failed(VERSION))
}

/// Whether there is a store, and that its version is known.
///
/// # Errors
/// A store of another version, and what the system says.
pub fn check_version(disk: &dyn Disk) -> Result<bool, LayoutError> {
    match disk.read(VERSION, MAX_VERSION_BYTES) {
        Ok(bytes) if bytes == CURRENT => Ok(true),
        Ok(bytes) => Err(LayoutError::Version {
            found: String::from_utf8_lossy(&bytes)
                .trim_end()
                .chars()
                .filter(|character| !character.is_control())
                .take(32)
                .collect(),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(LayoutError::Version {
            found: format!("of more than {MAX_VERSION_BYTES} bytes"),
        }),
        Err(source) => Err(LayoutError::Io {
            path: VERSION.to_owned(),
            source,
        }),
    }
}
