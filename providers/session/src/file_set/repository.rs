//! A git repository as far as a file set needs it: its index and its ignore rules. Nothing of it is ever written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::git_config::{GitEnvironment, GitSettings, read_text};
use super::git_index::{self, IndexEntry};
use super::git_listing;
use super::ignores::Ignores;
use crate::beneath::read_any;

/// The longest index that is read; that of a million files is half of it.
const MAX_INDEX_BYTES: u64 = 256 * 1024 * 1024;

/// Where the parts of a repository lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GitDirectory {
    /// What belongs to this worktree alone, such as its index.
    own: PathBuf,
    /// What all worktrees share.
    common: PathBuf,
}

impl GitDirectory {
    /// The repository whose working tree has its top here; a `.git` that is no repository is none.
    pub(super) fn at(directory: &Path) -> Option<Self> {
        let dot = directory.join(".git");
        let own = if fs::metadata(&dot).ok()?.is_dir() {
            dot
        } else {
            directory.join(read_text(&dot)?.strip_prefix("gitdir:")?.trim())
        };
        let common = match read_text(&own.join("commondir")) {
            Some(common) => own.join(common.trim()),
            None => own.clone(),
        };
        let valid = own.join("HEAD").symlink_metadata().is_ok()
            && common.join("objects").is_dir()
            && common.join("refs").is_dir();
        valid.then_some(Self { own, common })
    }

    /// The repository that a directory lies in, and the top of its working tree.
    pub(super) fn above(directory: &Path) -> Option<(Self, PathBuf)> {
        directory
            .ancestors()
            .find_map(|top| Some((Self::at(top)?, top.to_owned())))
    }
}

/// What a walk knows of the repository it is in; without one, only the user's ignore rules.
#[derive(Debug, Default)]
pub(super) struct Repository {
    pub(super) index: Vec<IndexEntry>,
    pub(super) ignores: Ignores,
    /// Whether the file system has an executable bit.
    pub(super) file_mode: bool,
}

impl Repository {
    /// Reads index and rules; the index only where it is asked for.
    ///
    /// # Errors
    /// Why the index cannot be read.
    pub(super) fn read(
        environment: &GitEnvironment,
        directory: Option<&GitDirectory>,
        with_index: bool,
    ) -> Result<Self, String> {
        let common = directory.map(|directory| directory.common.as_path());
        let settings = GitSettings::read(environment, common);
        let own_rules = common.and_then(|common| read_text(&common.join("info/exclude")));
        let user_rules = settings.excludes_file.as_deref().and_then(read_text);
        let texts: Vec<String> = own_rules.into_iter().chain(user_rules).collect();
        let index = match directory {
            Some(directory) if with_index => {
                read_index(environment, &directory.own, settings.hash_bytes)?
            }
            _ => Vec::new(),
        };
        Ok(Self {
            index,
            ignores: Ignores::new(&texts, settings.ignore_case),
            file_mode: settings.file_mode,
        })
    }
}

fn read_index(
    environment: &GitEnvironment,
    own: &Path,
    hash_bytes: usize,
) -> Result<Vec<IndexEntry>, String> {
    let path = own.join("index");
    let bytes = match read_any(&path, MAX_INDEX_BYTES) {
        Ok(bytes) => bytes,
        // A repository without an index tracks nothing.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            return Err(format!(
                "the index has more than {MAX_INDEX_BYTES} bytes, the most that are read"
            ));
        }
        Err(error) => {
            // To open a pipe would be to wait for whoever writes to it, also for git.
            let is_file = fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
            return Err(if is_file {
                error.to_string()
            } else {
                "the index is not a regular file".to_owned()
            });
        }
    };
    git_index::parse(&bytes, hash_bytes).or_else(|error| {
        let listed = git_listing::entries(environment, own);
        listed.map_err(|reason| format!("{error}; {reason}"))
    })
}
