//! Path states: whether every op finds what it needs where it needs it, before any op runs.
//!
//! A virtual tree takes the effect of each op on kinds alone. What an op that is refused would have touched is left
//! out of the further checks, so that each report stands for a fault of its own.

use std::collections::{BTreeMap, HashSet};

use super::document::{Action, Content, DefinitionChange, Op};
use super::failure::Failure;
use super::files::{Files, PathState};
use super::report::Report;
use crate::path::WorkspacePath;
use crate::snapshot::tree::TreeError;

/// Links that are followed to find the path without links.
const MAX_LINKS: usize = 40;

/// Paths that a report names beside an absent one.
const MAX_NEAR: usize = 3;

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Absent,
    File,
    Link,
    Directory,
    NotCaptured,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::File => "file",
            Self::Link => "link",
            Self::Directory => "dir",
            Self::NotCaptured => "not-captured",
        }
    }
}

/// What the check found.
#[derive(Debug)]
pub(crate) struct Checked {
    /// One report for each op that is refused.
    pub(crate) reports: Vec<Report>,
    /// Paths whose state is unknown because an op on them is refused.
    pub(crate) tainted: HashSet<WorkspacePath>,
}

/// Checks all ops.
pub(crate) fn check<F: Files>(files: &F, ops: &[Op]) -> Result<Checked, TreeError> {
    let mut tree = VirtualTree {
        files,
        kinds: BTreeMap::new(),
    };
    let mut checked = Checked {
        reports: Vec::new(),
        tainted: HashSet::new(),
    };
    for (ordinal, op) in ops.iter().enumerate() {
        let paths = paths(op);
        if paths.iter().any(|path| checked.tainted.contains(*path)) {
            checked.tainted.extend(paths.into_iter().cloned());
            continue;
        }
        if let Some((path, failure)) = tree.check(op)? {
            let mut report = Report::new(ordinal, op.action.name(), path.as_str(), failure);
            if matches!(
                report.failure,
                Failure::PathState {
                    actual: "absent",
                    ..
                }
            ) {
                report.nearest = tree.near(path)?;
            }
            checked.reports.push(report);
            checked.tainted.extend(paths.into_iter().cloned());
        } else {
            tree.take(op);
        }
    }
    Ok(checked)
}

/// All paths that an op touches.
pub(crate) fn paths(op: &Op) -> Vec<&WorkspacePath> {
    let mut paths = vec![&op.path];
    match &op.action {
        Action::MoveFile { to } => paths.push(to),
        Action::Definition(edit) => {
            if let DefinitionChange::Rename { also, .. } = &edit.change {
                paths.extend(also);
            }
        }
        _ => {}
    }
    paths
}

struct VirtualTree<'f, F> {
    files: &'f F,
    kinds: BTreeMap<WorkspacePath, Kind>,
}

