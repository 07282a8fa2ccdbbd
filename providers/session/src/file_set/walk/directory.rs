//! One directory of a walk.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use rustix::io::Errno;

use super::{Directory, MAX_IGNORE_BYTES, Walk, index_error, mount, range_below, read_error};
use crate::beneath::{self, Name, Stat};
use crate::file_set::git_index::{IndexEntry, IndexKind};
use crate::file_set::repository::{GitDirectory, Repository};
use crate::file_set::{
    BoundaryKind, Excluded, FileSetError, LinkRule, Member, NestedRule, OddNameRule, POLICY_FILE,
    Reason, Source,
};
use crate::identity::{Domain, Identity};
use crate::path::{self, PathError, PathRule, WorkspacePath};
use crate::store::disk::Kind;

/// A name of the directory that a path can hold.
struct Child {
    name: String,
    kind: Kind,
    stat: Option<Stat>,
}

impl Walk<'_> {
    pub(super) fn directory(&mut self, mut directory: Directory) -> Result<(), FileSetError> {
        let from_root = self
            .below_root(&directory.path)
            .trim_end_matches('/')
            .to_owned();
        let handle = match beneath::open_directory(self.ground.root, &from_root) {
            Ok(handle) => handle,
            Err(errno) => return self.failure(&directory.path, errno).map_or(Ok(()), Err),
        };
        let handle = handle.as_fd();
        if !directory.others
            && directory.submodule.is_none()
            && !self.ground.rules.add.may_match_below(&from_root)
        {
            return self.tracked_alone(&directory, handle);
        }
        let names = beneath::names(handle).map_err(|errno| read_error(&from_root, errno.into()))?;
        if names.is_empty()
            && directory.others
            && !from_root.is_empty()
            && directory.submodule.is_none()
        {
            self.exclude(
                &format!("{}{from_root}", &directory.path[..self.ground.prefix]),
                Reason::EmptyDirectory,
            );
        }
        if !self.enter_repository(&mut directory, &from_root, &names)? {
            return Ok(());
        }
        self.add_rules(&mut directory, handle, &names)?;
        let children = self.children(&directory, handle, names)?;
        self.merge(&directory, handle, children)
    }

    /// Goes over to the repository whose top this directory is, if it is one; `false` where nothing of it belongs to the set.
    fn enter_repository(
        &mut self,
        directory: &mut Directory,
        from_root: &str,
        names: &[Name],
    ) -> Result<bool, FileSetError> {
        let is_first = directory.path.len() == self.ground.prefix;
        let has_dot = names.iter().any(|name| &*name.bytes == b".git");
        let own = if is_first || !has_dot || !(directory.others || directory.submodule.is_some()) {
            None
        } else {
            GitDirectory::at(&self.ground.root_path.join(from_root))
        };
        let kind = match (&directory.submodule, &own) {
            (Some(_), _) => BoundaryKind::Submodule,
            (None, Some(_)) => BoundaryKind::NestedRepository,
            (None, None) => return Ok(true),
        };
        self.boundary(directory, kind)?;
        let Some(own) = own.filter(|_| self.ground.rules.nested == NestedRule::Files) else {
            let reason = match kind {
                BoundaryKind::Submodule => Reason::Submodule,
                BoundaryKind::NestedRepository => Reason::NestedRepository,
            };
            let path = directory.path.trim_end_matches('/').to_owned();
            self.exclude(&path, reason);
            return Ok(false);
        };
        let with_index = self.ground.rules.source != Source::Walk;
        let repository = Repository::read(self.ground.environment, Some(&own), with_index)
            .map_err(|reason| index_error(from_root, reason))?;
        directory.top = directory.path.len();
        directory.tracked = 0..repository.index.len();
        directory.ignores = repository.ignores.clone();
        directory.others = true;
        directory.repository = Arc::new(repository);
        Ok(true)
    }

    /// Adds the rules of this directory's own `.gitignore`; one that is a link counts for nothing, as in git.
    fn add_rules(
        &self,
        directory: &mut Directory,
        handle: BorrowedFd<'_>,
        names: &[Name],
    ) -> Result<(), FileSetError> {
        if !directory.others || !names.iter().any(|name| &*name.bytes == b".gitignore") {
            return Ok(());
        }
        let path = format!("{}.gitignore", self.below_root(&directory.path));
        let read = beneath::read_small(handle, ".gitignore", MAX_IGNORE_BYTES);
        if let Some(bytes) = read.map_err(|source| read_error(&path, source))? {
            let text = String::from_utf8_lossy(&bytes);
            directory.ignores = directory.ignores.with(&text, directory.path.len());
        }
        Ok(())
    }

    /// The names that a path can hold, in the order of the index: a directory counts with its slash.
    fn children(
        &mut self,
        directory: &Directory,
        handle: BorrowedFd<'_>,
        names: Vec<Name>,
    ) -> Result<Vec<Child>, FileSetError> {
        let mut children = Vec::with_capacity(names.len());
        for Name { bytes, kind } in names {
            if matches!(&*bytes, b".git" | b".lonis") {
                continue;
            }
            let (kind, stat) = match kind {
                Some(kind) => (kind, None),
                None => match self.look(directory, handle, &bytes)? {
                    Some(stat) => (stat.kind, Some(stat)),
                    None => continue,
                },
            };
            match representable(&directory.path, &bytes) {
                Ok(name) => children.push(Child { name, kind, stat }),
                Err(rule) => self.odd_name(directory, &bytes, kind, rule)?,
            }
        }
        let key = |child: &Child| (child.kind == Kind::Directory).then_some(b'/');
        children.sort_unstable_by(|left, right| {
            let left = left.name.bytes().chain(key(left));
            left.cmp(right.name.bytes().chain(key(right)))
        });
        Ok(children)
    }

    fn odd_name(
        &mut self,
        directory: &Directory,
        name: &[u8],
        kind: Kind,
        rule: PathRule,
    ) -> Result<(), FileSetError> {
        let shown = path::escaped(name);
        let is_directory = kind == Kind::Directory;
        let full = format!("{}{shown}", directory.path);
        if !directory.others || directory.ignores.ignore(&full, directory.top, is_directory) {
            return Ok(());
        }
        let raw = [self.below_root(&directory.path).as_bytes(), name].concat();
        if self.ground.rules.odd_names == OddNameRule::Refuse {
            return Err(PathError::new(&raw, rule).into());
        }
        let path = self.below_root(&full).to_owned();
        self.set.excluded.push(Excluded {
            path,
            reason: Reason::Unrepresentable,
            id: Some(Identity::of(Domain::Blob, &raw)),
        });
        Ok(())
    }

    /// Goes through names and index side by side.
    fn merge(
        &mut self,
        directory: &Directory,
        handle: BorrowedFd<'_>,
        children: Vec<Child>,
    ) -> Result<(), FileSetError> {
        let repository = Arc::clone(&directory.repository);
        let index = &repository.index;
        let mut cursor = directory.tracked.start;
        let mut full = directory.path.clone();
        for child in children {
            full.truncate(directory.path.len());
            full.push_str(&child.name);
            let is_directory = child.kind == Kind::Directory;
            let length = full.len();
            if is_directory {
                full.push('/');
            }
            let key = &full.as_bytes()[directory.top..];
            while cursor < directory.tracked.end && *index[cursor].path < *key {
                self.absent_unless_below(directory, &index[cursor], key);
                cursor += 1;
            }
            if is_directory {
                let below =
                    range_below(index, cursor..directory.tracked.end, &full[directory.top..]);
                cursor = below.end;
                full.truncate(length);
                self.child_directory(directory, &full, below);
            } else {
                let entry = index[..directory.tracked.end].get(cursor);
                let entry = entry.filter(|entry| *entry.path == *key);
                cursor += usize::from(entry.is_some());
                self.file(directory, handle, &full, &child, entry)?;
            }
        }
        for entry in &index[cursor..directory.tracked.end] {
            self.absent(directory, entry);
        }
        Ok(())
    }

    /// A submodule is recorded without the slash that its directory is sorted by; it is not absent.
    fn absent_unless_below(&mut self, directory: &Directory, entry: &IndexEntry, key: &[u8]) {
        if key.strip_suffix(b"/") != Some(&*entry.path) {
            self.absent(directory, entry);
        }
    }

    fn child_directory(
        &mut self,
        directory: &Directory,
        full: &str,
        below: std::ops::Range<usize>,
    ) {
        let from_root = self.below_root(full);
        if self.ground.rules.exclude.covers(from_root) {
            self.exclude(full, Reason::Excluded);
            return;
        }
        let index = &directory.repository.index;
        let key = &full.as_bytes()[directory.top..];
        let recorded =
            index[directory.tracked.clone()].binary_search_by(|entry| (*entry.path).cmp(key));
        let recorded = recorded
            .ok()
            .map(|at| &index[directory.tracked.start + at].kind);
        let submodule = match recorded {
            Some(IndexKind::Submodule { commit }) => Some(commit.clone()),
            _ => None,
        };
        let others = directory.others && !directory.ignores.ignore(full, directory.top, true);
        let wanted = others
            || submodule.is_some()
            || !below.is_empty()
            || self.ground.rules.add.may_match_below(from_root);
        if wanted {
            let place = self.set.members.len();
            let directory = Directory {
                path: format!("{full}/"),
                repository: Arc::clone(&directory.repository),
                top: directory.top,
                tracked: below,
                ignores: directory.ignores.clone(),
                others,
                submodule,
            };
            self.below.push((place, directory));
        }
    }

    fn file(
        &mut self,
        directory: &Directory,
        handle: BorrowedFd<'_>,
        full: &str,
        child: &Child,
        entry: Option<&IndexEntry>,
    ) -> Result<(), FileSetError> {
        let from_root = self.below_root(full);
        let is_policy = from_root == POLICY_FILE;
        let belongs = is_policy
            || entry.is_some()
            || directory.others && !directory.ignores.ignore(full, directory.top, false)
            || self.ground.rules.add.matches(from_root);
        if !belongs {
            return Ok(());
        }
        let narrowed = !self.ground.rules.include.matches(from_root)
            || self.ground.rules.exclude.matches(from_root);
        if narrowed && !is_policy {
            self.exclude(full, Reason::Excluded);
            return Ok(());
        }
        let path = WorkspacePath::new(from_root)?;
        match child.kind {
            Kind::Link if self.ground.rules.links == LinkRule::Refuse => {
                return Err(FileSetError::Link { path });
            }
            Kind::Link if self.ground.rules.links == LinkRule::Skip => {
                self.exclude(full, Reason::LinkSkipped);
                return Ok(());
            }
            Kind::Other => {
                self.exclude(full, Reason::Special);
                return Ok(());
            }
            _ => {}
        }
        let stat = match child.stat {
            Some(stat) => stat,
            None => match self.look(directory, handle, child.name.as_bytes())? {
                Some(stat) => stat,
                None => return Ok(()),
            },
        };
        if stat.device != self.ground.device {
            return Err(mount(path.as_str()));
        }
        if stat.bytes > self.ground.rules.max_file_bytes {
            self.exclude(full, Reason::TooLarge);
            return Ok(());
        }
        let executable = match entry.map(|entry| &entry.kind) {
            _ if directory.repository.file_mode => stat.mode & 0o100 != 0,
            Some(IndexKind::File { executable }) => *executable,
            _ => false,
        };
        self.member(Member {
            path,
            stat,
            executable: executable && stat.kind == Kind::File,
        })
    }

    fn look(
        &self,
        directory: &Directory,
        handle: BorrowedFd<'_>,
        name: &[u8],
    ) -> Result<Option<Stat>, FileSetError> {
        match beneath::stat_at(handle, name) {
            Ok(stat) => Ok(Some(stat)),
            // It went away after it was listed.
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => {
                let path = format!(
                    "{}{}",
                    self.below_root(&directory.path),
                    path::escaped(name)
                );
                Err(read_error(&path, errno.into()))
            }
        }
    }

    /// An ignored directory: only what the index names is looked at, and its names are not listed.
    fn tracked_alone(
        &mut self,
        directory: &Directory,
        handle: BorrowedFd<'_>,
    ) -> Result<(), FileSetError> {
        let repository = Arc::clone(&directory.repository);
        let index = &repository.index;
        let skip = directory.path.len() - directory.top;
        let mut cursor = directory.tracked.start;
        while cursor < directory.tracked.end {
            let entry = &index[cursor];
            let rest = &entry.path[skip..];
            let segment = rest.split(|byte| *byte == b'/').next().unwrap_or(rest);
            let name = representable(&directory.path, segment);
            let full = format!("{}{}", directory.path, name.as_deref().unwrap_or_default());
            let is_below = segment.len() < rest.len();
            cursor += 1;
            if is_below {
                let prefix = &entry.path[..=skip + segment.len()];
                let entries = &index[cursor..directory.tracked.end];
                let start = cursor - 1;
                cursor += entries.partition_point(|entry| entry.path.starts_with(prefix));
                if name.is_ok() {
                    self.child_directory(directory, &full, start..cursor);
                }
                continue;
            }
            match (name, self.look(directory, handle, segment)?) {
                (_, None) => self.absent(directory, entry),
                (Ok(_), Some(stat)) if stat.kind == Kind::Directory => {
                    if matches!(entry.kind, IndexKind::Submodule { .. }) {
                        self.child_directory(directory, &full, cursor..cursor);
                    }
                }
                (Ok(name), Some(stat)) => {
                    let child = Child {
                        name,
                        kind: stat.kind,
                        stat: Some(stat),
                    };
                    self.file(directory, handle, &full, &child, Some(entry))?;
                }
                (Err(rule), Some(stat)) => self.odd_name(directory, segment, stat.kind, rule)?,
            }
        }
        Ok(())
    }
}

/// The name as text, where a path in this directory can hold it.
fn representable(directory: &str, name: &[u8]) -> Result<String, PathRule> {
    let name = std::str::from_utf8(name).map_err(|_| PathRule::Encoding)?;
    path::check_segment(name)?;
    if path::is_reserved_name(name) {
        return Err(PathRule::Reserved);
    }
    if directory.len() + name.len() > path::MAX_PATH_BYTES {
        return Err(PathRule::Length);
    }
    Ok(name.to_owned())
}
