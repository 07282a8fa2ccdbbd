//! What a layer has to hold for the whole to be a snapshot.

use std::collections::{BTreeMap, BTreeSet};

use super::super::frozen::Frozen;
use super::super::{WorkspaceError, leave_out};
use crate::identity::Identity;
use crate::path::WorkspacePath;
use crate::snapshot::change::difference;
use crate::snapshot::manifest::lookup;
use crate::snapshot::tree::{Entry, Node, Tree, TreeError};
use crate::store::disk::ancestors_of;
use crate::store::stored::StoredObjects;

/// What a layer has to hold.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) snapshot: Identity,
    /// Files and links that differ from the frozen tree.
    pub(super) files: BTreeMap<WorkspacePath, Entry>,
    /// Paths of the frozen tree that are not there, the outermost ones.
    pub(super) marks: BTreeSet<String>,
    /// Links of the snapshot that lead out of the tree, and are in no workspace.
    pub(super) left_out: Vec<WorkspacePath>,
    scratch: Vec<WorkspacePath>,
}

/// What has to stand at a path of the whole.
#[derive(Debug)]
pub(super) enum Expected {
    Leaf(Entry),
    Directory,
    Nothing,
}

impl Plan {
    pub(super) fn new(
        objects: &StoredObjects<'_>,
        frozen: &Frozen,
        snapshot: &Identity,
        scratch: &[WorkspacePath],
    ) -> Result<Self, WorkspaceError> {
        let changes = difference(objects, &frozen.snapshot, snapshot)?;
        let differs = |path: &WorkspacePath| {
            let found = changes.binary_search_by(|change| change.path.cmp(path));
            found.is_ok()
        };
        let mut left_out: Vec<_> = frozen.left_out.clone();
        left_out.retain(|path| !differs(path));
        let after = changes.iter().filter_map(|change| {
            let entry = change.after?;
            Some((change.path.clone(), entry))
        });
        let mut files: BTreeMap<_, _> = after.collect();
        left_out.extend(leave_out(objects, &mut files, scratch)?);
        left_out.sort_unstable();
        let mut plan = Self {
            snapshot: *snapshot,
            files,
            marks: BTreeSet::new(),
            left_out,
            scratch: scratch.to_vec(),
        };
        for change in &changes {
            // A link that is in no workspace is not in the frozen tree either.
            let was_there = change.before.is_some() && !frozen.left_out.contains(&change.path);
            if was_there && !plan.files.contains_key(&change.path) {
                let mark = plan.outermost(objects, &change.path)?;
                plan.marks.extend(mark);
            }
        }
        Ok(plan)
    }

    /// The path at or above one that is not there any more, which hides it; `None` where something else stands there.
    fn outermost(
        &self,
        objects: &StoredObjects<'_>,
        path: &WorkspacePath,
    ) -> Result<Option<String>, WorkspaceError> {
        for path in ancestors_of(path.as_str()).chain([path.as_str()]) {
            match self.expected(objects, path)? {
                Expected::Directory if self.files_below(path) || self.remains(objects, path)? => {}
                Expected::Directory | Expected::Nothing => return Ok(Some(path.to_owned())),
                Expected::Leaf(_) => return Ok(None),
            }
        }
        // A directory stands where a file was, and hides it.
        Ok(None)
    }

    fn files_below(&self, path: &str) -> bool {
        let prefix = format!("{path}/");
        self.files
            .keys()
            .any(|file| file.as_str().starts_with(&prefix))
    }

    /// Whether anything of a directory is in the workspace.
    fn remains(&self, objects: &StoredObjects<'_>, path: &str) -> Result<bool, WorkspaceError> {
        if self.left_out.is_empty() {
            return Ok(true);
        }
        let path = WorkspacePath::new(path).map_err(TreeError::from)?;
        Ok(!self.below(objects, &path)?.is_empty())
    }

    /// What has to stand at a path.
    pub(super) fn expected(
        &self,
        objects: &StoredObjects<'_>,
        path: &str,
    ) -> Result<Expected, WorkspaceError> {
        let Ok(path) = WorkspacePath::new(path) else {
            return Ok(Expected::Nothing);
        };
        if self.is_left_out(&path) {
            return Ok(Expected::Nothing);
        }
        if let Some(entry) = self.files.get(&path) {
            return Ok(Expected::Leaf(*entry));
        }
        Ok(match lookup(objects, &self.snapshot, &path)? {
            None => Expected::Nothing,
            Some(Node::Leaf(entry)) => Expected::Leaf(entry),
            Some(Node::Tree { .. }) => Expected::Directory,
        })
    }

    fn is_left_out(&self, path: &WorkspacePath) -> bool {
        self.left_out.contains(path) || self.scratch.iter().any(|scratch| path.is_within(scratch))
    }

    /// Every file and link below a directory that is in the workspace.
    pub(super) fn below(
        &self,
        objects: &StoredObjects<'_>,
        directory: &WorkspacePath,
    ) -> Result<Vec<(WorkspacePath, Entry)>, WorkspaceError> {
        let mut found = Vec::new();
        let Some(Node::Tree { tree, .. }) = lookup(objects, &self.snapshot, directory)? else {
            return Ok(found);
        };
        let mut open = vec![(directory.as_str().to_owned(), tree)];
        while let Some((prefix, tree)) = open.pop() {
            for (name, node) in Tree::load(objects, &tree)?.nodes() {
                let path = format!("{prefix}/{name}");
                match node {
                    Node::Tree { tree, .. } => open.push((path, tree)),
                    Node::Leaf(entry) => {
                        let path = WorkspacePath::new(&path).map_err(TreeError::from)?;
                        if !self.is_left_out(&path) {
                            found.push((path, entry));
                        }
                    }
                }
            }
        }
        Ok(found)
    }

    /// Whether the layer has to hold a path or mark it as not there.
    pub(super) fn holds(&self, path: &str) -> bool {
        self.marks.contains(path)
            || WorkspacePath::new(path).is_ok_and(|path| self.files.contains_key(&path))
    }

    /// The directories of the layer in which anything has to lie.
    pub(super) fn directories<'p>(&'p self, scratch: &'p [WorkspacePath]) -> BTreeSet<&'p str> {
        let files = self.files.keys().map(WorkspacePath::as_str);
        let scratch = scratch.iter().map(WorkspacePath::as_str);
        let mut wanted = BTreeSet::new();
        for path in files
            .chain(self.marks.iter().map(String::as_str))
            .chain(scratch.clone())
        {
            wanted.extend(ancestors_of(path));
        }
        wanted.extend(scratch);
        wanted
    }
}
