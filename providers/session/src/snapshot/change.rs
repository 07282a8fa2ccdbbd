//! Changes: what differs between two states of a workspace, path by path.
//!
//! Owns the shape of a change and of the change set's identity, and the difference of two snapshots, which enters only
//! the trees that differ.

use serde::{Deserialize, Serialize};

use super::tree::{Entry, Node, Snapshot, Tree, TreeError};
use crate::identity::{Domain, Identity, canonical_bytes};
use crate::path::WorkspacePath;
use crate::store::objects::ReadObjects;

/// One path before and after; `None` is absent.
///
/// # Wire shape
/// ```
/// use lonis_session::snapshot::change::Change;
///
/// let text = r#"{"path":"a","before":null,"after":{"kind":"link",
///     "blob":"d9fd8a5cf282a32bde06993ec7623f3a492c1d42bec1b6a1c61d6fb6ef8904ab","bytes":9}}"#;
/// let change: Change = serde_json::from_str(text)?;
/// assert!(change.before.is_none() && change.after.is_some());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// What changed.
    pub path: WorkspacePath,
    /// What stood there.
    #[serde(deserialize_with = "Option::deserialize")]
    pub before: Option<Entry>,
    /// What stands there now.
    #[serde(deserialize_with = "Option::deserialize")]
    pub after: Option<Entry>,
}

/// The stored form of a list of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeSet {
    schema: String,
    changes: Vec<Change>,
}

impl ChangeSet {
    /// Puts changes in the order of their paths.
    pub fn new(mut changes: Vec<Change>) -> Self {
        changes.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        Self {
            schema: Domain::ChangeSet.schema(),
            changes,
        }
    }

    /// The changes, ascending by path bytes.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Takes the changes out.
    pub fn into_changes(self) -> Vec<Change> {
        self.changes
    }

    /// The bytes that its identity hashes and that are stored.
    pub fn canonical(&self) -> Vec<u8> {
        canonical_bytes(self)
    }

    /// Its identity.
    pub fn identity(&self) -> Identity {
        Identity::of(Domain::ChangeSet, &self.canonical())
    }
}

/// What differs between two snapshots, ascending by path bytes.
///
/// # Errors
/// A snapshot or a tree that cannot be had.
pub fn difference(
    objects: &impl ReadObjects,
    before: &Identity,
    after: &Identity,
) -> Result<Vec<Change>, TreeError> {
    let mut changes = Vec::new();
    if before != after {
        let before = Snapshot::load(objects, before)?.root;
        let after = Snapshot::load(objects, after)?.root;
        let mut walk = Walk {
            objects,
            changes: &mut changes,
            prefix: String::new(),
        };
        walk.trees(Some(before), Some(after))?;
        // A name is followed by `/` or by its end, so that the order of trees is not quite that of paths.
        changes.sort_unstable_by(|left, right| left.path.cmp(&right.path));
    }
    Ok(changes)
}

struct Walk<'a, O> {
    objects: &'a O,
    changes: &'a mut Vec<Change>,
    prefix: String,
}

impl<O: ReadObjects> Walk<'_, O> {
    fn trees(
        &mut self,
        before: Option<Identity>,
        after: Option<Identity>,
    ) -> Result<(), TreeError> {
        if before == after {
            return Ok(());
        }
        let load = |tree: Option<Identity>| {
            tree.map_or(Ok(Tree::default()), |tree| Tree::load(self.objects, &tree))
        };
        let (before, after) = (load(before)?, load(after)?);
        let mut olds = before.nodes().peekable();
        let mut news = after.nodes().peekable();
        loop {
            let name = match (olds.peek(), news.peek()) {
                (Some((old, _)), Some((new, _))) => (*old).min(*new),
                (Some((name, _)), None) | (None, Some((name, _))) => name,
                (None, None) => return Ok(()),
            };
            let old = olds
                .next_if(|(held, _)| *held == name)
                .map(|(_, node)| node);
            let new = news
                .next_if(|(held, _)| *held == name)
                .map(|(_, node)| node);
            if old != new {
                self.node(name, old, new)?;
            }
        }
    }

    fn node(&mut self, name: &str, old: Option<Node>, new: Option<Node>) -> Result<(), TreeError> {
        let length = self.prefix.len();
        self.prefix.push_str(name);
        let (old_leaf, old_tree) = split(old);
        let (new_leaf, new_tree) = split(new);
        if old_leaf != new_leaf {
            self.changes.push(Change {
                path: WorkspacePath::new(&self.prefix)?,
                before: old_leaf,
                after: new_leaf,
            });
        }
        self.prefix.push('/');
        self.trees(old_tree, new_tree)?;
        self.prefix.truncate(length);
        Ok(())
    }
}

const fn split(node: Option<Node>) -> (Option<Entry>, Option<Identity>) {
    match node {
        Some(Node::Leaf(entry)) => (Some(entry), None),
        Some(Node::Tree { tree, .. }) => (None, Some(tree)),
        None => (None, None),
    }
}
