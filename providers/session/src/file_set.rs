//! File sets: which paths of a live tree belong to a workspace.
//!
//! In a git repository that is exactly what `git ls-files --cached --others --exclude-standard` prints and what exists, joined
//! with the same of each repository inside, narrowed by the globs of the policy. git itself is not needed. Nothing is written,
//! no link followed, no mount entered, no ignored directory walked.

mod git_config;
mod git_index;
mod git_listing;
mod globs;
mod ignores;
mod repository;
mod walk;

use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

use serde::Serialize;

use crate::beneath::Stat;
use crate::identity::Identity;
use crate::path::{PathError, WorkspacePath};

pub use git_config::GitEnvironment;
pub use globs::{GlobError, Globs};

/// The policy file, which belongs to every set whatever the globs say.
pub const POLICY_FILE: &str = "lonis-session.toml";

/// Where the set comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Source {
    /// The index and the ignore rules where there is a repository, else the ignore rules alone.
    #[default]
    Auto,
    /// A repository has to be there.
    Git,
    /// The ignore rules alone.
    Walk,
}

/// What becomes of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinkRule {
    /// They belong to the set, as their text.
    #[default]
    Record,
    /// Any link is an error.
    Refuse,
    /// They are left out.
    Skip,
}

/// What becomes of names that no workspace path can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OddNameRule {
    /// They are left out.
    #[default]
    Skip,
    /// Any is an error.
    Refuse,
}

/// What becomes of repositories inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NestedRule {
    /// Their working files belong to the set.
    #[default]
    Files,
    /// They are left out.
    Skip,
}

/// The part of a policy that decides on the file set.
///
/// # Units and bounds
/// `max_files` paths, 100,000 by default; `max_bytes` of all content, 2 GiB by default; a file above `max_file_bytes`, 64 MiB by
/// default, is left out.
#[derive(Debug, Clone)]
pub struct FileSetRules {
    /// Where the set comes from.
    pub source: Source,
    /// Only what matches belongs to the set.
    pub include: Globs,
    /// What matches does not; it wins.
    pub exclude: Globs,
    /// Ignored files that belong to the set all the same.
    pub add: Globs,
    /// What becomes of links.
    pub links: LinkRule,
    /// What becomes of names that no path can hold.
    pub odd_names: OddNameRule,
    /// What becomes of repositories inside.
    pub nested: NestedRule,
    /// The most paths.
    pub max_files: u64,
    /// The most bytes of content.
    pub max_bytes: u64,
    /// The longest file.
    pub max_file_bytes: u64,
}

impl Default for FileSetRules {
    fn default() -> Self {
        Self {
            source: Source::default(),
            include: Globs::everything(),
            exclude: Globs::default(),
            add: Globs::default(),
            links: LinkRule::default(),
            odd_names: OddNameRule::default(),
            nested: NestedRule::default(),
            max_files: 100_000,
            max_bytes: 2 * 1024 * 1024 * 1024,
            max_file_bytes: 64 * 1024 * 1024,
        }
    }
}

/// Why a path is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A submodule that is not initialised, or that the policy skips.
    Submodule,
    /// A repository inside that the policy skips.
    NestedRepository,
    /// A pipe, a socket or a device.
    Special,
    /// A path that the index knows and the working tree leaves out on purpose.
    Sparse,
    /// A path that the globs of the policy leave out.
    Excluded,
    /// A link that the policy skips.
    LinkSkipped,
    /// A name that no path can hold.
    Unrepresentable,
    /// A file that is too long.
    TooLarge,
    /// A directory in which nothing stands.
    EmptyDirectory,
}

/// A path that is left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Excluded {
    /// The path, odd bytes escaped.
    pub path: String,
    /// Why.
    pub reason: Reason,
    /// Of a name that no path can hold: the hash of its raw bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Identity>,
}

/// A repository inside, whose own files are never read into the set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Boundary {
    /// The directory.
    pub path: WorkspacePath,
    /// How the outer repository sees it.
    pub kind: BoundaryKind,
    /// Of a submodule: the recorded commit.
    pub commit: Option<String>,
}

