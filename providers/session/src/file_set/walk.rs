//! The walk itself: directory by directory, each opened from the root, its names beside the part of the index that lies in it.
//! A large tree is walked by several threads.

mod crew;
mod directory;

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::io::Errno;

use super::git_index::{IndexEntry, IndexKind};
use super::ignores::Ignores;
use super::repository::{GitDirectory, Repository};
use super::{
    Boundary, Excluded, FileSet, FileSetError, FileSetRules, GitEnvironment, Member, Reason, Source,
};
use crate::beneath;
use crate::path::WorkspacePath;

/// How many directories an error about a bound names.
const LARGEST: usize = 10;

/// The longest `.gitignore` that is read.
const MAX_IGNORE_BYTES: u64 = 4 * 1024 * 1024;

/// A directory that is still to be looked at.
#[derive(Debug)]
struct Directory {
    /// Path from the top of the outermost repository, with a slash at the end unless it is empty.
    path: String,
    repository: Arc<Repository>,
    /// Bytes of `path` up to the top of the repository, its slash included.
    top: usize,
    /// The part of the index that lies here.
    tracked: Range<usize>,
    ignores: Ignores,
    /// Whether untracked files count, too: not below an ignored directory.
    others: bool,
    /// The commit, where the outer index records a submodule here.
    submodule: Option<String>,
}

/// What holds for all of a walk.
struct Ground<'a> {
    root: BorrowedFd<'a>,
    root_path: PathBuf,
    device: u64,
    /// Bytes of the path from the top of the outermost repository to the root, its slash included.
    prefix: usize,
    rules: &'a FileSetRules,
    environment: &'a GitEnvironment,
    /// What all threads have found so far.
    files: AtomicU64,
    bytes: AtomicU64,
}

/// One directory of a walk, and what was found directly in it.
struct Walk<'a> {
    ground: &'a Ground<'a>,
    set: FileSet,
    /// The directories in it that are to be looked at, each with the number of members that come before it.
    below: Vec<(usize, Directory)>,
}

pub(super) fn walk(
    root: BorrowedFd<'_>,
    path: &Path,
    rules: &FileSetRules,
    environment: &GitEnvironment,
) -> Result<FileSet, FileSetError> {
    let stat = beneath::stat_open(root).map_err(|errno| read_error("", errno.into()))?;
    let root_path = path.canonicalize().map_err(|error| read_error("", error))?;
    let first = first_directory(&root_path, rules, environment)?;
    let ground = Ground {
        root,
        root_path,
        device: stat.device,
        prefix: first.path.len(),
        rules,
        environment,
        files: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
    };
    let (mut set, failure) = crew::all(&ground, first);
    if let Some(failure) = failure {
        return Err(with_largest(failure, &set.members));
    }
    set.excluded.sort_unstable();
    set.boundaries.sort_unstable();
    Ok(set)
}

/// What the index of the root's own repository knows and the working tree leaves out on purpose, ascending.
///
/// # Errors
/// [`FileSetError::Index`].
pub(super) fn sparse(
    path: &Path,
    rules: &FileSetRules,
    environment: &GitEnvironment,
) -> Result<Vec<String>, FileSetError> {
    let root_path = path.canonicalize().map_err(|error| read_error("", error))?;
    let first = first_directory(&root_path, rules, environment)?;
    let entries = first.repository.index[first.tracked.clone()].iter();
    let left_out = entries
        .filter(|entry| entry.skip_worktree || entry.kind == IndexKind::SparseDirectory)
        .map(|entry| {
            let path = crate::path::escaped(&entry.path);
            path[first.path.len()..].trim_end_matches('/').to_owned()
        });
    Ok(left_out.collect())
}

/// The root as the first directory, with the rules of the directories above it in its repository.
fn first_directory(
    root_path: &Path,
    rules: &FileSetRules,
    environment: &GitEnvironment,
) -> Result<Directory, FileSetError> {
    let found = GitDirectory::above(root_path);
    if found.is_none() && rules.source == Source::Git {
        return Err(index_error("", "there is no repository".to_owned()));
    }
    let with_index = rules.source != Source::Walk;
    let directory = found.as_ref().map(|(directory, _)| directory);
    let repository = Repository::read(environment, directory, with_index)
        .map_err(|reason| index_error("", reason))?;
    let mut ignores = repository.ignores.clone();
    let mut path = String::new();
    let mut others = true;
    if let Some((_, top)) = &found {
        let below = root_path.strip_prefix(top).unwrap_or(Path::new(""));
        let mut above = top.clone();
        for component in below.components() {
            let name = component.as_os_str().to_str().ok_or_else(|| {
                index_error(
                    "",
                    "the way from the top of the repository is not UTF-8".to_owned(),
                )
            })?;
            ignores = with_rules_of(&ignores, &above, path.len());
            path.push_str(name);
            others = others && !ignores.ignore(&path, 0, true);
            path.push('/');
            above.push(name);
        }
    }
    Ok(Directory {
        tracked: range_below(&repository.index, 0..repository.index.len(), &path),
        path,
        repository: Arc::new(repository),
        top: 0,
        ignores,
        others,
        submodule: None,
    })
}

