//! Which project files may start programs: a record of path and SHA-256, kept by the user.
//!
//! Trust covers a file's text, byte for byte. The store is read whole and written to a new file under a lock, then
//! renamed, so that a reader never sees half of it. A store that cannot be read trusts nothing and says so.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use lonis_schema::{ContentHash, Timestamp};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::{RegularFileError, read_regular_file};

const STORE: &str = "trust.json";
const LOCK: &str = "trust.lock";
const VERSION: u32 = 1;

/// What a store may take: some ten thousand trusted files.
const MAX_STORE_BYTES: u64 = 4 << 20;

/// One trusted file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TrustedFile {
    /// The file's path, links resolved.
    pub path: PathBuf,
    /// SHA-256 of its bytes, 64 lowercase hex digits.
    pub sha256: String,
    /// When it was trusted, RFC 3339 in UTC.
    pub trusted_at: String,
}

impl TrustedFile {
    /// Describes a file for the store; nothing is recorded yet.
    ///
    /// # Errors
    /// When the path cannot be resolved.
    pub fn of(path: &Path, content: &[u8], now: &Timestamp) -> Result<Self, TrustError> {
        Ok(Self {
            path: resolve(path)?,
            sha256: sha256_hex(content),
            trusted_at: now.to_string(),
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    files: Vec<TrustedFile>,
}

/// Why the store could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// Neither `XDG_STATE_HOME` nor `HOME` says where the store stands.
    #[error("there is no place for the trust store: neither `XDG_STATE_HOME` nor `HOME` is set")]
    NoPlace,
    /// The system refused.
    #[error("the trust store `{}` cannot be used: {source}", path.display())]
    Io {
        /// The store or the file to be trusted.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The store is not what was written here.
    #[error("the trust store `{}` is damaged, so nothing is trusted: {reason}", path.display())]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The path is not text, which the store's format cannot hold.
    #[error("`{}` cannot be trusted: its path is not UTF-8", path.display())]
    NotText {
        /// The path, lossily shown.
        path: PathBuf,
    },
}

/// The trust store of one user.
#[derive(Debug, Clone)]
pub struct TrustStore {
    folder: PathBuf,
}

impl TrustStore {
    /// Takes the store in a state folder; nothing is read or made yet.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Returns whether these bytes of this file are trusted.
    ///
    /// # Errors
    /// When the store is there but cannot be read; the file is then not trusted.
    pub fn trusts(&self, path: &Path, content: &[u8]) -> Result<bool, TrustError> {
        let files = self.files()?;
        if files.is_empty() {
            return Ok(false);
        }
        let (resolved, sha256) = (resolve(path)?, sha256_hex(content));
        Ok(files
            .iter()
            .any(|file| file.path == resolved && file.sha256 == sha256))
    }

    /// Returns the trusted files, in the order of their paths.
    ///
    /// # Errors
    /// When the store is there but cannot be read.
    pub fn files(&self) -> Result<Vec<TrustedFile>, TrustError> {
        let path = self.folder.join(STORE);
        let text = match read_regular_file(&path, MAX_STORE_BYTES) {
            Ok(text) => text,
            Err(RegularFileError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Vec::new());
            }
            Err(RegularFileError::Io(source)) => return Err(TrustError::Io { path, source }),
            Err(other) => {
                let reason = format!("it {other}");
                return Err(TrustError::Damaged { path, reason });
            }
        };
        let document: Document =
            serde_json::from_slice(&text).map_err(|error| TrustError::Damaged {
                path: path.clone(),
                reason: error.to_string(),
            })?;
        if document.version != VERSION {
            let reason = format!(
                "its version is {}, and {VERSION} is known here",
                document.version
            );
            return Err(TrustError::Damaged { path, reason });
        }
        Ok(document.files)
    }

    /// Records that these bytes of this file are trusted, in place of earlier ones.
    ///
    /// # Errors
    /// When the file's path cannot be resolved or the store cannot be written.
    pub fn add(
        &self,
        path: &Path,
        content: &[u8],
        now: &Timestamp,
    ) -> Result<TrustedFile, TrustError> {
        let entry = TrustedFile::of(path, content, now)?;
        self.record(entry.clone())?;
        Ok(entry)
    }

    /// Records a file as it was described, in place of what was known of its path.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn record(&self, entry: TrustedFile) -> Result<(), TrustError> {
        self.change(move |files| {
            files.retain(|file| file.path != entry.path);
            files.push(entry);
            files.sort_by(|left, right| left.path.cmp(&right.path));
        })
    }

    /// Forgets a file; `false` when it was not trusted.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn remove(&self, path: &Path) -> Result<bool, TrustError> {
        // The file itself may be gone already: then its path as given is what was resolved once.
        let resolved = resolve(path).unwrap_or_else(|_| path.to_path_buf());
        let mut removed = false;
        self.change(|files| {
            let before = files.len();
            files.retain(|file| file.path != resolved);
            removed = files.len() != before;
        })?;
        Ok(removed)
    }