/// How an outer repository sees one inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundaryKind {
    /// It is recorded in the index.
    Submodule,
    /// It is not.
    NestedRepository,
}

/// A file or link of the set, as it was when the walk came by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its path.
    pub path: WorkspacePath,
    /// What the file system said.
    pub stat: Stat,
    /// Whether it counts as executable.
    pub executable: bool,
}

/// What belongs to a workspace, and what was left out.
#[derive(Debug, Default)]
pub struct FileSet {
    /// Files and links, ascending by path bytes.
    pub members: Vec<Member>,
    /// What was left out, ascending.
    pub excluded: Vec<Excluded>,
    /// Repositories inside, ascending.
    pub boundaries: Vec<Boundary>,
}

/// Why there is no file set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileSetError {
    /// The root cannot be a workspace (`session/root-unavailable`).
    #[error("the root cannot be a workspace: {reason}")]
    Root {
        /// Why.
        reason: String,
    },
    /// The index cannot be read, or there is none (`session/file-set`).
    #[error("the file set of `{path}` cannot be read: {reason}")]
    Index {
        /// The top of the repository, from the root; empty for the root's own.
        path: String,
        /// Why.
        reason: String,
    },
    /// A name that no path can hold, where the policy refuses it (`session/snapshot-path`).
    #[error(transparent)]
    Path(#[from] PathError),
    /// A link, where the policy refuses it (`session/snapshot-escape`).
    #[error("`{path}` is a link, and the policy refuses links")]
    Link {
        /// The link.
        path: WorkspacePath,
    },
    /// Something cannot be looked at (`session/snapshot-read`).
    #[error("`{path}` cannot be read")]
    Read {
        /// The path, odd bytes escaped.
        path: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A directory became something else meanwhile (`session/snapshot-unstable`).
    #[error("`{path}` kept changing while it was captured")]
    Unstable {
        /// The directory.
        path: String,
    },
    /// More than the policy allows (`session/snapshot-limit`).
    #[error(
        "the workspace has at least {observed_at_least} {}, and `{key}` is {limit}",
        unit(key)
    )]
    Limit {
        /// The key of the policy file.
        key: &'static str,
        /// Its value.
        limit: u64,
        /// What was counted before the walk ended.
        observed_at_least: u64,
        /// The ten directories that hold most of what was counted.
        largest: Vec<(String, u64)>,
    },
}

fn unit(key: &str) -> &'static str {
    if key == "files.max_files" {
        "files"
    } else {
        "bytes"
    }
}

/// Refuses roots that are never meant: a home directory and the root of the file system.
///
/// # Errors
/// [`FileSetError::Root`], also where there is no directory.
pub fn check_root(root: &Path, environment: &GitEnvironment) -> Result<(), FileSetError> {
    let refused = |reason: &str| FileSetError::Root {
        reason: reason.to_owned(),
    };
    let canonical = root
        .canonicalize()
        .map_err(|error| refused(&error.kind().to_string()))?;
    if !canonical.is_dir() {
        return Err(refused("it is not a directory"));
    }
    if canonical.parent().is_none() {
        return Err(refused("it is the root of the file system"));
    }
    let home = environment
        .home
        .as_ref()
        .and_then(|home| home.canonicalize().ok());
    if home.is_some_and(|home| home == canonical) {
        return Err(refused("it is a home directory"));
    }
    Ok(())
}

/// The paths that the index of the root's own repository knows and its working tree leaves out on purpose; directories among
/// them stand for all that is below.
///
/// # Errors
/// [`FileSetError::Index`].
pub fn sparse(
    path: &Path,
    rules: &FileSetRules,
    environment: &GitEnvironment,
) -> Result<Vec<String>, FileSetError> {
    walk::sparse(path, rules, environment)
}

/// Walks a live tree whose root is open, and whose path is given for what git keeps outside of it.
///
/// # Errors
/// Any of [`FileSetError`]; there is no half set.
pub fn read(
    root: BorrowedFd<'_>,
    path: &Path,
    rules: &FileSetRules,
    environment: &GitEnvironment,
) -> Result<FileSet, FileSetError> {
    walk::walk(root, path, rules, environment)
}