/// Adds the `.gitignore` of a directory above the root.
fn with_rules_of(ignores: &Ignores, directory: &Path, skip: usize) -> Ignores {
    let file = directory.join(".gitignore");
    let is_file = file
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_file());
    match super::git_config::read_text(&file) {
        Some(text) if is_file => ignores.with(&text, skip),
        _ => ignores.clone(),
    }
}

/// The entries below a directory, whose path ends in a slash or is empty.
fn range_below(index: &[IndexEntry], within: Range<usize>, directory: &str) -> Range<usize> {
    if directory.is_empty() {
        return within;
    }
    let entries = &index[within.clone()];
    let prefix = directory.as_bytes();
    let start = entries.partition_point(|entry| *entry.path < *prefix);
    let length = entries[start..].partition_point(|entry| entry.path.starts_with(prefix));
    let start = within.start + start;
    start..start + length
}

impl Walk<'_> {
    /// A path from the top as one from the root.
    fn below_root<'p>(&self, path: &'p str) -> &'p str {
        &path[self.ground.prefix..]
    }

    fn exclude(&mut self, path: &str, reason: Reason) {
        let path = self.below_root(path).to_owned();
        self.set.excluded.push(Excluded {
            path,
            reason,
            id: None,
        });
    }

    /// Notes an entry of the index that the working tree does not have.
    fn absent(&mut self, directory: &Directory, entry: &IndexEntry) {
        if entry.skip_worktree || entry.kind == IndexKind::SparseDirectory {
            let top = &directory.path[..directory.top];
            let path = crate::path::escaped(&entry.path);
            let path = format!("{top}{}", path.trim_end_matches('/'));
            self.exclude(&path, Reason::Sparse);
        }
    }

    fn member(&mut self, member: Member) -> Result<(), FileSetError> {
        let Ground {
            rules,
            files,
            bytes,
            ..
        } = self.ground;
        let own = member.stat.bytes;
        self.set.members.push(member);
        let count = |counted: &AtomicU64, more: u64| {
            counted
                .fetch_add(more, Ordering::Relaxed)
                .saturating_add(more)
        };
        let (files, bytes) = (count(files, 1), count(bytes, own));
        if files > rules.max_files {
            return Err(limit("files.max_files", rules.max_files, files));
        }
        if bytes > rules.max_bytes {
            return Err(limit("files.max_bytes", rules.max_bytes, bytes));
        }
        Ok(())
    }

    fn boundary(
        &mut self,
        directory: &Directory,
        kind: super::BoundaryKind,
    ) -> Result<(), FileSetError> {
        let path = self.below_root(&directory.path).trim_end_matches('/');
        self.set.boundaries.push(Boundary {
            path: WorkspacePath::new(path)?,
            kind,
            commit: directory.submodule.clone(),
        });
        Ok(())
    }

    /// What an error at a directory that was seen as one means; `None` where it is simply gone.
    fn failure(&self, path: &str, errno: Errno) -> Option<FileSetError> {
        let path = self.below_root(path).trim_end_matches('/').to_owned();
        match errno {
            Errno::NOENT => None,
            Errno::LOOP | Errno::NOTDIR => Some(FileSetError::Unstable { path }),
            Errno::XDEV => Some(mount(&path)),
            errno => Some(read_error(&path, errno.into())),
        }
    }
}

/// A bound that was passed; [`with_largest`] adds where.
const fn limit(key: &'static str, limit: u64, observed_at_least: u64) -> FileSetError {
    FileSetError::Limit {
        key,
        limit,
        observed_at_least,
        largest: Vec::new(),
    }
}

/// Adds to a bound that was passed the directories that hold most of what it counts.
fn with_largest(mut failure: FileSetError, members: &[Member]) -> FileSetError {
    if let FileSetError::Limit { key, largest, .. } = &mut failure {
        let counts_bytes = *key == "files.max_bytes";
        let mut sums: HashMap<&str, u64> = HashMap::new();
        for member in members {
            let path = member.path.as_str();
            let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
            let weight = if counts_bytes { member.stat.bytes } else { 1 };
            *sums.entry(parent).or_default() += weight;
        }
        let sums = sums.into_iter();
        largest.extend(sums.map(|(path, sum)| (path.to_owned(), sum)));
        largest.sort_unstable_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(&right.0)));
        largest.truncate(LARGEST);
    }
    failure
}

fn read_error(path: &str, source: io::Error) -> FileSetError {
    FileSetError::Read {
        path: path.to_owned(),
        source,
    }
}

fn index_error(path: &str, reason: String) -> FileSetError {
    FileSetError::Index {
        path: path.to_owned(),
        reason,
    }
}

fn mount(path: &str) -> FileSetError {
    FileSetError::Root {
        reason: format!("`{path}` is a mount below it, and `files.exclude` does not cover it"),
    }
}
