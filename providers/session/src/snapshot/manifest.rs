//! Manifests: every path of a snapshot in one list, and the way to and from trees.
//!
//! A snapshot of a large workspace is changed through [`update`], which reads and writes only the trees on the way to a
//! changed path; the whole list is for what needs it.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map;

use serde::Serialize;

use super::change::Change;
use super::tree::{Entry, Node, Snapshot, Tree, TreeError};
use crate::identity::{Domain, Identity, canonical_bytes};
use crate::path::{PathError, PathRule, WorkspacePath};
use crate::store::objects::{ObjectMap, ReadObjects};

/// Every file and link of a workspace by its path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest(BTreeMap<WorkspacePath, Entry>);

impl Manifest {
    /// Takes paths; that none lies below another is checked when trees are made.
    pub const fn new(entries: BTreeMap<WorkspacePath, Entry>) -> Self {
        Self(entries)
    }

    /// Reads all of a snapshot.
    ///
    /// # Errors
    /// A snapshot or a tree that cannot be had.
    pub fn load(objects: &impl ReadObjects, snapshot: &Identity) -> Result<Self, TreeError> {
        let mut entries = BTreeMap::new();
        let mut open = vec![(String::new(), Snapshot::load(objects, snapshot)?.root)];
        while let Some((prefix, tree)) = open.pop() {
            for (name, node) in Tree::load(objects, &tree)?.nodes() {
                let path = format!("{prefix}{name}");
                match node {
                    Node::Leaf(entry) => {
                        entries.insert(WorkspacePath::new(&path)?, entry);
                    }
                    Node::Tree { tree, .. } => open.push((path + "/", tree)),
                }
            }
        }
        Ok(Self(entries))
    }

    /// What stands at a path.
    pub fn get(&self, path: &str) -> Option<&Entry> {
        self.0.get(path)
    }

    /// Paths with their entries, ascending by path bytes.
    pub fn iter(&self) -> btree_map::Iter<'_, WorkspacePath, Entry> {
        self.0.iter()
    }

    /// How many paths there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no path.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the paths out.
    pub fn into_entries(self) -> BTreeMap<WorkspacePath, Entry> {
        self.0
    }

    /// Makes the trees and the snapshot, adds them to `objects` and gives the snapshot.
    ///
    /// # Errors
    /// A path that lies below another one.
    pub fn store(&self, objects: &mut ObjectMap) -> Result<(Identity, Snapshot), TreeError> {
        let sides = self.0.iter().map(|(path, entry)| (path, Some(*entry)));
        let root = rebuild(
            &ObjectMap::new(),
            objects,
            &Tree::default(),
            sides.collect(),
        )?;
        Ok(finish(objects, &root))
    }

    /// The identity in the flat form of the contract; none where a link stands, which that form cannot name.
    ///
    /// # Errors
    /// The paths of all links (`session/projection-unavailable`).
    pub fn flat_identity(&self) -> Result<Identity, ProjectionError> {
        let links: Vec<_> = self
            .0
            .iter()
            .filter(|(_, entry)| entry.is_link())
            .map(|(path, _)| path.clone())
            .collect();
        if !links.is_empty() {
            return Err(ProjectionError { links });
        }
        let files = self.0.iter().map(|(path, entry)| FlatFile {
            path,
            blob: entry.blob(),
            bytes: entry.bytes(),
        });
        let flat = FlatSnapshot {
            schema: Domain::FlatSnapshot.schema(),
            files: files.collect(),
        };
        Ok(Identity::of(Domain::FlatSnapshot, &canonical_bytes(&flat)))
    }
}

impl<'a> IntoIterator for &'a Manifest {
    type Item = (&'a WorkspacePath, &'a Entry);
    type IntoIter = btree_map::Iter<'a, WorkspacePath, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A snapshot that has no flat form (`session/projection-unavailable`).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a snapshot with links has no v0.1 identity: `{}` is one of {}", links[0], links.len())]
pub struct ProjectionError {
    /// Every link; never empty.
    pub links: Vec<WorkspacePath>,
}

#[derive(Serialize)]
struct FlatSnapshot<'a> {
    schema: String,
    files: Vec<FlatFile<'a>>,
}

#[derive(Serialize)]
struct FlatFile<'a> {
    path: &'a WorkspacePath,
    blob: Identity,
    bytes: u64,
}