impl<F: Files> VirtualTree<'_, F> {
    fn check<'o>(&mut self, op: &'o Op) -> Result<Option<(&'o WorkspacePath, Failure)>, TreeError> {
        let expected: &[Kind] = match &op.action {
            Action::CreateFile { .. } => &[Kind::Absent],
            Action::DeleteFile => &[Kind::File, Kind::Link],
            _ => &[Kind::File],
        };
        if let Some(failure) = self.expect(&op.path, expected)? {
            return Ok(Some((&op.path, failure)));
        }
        match &op.action {
            Action::MoveFile { to } => {
                let held = self.kinds.insert(op.path.clone(), Kind::Absent);
                let failure = self.expect(to, &[Kind::Absent])?;
                match held {
                    Some(kind) => self.kinds.insert(op.path.clone(), kind),
                    None => self.kinds.remove(&op.path),
                };
                Ok(failure.map(|failure| (to, failure)))
            }
            Action::Definition(edit) => {
                let DefinitionChange::Rename { also, .. } = &edit.change else {
                    return Ok(None);
                };
                for path in also {
                    if let Some(failure) = self.expect(path, &[Kind::File])? {
                        return Ok(Some((path, failure)));
                    }
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Paths beside an absent one with a name like its own, the most similar first.
    ///
    /// Where a directory on the way is absent, the names beside that are looked at: one directory of the tree, whatever its size.
    fn near(&self, path: &WorkspacePath) -> Result<Vec<String>, TreeError> {
        let mut at = path.clone();
        while let Some(parent) = at.parent() {
            if self.kind(&parent)? == Kind::Directory {
                break;
            }
            at = parent;
        }
        let parent = at.parent();
        let own = at.segments().next_back().unwrap_or_default();
        let rest = &path.as_str()[at.as_str().len()..];
        let mut found = Vec::new();
        for name in self.files.names(parent.as_ref())? {
            let distance = strsim::damerau_levenshtein(&name, own);
            if distance > (own.chars().count() / 3).max(1) {
                continue;
            }
            let near = parent
                .as_ref()
                .map_or_else(|| name.to_string(), |parent| format!("{parent}/{name}"));
            let near = format!("{near}{rest}");
            let stands = match WorkspacePath::new(&near) {
                Ok(near) => matches!(self.kind(&near)?, Kind::File | Kind::Link),
                Err(_) => false,
            };
            if stands {
                found.push((distance, near));
            }
        }
        found.sort();
        found.truncate(MAX_NEAR);
        Ok(found.into_iter().map(|(_, near)| near).collect())
    }

    fn take(&mut self, op: &Op) {
        match &op.action {
            Action::CreateFile { content, .. } => {
                let kind = match content {
                    Content::Bytes(_) => Kind::File,
                    Content::Link(_) => Kind::Link,
                };
                self.kinds.insert(op.path.clone(), kind);
            }
            Action::DeleteFile => {
                self.kinds.insert(op.path.clone(), Kind::Absent);
            }
            Action::MoveFile { to } => {
                self.kinds.insert(op.path.clone(), Kind::Absent);
                self.kinds.insert(to.clone(), Kind::File);
            }
            _ => {}
        }
    }

    fn expect(
        &self,
        path: &WorkspacePath,
        expected: &[Kind],
    ) -> Result<Option<Failure>, TreeError> {
        for ancestor in path.ancestors() {
            match self.kind(&ancestor)? {
                Kind::Absent | Kind::Directory => {}
                Kind::Link => return self.through_link(path).map(Some),
                kind => {
                    return Ok(Some(Failure::PathState {
                        expected: "dir",
                        actual: kind.name(),
                    }));
                }
            }
        }
        let kind = self.kind(path)?;
        if expected.contains(&kind) {
            return Ok(None);
        }
        if kind == Kind::Link && expected == [Kind::File] {
            return self.through_link(path).map(Some);
        }
        let expected = match expected {
            [Kind::Absent] => "absent",
            [Kind::File] => "file",
            _ => "file or link",
        };
        Ok(Some(Failure::PathState {
            expected,
            actual: kind.name(),
        }))
    }

    fn kind(&self, path: &WorkspacePath) -> Result<Kind, TreeError> {
        if let Some(kind) = self.kinds.get(path) {
            if *kind == Kind::Absent && self.holds_something(path) {
                return Ok(Kind::Directory);
            }
            return Ok(*kind);
        }
        Ok(match self.files.state(path)? {
            PathState::Leaf(entry) if entry.is_link() => Kind::Link,
            PathState::Leaf(_) => Kind::File,
            PathState::NotCaptured => Kind::NotCaptured,
            state => {
                let stands = state == PathState::Directory && !self.is_emptied(path)?;
                if stands || self.holds_something(path) {
                    Kind::Directory
                } else {
                    Kind::Absent
                }
            }
        })
    }

    /// Whether an op put something below a path.
    fn holds_something(&self, path: &WorkspacePath) -> bool {
        self.below(path).any(|(_, kind)| *kind != Kind::Absent)
    }

    /// Whether ops removed all that stood below a path.
    fn is_emptied(&self, path: &WorkspacePath) -> Result<bool, TreeError> {
        if self.below(path).next().is_none() {
            return Ok(false);
        }
        for name in self.files.names(Some(path))? {
            let Ok(child) = path.join(&name) else {
                return Ok(false);
            };
            let gone = match self.files.state(&child)? {
                PathState::Directory => self.is_emptied(&child)?,
                PathState::Absent => true,
                _ => self.kinds.get(&child) == Some(&Kind::Absent),
            };
            if !gone {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn below(&self, path: &WorkspacePath) -> impl Iterator<Item = (&WorkspacePath, &Kind)> {
        let prefix = format!("{path}/");
        let from = (
            std::ops::Bound::Included(prefix.as_str()),
            std::ops::Bound::Unbounded,
        );
        let prefix = prefix.clone();
        self.kinds
            .range::<str, _>(from)
            .take_while(move |(found, _)| found.as_str().starts_with(&prefix))
    }

    /// Names the first link on the way, and the path without links where it lies in the tree.
    fn through_link(&self, path: &WorkspacePath) -> Result<Failure, TreeError> {
        let mut link = None;
        let mut now = path.clone();
        for _ in 0..MAX_LINKS {
            let Some((at, text)) = self.first_link(&now)? else {
                let stands = self.kind(&now)? == Kind::File;
                return Ok(Failure::PathSymlink {
                    link: link.unwrap_or(now.clone()).to_string(),
                    resolved: stands.then(|| now.to_string()),
                });
            };
            link.get_or_insert_with(|| at.clone());
            match followed(&now, &at, &text) {
                Some(next) => now = next,
                None => break,
            }
        }
        Ok(Failure::PathSymlink {
            link: link.map_or_else(|| path.to_string(), |link| link.to_string()),
            resolved: None,
        })
    }

    fn first_link(
        &self,
        path: &WorkspacePath,
    ) -> Result<Option<(WorkspacePath, String)>, TreeError> {
        for at in path.ancestors().chain([path.clone()]) {
            if self.kind(&at)? == Kind::Link
                && let PathState::Leaf(entry) = self.files.state(&at)?
            {
                let text = self.files.blob(&entry.blob())?;
                return Ok(Some((at, String::from_utf8_lossy(&text).into_owned())));
            }
        }
        Ok(None)
    }
}

/// The path behind a link, if it stays inside the root.
fn followed(path: &WorkspacePath, link: &WorkspacePath, text: &str) -> Option<WorkspacePath> {
    if text.starts_with('/') {
        return None;
    }
    let parent = link.parent();
    let mut segments: Vec<&str> = parent
        .as_ref()
        .map_or_else(Vec::new, |parent| parent.segments().collect());
    let rest = path.as_str().strip_prefix(link.as_str())?;
    for segment in text.split('/').chain(rest.split('/')) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    WorkspacePath::new(&segments.join("/")).ok()
}
