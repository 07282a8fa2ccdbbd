//! What the files of a project looked like when they were last read, so that a file that was not touched is not read again.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use soil::hash::Digest;

use super::directory::{self, Directory};
use super::record::Hash;
use crate::failure::Failure;
use crate::project::{Named, Project, SpecFile};

const NAME: &str = "files.json";

/// How much older than a look a file has to be to be told from one that was changed right after it.
///
/// # Units and bounds
/// Nanoseconds: 100 ms, more than one tick of any clock that stamps files.
const MIN_AGE_NANOS: u128 = 100_000_000;

/// What was seen of a project's files at one look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Files {
    /// When the look began, in nanoseconds since 1970.
    looked: u128,
    seen: Vec<Seen>,
    /// The digest of the target's body when the job was opened.
    pub(crate) body: Option<Hash>,
    /// The digest of the target's lock when the job was opened.
    pub(crate) lock: Option<Hash>,
}

/// One file, or that there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seen {
    path: String,
    stamp: Option<Stamp>,
}

/// What a change of a file changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stamp {
    size: u64,
    modified: i128,
    changed: i128,
    inode: u64,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let nanos =
            |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        Self {
            size: metadata.size(),
            modified: nanos(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanos(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }

    /// Says whether a change after the look would show.
    fn is_older_than(&self, looked: u128) -> bool {
        let last = self.modified.max(self.changed);
        u128::try_from(last).is_ok_and(|last| last + MIN_AGE_NANOS < looked)
    }
}

impl Files {
    /// Looks at the files that a job of this project is made from; `looked` is a time before they were read.
    ///
    /// # Errors
    /// `io`, when the target's body or lock cannot be read.
    pub(crate) fn of(
        root: &Path,
        project: &Project,
        named: Named<'_>,
        looked: u128,
    ) -> Result<Self, Failure> {
        let mut paths = vec!["soil.toml".to_owned(), "_project.tr".to_owned()];
        for one in &project.modules {
            paths.push(one.path_of("_module.tr"));
            paths.extend(one.private.iter().map(|text| text.path.to_string()));
            paths.extend(one.types.values().map(path_of_spec));
            for function in one.functions.values() {
                paths.extend(function.spec.iter().map(path_of_spec));
                paths.extend(function.body.iter().map(|text| text.path.to_string()));
            }
        }
        let (module, name) = (named.module, named.name);
        let body = module.path_of(&format!("{name}.soil"));
        let lock = module.path_of(&format!("{name}.lock"));
        paths.extend([body.clone(), lock.clone()]);
        paths.sort_unstable();
        paths.dedup();
        let digest = |path: &str| -> Result<Option<Hash>, Failure> {
            let bytes = directory::read(&root.join(path))?;
            Ok(bytes.map(|bytes| Hash(Digest::of([bytes]))))
        };
        Ok(Self {
            looked,
            body: digest(&body)?,
            lock: digest(&lock)?,
            seen: paths
                .into_iter()
                .map(|path| Seen {
                    stamp: stamp(root, &path),
                    path,
                })
                .collect(),
        })
    }

    /// Reads what a job saw; none when it has to look.
    ///
    /// # Errors
    /// `io`, when it cannot be read.
    pub(crate) fn read(directory: &Directory) -> Result<Option<Self>, Failure> {
        let bytes = directory.read(NAME)?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }

    /// Writes what was seen.
    ///
    /// # Errors
    /// `io`, when it cannot be written.
    pub(crate) fn store(&self, directory: &Directory) -> Result<(), Failure> {
        let text = serde_json::to_string(self).expect("paths of a project are UTF-8");
        directory.replace(NAME, text.as_bytes())
    }

    /// Says whether every file is the one that was seen.
    pub(crate) fn are_untouched(&self, root: &Path) -> bool {
        self.seen.iter().all(|seen| {
            let now = stamp(root, &seen.path);
            now == seen.stamp && now.is_none_or(|stamp| stamp.is_older_than(self.looked))
        })
    }
}

fn path_of_spec(spec: &SpecFile) -> String {
    spec.text.path.to_string()
}

fn stamp(root: &Path, path: &str) -> Option<Stamp> {
    let metadata = fs::symlink_metadata(root.join(path)).ok()?;
    Some(Stamp::of(&metadata))
}

/// Gives the nanoseconds since 1970.
pub(crate) fn now_nanos() -> u128 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| since.as_nanos())
}

/// Gives the milliseconds since 1970.
pub(crate) fn now_millis() -> u64 {
    u64::try_from(now_nanos() / 1_000_000).unwrap_or(u64::MAX)
}