/// What stands at one path of a snapshot, read through the trees on the way alone.
///
/// # Errors
/// A snapshot or a tree that cannot be had.
pub fn lookup(
    objects: &impl ReadObjects,
    snapshot: &Identity,
    path: &WorkspacePath,
) -> Result<Option<Node>, TreeError> {
    let mut tree = Snapshot::load(objects, snapshot)?.root;
    let mut segments = path.segments().peekable();
    while let Some(segment) = segments.next() {
        match Tree::load(objects, &tree)?.get(segment) {
            Some(Node::Tree { tree: next, .. }) if segments.peek().is_some() => tree = next,
            found if segments.peek().is_none() => return Ok(found),
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// Makes the snapshot that `base` becomes by `changes`; new objects go to `new`.
///
/// Only the `after` side of a change is looked at. Removals of what is absent do nothing.
///
/// # Errors
/// A tree that cannot be had; a path that would lie below a file.
pub fn update(
    objects: &impl ReadObjects,
    new: &mut ObjectMap,
    base: &Identity,
    changes: &[Change],
) -> Result<(Identity, Snapshot), TreeError> {
    let root = Tree::load(objects, &Snapshot::load(objects, base)?.root)?;
    let sides = changes.iter().map(|change| (&change.path, change.after));
    let root = rebuild(objects, new, &root, sides.collect())?;
    Ok(finish(new, &root))
}

fn finish(objects: &mut ObjectMap, root: &Tree) -> (Identity, Snapshot) {
    let snapshot = Snapshot {
        root: objects.add(Domain::Tree, root.canonical()),
        files: root.files(),
        bytes: root.bytes(),
    };
    (
        objects.add(Domain::Snapshot, snapshot.canonical()),
        snapshot,
    )
}

/// A path and what is to stand there.
type Side<'a> = (&'a WorkspacePath, Option<Entry>);

fn rebuild(
    objects: &impl ReadObjects,
    new: &mut ObjectMap,
    root: &Tree,
    mut sides: Vec<Side<'_>>,
) -> Result<Tree, TreeError> {
    // The paths below one name have to stand together, which the order of path bytes does not give (`a`, `a.b`, `a/c`).
    sides.sort_by(|left, right| by_segments(left.0.as_str(), right.0.as_str()));
    directory(objects, new, root, &sides, 0)
}

/// Orders paths as their lists of segments: the slash comes before every byte that a segment holds.
fn by_segments(left: &str, right: &str) -> Ordering {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let key = |byte: u8| if byte == b'/' { 0 } else { byte };
    let differs = left.iter().zip(right).find(|(one, other)| one != other);
    differs.map_or_else(
        || left.len().cmp(&right.len()),
        |(one, other)| key(*one).cmp(&key(*other)),
    )
}

/// Applies sides, all of them below the directory whose path has `offset` bytes with its slash.
fn directory(
    objects: &impl ReadObjects,
    new: &mut ObjectMap,
    tree: &Tree,
    sides: &[Side<'_>],
    offset: usize,
) -> Result<Tree, TreeError> {
    let name_of = |side: &Side<'_>| {
        let rest = &side.0.as_str()[offset..];
        rest.split_once('/')
            .map_or(rest.len(), |(name, _)| name.len())
    };
    let mut nodes: BTreeMap<Box<str>, Node> = tree
        .nodes()
        .map(|(name, node)| (name.into(), node))
        .collect();
    for group in sides.chunk_by(|left, right| {
        left.0.as_str()[offset..][..name_of(left)] == right.0.as_str()[offset..][..name_of(right)]
    }) {
        let end = offset + name_of(&group[0]);
        let name = &group[0].0.as_str()[offset..end];
        let below = group.partition_point(|side| side.0.as_str().len() == end);
        let (own, below) = group.split_at(below);
        let old = nodes.remove(name);
        if let Some(node) = node(objects, new, old, own.last(), below, end + 1)? {
            nodes.insert(name.into(), node);
        }
    }
    Ok(Tree::new(nodes.into_iter().collect())?)
}

fn node(
    objects: &impl ReadObjects,
    new: &mut ObjectMap,
    old: Option<Node>,
    own: Option<&Side<'_>>,
    below: &[Side<'_>],
    offset: usize,
) -> Result<Option<Node>, TreeError> {
    let leaf = match (own, old) {
        (Some((_, entry)), _) => *entry,
        (None, Some(Node::Leaf(entry))) => Some(entry),
        (None, _) => None,
    };
    let subtree = if below.is_empty() {
        old.filter(|node| matches!(node, Node::Tree { .. }))
    } else {
        let tree = match old {
            Some(Node::Tree { tree, .. }) => Tree::load(objects, &tree)?,
            _ => Tree::default(),
        };
        let tree = directory(objects, new, &tree, below, offset)?;
        tree_node(new, &tree)
    };
    match (leaf, subtree) {
        (Some(_), Some(_)) => {
            let (path, _) = own
                .or(below.first())
                .expect("an old node is only one of the two");
            Err(PathError::new(path.as_str().as_bytes(), PathRule::Clash).into())
        }
        (Some(entry), None) => Ok(Some(Node::Leaf(entry))),
        (None, subtree) => Ok(subtree),
    }
}

/// The node of a tree; an empty one is no object and no node.
fn tree_node(new: &mut ObjectMap, tree: &Tree) -> Option<Node> {
    (!tree.is_empty()).then(|| Node::Tree {
        tree: new.add(Domain::Tree, tree.canonical()),
        files: tree.files(),
        bytes: tree.bytes(),
    })
}

#[cfg(test)]
mod tests;