    /// Makes sure that a file can be recorded: that the store can be read, and its folder written to.
    ///
    /// # Errors
    /// What recording it would fail with.
    pub fn prepare(&self) -> Result<(), TrustError> {
        self.locked().map(drop)
    }

    /// Reads the store under its lock, which is held until the file is dropped.
    fn locked(&self) -> Result<(File, Vec<TrustedFile>), TrustError> {
        let io = |source| TrustError::Io {
            path: self.folder.clone(),
            source,
        };
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)
            .map_err(io)?;
        let lock = private(
            OpenOptions::new().create(true).truncate(false),
            &self.folder.join(LOCK),
        )
        .map_err(io)?;
        // Held until the new store stands; another writer waits, a reader never does.
        lock.lock().map_err(io)?;
        Ok((lock, self.files()?))
    }

    fn change(&self, edit: impl FnOnce(&mut Vec<TrustedFile>)) -> Result<(), TrustError> {
        let io = |source| TrustError::Io {
            path: self.folder.clone(),
            source,
        };
        let (_lock, mut files) = self.locked()?;
        edit(&mut files);
        let document = Document {
            version: VERSION,
            files,
        };
        let mut text =
            serde_json::to_vec_pretty(&document).map_err(|error| TrustError::Damaged {
                path: self.folder.join(STORE),
                reason: error.to_string(),
            })?;
        text.push(b'\n');
        replace(&self.folder, &text).map_err(io)
    }
}

/// The SHA-256 of some bytes, as 64 lowercase hex digits.
pub(super) fn sha256_hex(content: &[u8]) -> String {
    ContentHash::of_bytes(content).to_string()
}

fn resolve(path: &Path) -> Result<PathBuf, TrustError> {
    let resolved = fs::canonicalize(path).map_err(|source| TrustError::Io {
        path: path.to_path_buf(),
        source,
    })?;
    if resolved.to_str().is_none() {
        return Err(TrustError::NotText { path: resolved });
    }
    Ok(resolved)
}

fn private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // Without waiting for the reader of a pipe that somebody has put there.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    options
        .write(true)
        .mode(0o600)
        .custom_flags(flags)
        .open(path)
}

fn replace(folder: &Path, text: &[u8]) -> io::Result<()> {
    let fresh = folder.join(format!("{STORE}.{}", std::process::id()));
    let mut file = private(OpenOptions::new().create(true).truncate(true), &fresh)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(&fresh, folder.join(STORE))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn now() -> Timestamp {
        "2026-08-10T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn trust_is_of_the_bytes_and_ends_with_any_change() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lonis.toml");
        fs::write(&file, "a").unwrap();
        let store = TrustStore::in_folder(folder.path().join("state"));
        assert!(!store.trusts(&file, b"a").unwrap());
        store.add(&file, b"a", &now()).unwrap();
        assert!(store.trusts(&file, b"a").unwrap());
        assert!(!store.trusts(&file, b"b").unwrap());
        store.add(&file, b"b", &now()).unwrap();
        assert!(!store.trusts(&file, b"a").unwrap());
        assert_eq!(store.files().unwrap().len(), 1);
        assert!(store.remove(&file).unwrap());
        assert!(!store.remove(&file).unwrap());
        assert!(!store.trusts(&file, b"b").unwrap());
    }

    #[test]
    fn the_store_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lonis.toml");
        fs::write(&file, "a").unwrap();
        let state = folder.path().join("state/lonis");
        TrustStore::in_folder(&state)
            .add(&file, b"a", &now())
            .unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&state), 0o700);
        assert_eq!(mode(&state.join(STORE)), 0o600);
    }

    #[test]
    fn a_damaged_store_trusts_nothing_and_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lonis.toml");
        fs::write(&file, "a").unwrap();
        for damaged in ["", "{", r#"{"version":2,"files":[]}"#, r#"{"version":1}"#] {
            fs::write(folder.path().join(STORE), damaged).unwrap();
            let store = TrustStore::in_folder(folder.path());
            assert!(store.trusts(&file, b"a").is_err(), "{damaged}");
            assert!(store.add(&file, b"a", &now()).is_err(), "{damaged}");
            assert_eq!(
                fs::read_to_string(folder.path().join(STORE)).unwrap(),
                damaged
            );
        }
    }

    #[test]
    fn writers_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = TrustStore::in_folder(folder.path().join("state"));
        std::thread::scope(|scope| {
            for at in 0..8 {
                let (store, file) = (&store, folder.path().join(format!("{at}.toml")));
                scope.spawn(move || {
                    fs::write(&file, "x").unwrap();
                    store.add(&file, b"x", &now()).unwrap();
                });
            }
        });
        assert_eq!(store.files().unwrap().len(), 8);
    }
}
