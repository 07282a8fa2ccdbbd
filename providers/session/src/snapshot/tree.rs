//! Trees and snapshots: the objects that name a whole workspace.
//!
//! Owns their shape, their canonical bytes and the rules that a stored one is held to when it is read.

use std::borrow::Cow;
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::identity::{Domain, Identity, canonical_bytes};
use crate::path::{self, PathError, PathRule};
use crate::store::objects::{ObjectError, ReadObjects};

/// A file or a link of a snapshot.
///
/// # Wire shape
/// ```
/// use lonis_session::snapshot::tree::Entry;
///
/// let text = r#"{"kind":"file","executable":false,
///     "blob":"fa22e6fc3e3f640eb337e296f41e211df7e833e92827a1795dab6a26a71f5af2","bytes":6}"#;
/// let entry: Entry = serde_json::from_str(text)?;
/// assert_eq!(entry.bytes(), 6);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Entry {
    /// A regular file.
    File {
        /// Whether its owner may execute it.
        executable: bool,
        /// Identity of its bytes.
        blob: Identity,
        /// Its length.
        bytes: u64,
    },
    /// A symbolic link, which is never followed.
    Link {
        /// Identity of its text.
        blob: Identity,
        /// Length of its text.
        bytes: u64,
    },
}

impl Entry {
    /// Identity of the content.
    pub const fn blob(&self) -> Identity {
        match self {
            Self::File { blob, .. } | Self::Link { blob, .. } => *blob,
        }
    }

    /// Length of the content.
    pub const fn bytes(&self) -> u64 {
        match self {
            Self::File { bytes, .. } | Self::Link { bytes, .. } => *bytes,
        }
    }

    /// Whether it is a file that may be executed.
    pub const fn is_executable(&self) -> bool {
        matches!(
            self,
            Self::File {
                executable: true,
                ..
            }
        )
    }

    /// Whether it is a link.
    pub const fn is_link(&self) -> bool {
        matches!(self, Self::Link { .. })
    }
}

/// What stands under one name of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// A file or a link.
    Leaf(Entry),
    /// A directory that is not empty.
    Tree {
        /// Identity of its tree object.
        tree: Identity,
        /// Files and links below it.
        files: u64,
        /// Length of their content, link texts included.
        bytes: u64,
    },
}

impl Node {
    /// Files and links: one for a leaf.
    pub const fn files(&self) -> u64 {
        match self {
            Self::Leaf(_) => 1,
            Self::Tree { files, .. } => *files,
        }
    }

    /// Length of the content of all files and links.
    pub const fn bytes(&self) -> u64 {
        match self {
            Self::Leaf(entry) => entry.bytes(),
            Self::Tree { bytes, .. } => *bytes,
        }
    }
}

/// One directory: names in byte order, each with what stands under it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree(Vec<(Box<str>, Node)>);

/// A tree or a snapshot that cannot be made or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// A name or a path breaks a rule (`session/snapshot-path`).
    #[error(transparent)]
    Path(#[from] PathError),
    /// The object is no tree or no snapshot (`session/snapshot-mismatch`).
    #[error("the object `{identity}` is not a valid {}: {reason}", domain.name())]
    Malformed {
        /// What was read.
        domain: Domain,
        /// What was read.
        identity: Identity,
        /// What is wrong with it.
        reason: String,
    },
    /// The object itself cannot be had.
    #[error(transparent)]
    Object(#[from] ObjectError),
}

impl Tree {
    /// Makes a tree of nodes in any order.
    ///
    /// # Errors
    /// A name that breaks a rule or stands twice.
    pub fn new(mut nodes: Vec<(Box<str>, Node)>) -> Result<Self, PathError> {
        nodes.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        let tree = Self(nodes);
        tree.check()?;
        Ok(tree)
    }

    fn check(&self) -> Result<(), PathError> {
        for (name, _) in &self.0 {
            path::check_segment(name).map_err(|rule| PathError::new(name.as_bytes(), rule))?;
            if path::is_reserved_name(name) {
                return Err(PathError::new(name.as_bytes(), PathRule::Reserved));
            }
        }
        match self.0.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            Some(pair) => Err(PathError::new(pair[1].0.as_bytes(), PathRule::Clash)),
            None => Ok(()),
        }
    }

    /// Names in byte order, each with its node.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (&str, Node)> {
        self.0.iter().map(|(name, node)| (&**name, *node))
    }

    /// What stands under a name.
    pub fn get(&self, name: &str) -> Option<Node> {
        let index = self
            .0
            .binary_search_by(|(held, _)| (**held).cmp(name))
            .ok()?;
        Some(self.0[index].1)
    }

    /// Whether nothing stands in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Files and links at and below it.
    pub fn files(&self) -> u64 {
        self.0.iter().map(|(_, node)| node.files()).sum()
    }

    /// Length of all their content.
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|(_, node)| node.bytes()).sum()
    }

    /// The bytes that its identity hashes and that are stored.
    pub fn canonical(&self) -> Vec<u8> {
        let mut text = String::with_capacity(64 + self.0.len() * 192);
        text.push_str("{\"entries\":[");
        for (index, (name, node)) in self.0.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            push_entry(&mut text, name, node);
        }
        text.push_str("],\"schema\":\"genesis/workspace-tree-v0.2\"}");
        text.into_bytes()
    }

    /// Reads a tree object.
    ///
    /// # Errors
    /// An object that cannot be had, or that is no tree in canonical form.
    pub fn load(objects: &impl ReadObjects, identity: &Identity) -> Result<Self, TreeError> {
        let bytes = objects.read(Domain::Tree, identity)?;
        let malformed = |reason: String| TreeError::Malformed {
            domain: Domain::Tree,
            identity: *identity,
            reason,
        };
        let wire: WireTree<'_> =
            serde_json::from_slice(&bytes).map_err(|error| malformed(error.to_string()))?;
        let tree = Self(wire.entries.into_iter().map(Wire::node).collect());
        tree.check()?;
        let empty = tree.0.iter().any(|(_, node)| node.files() == 0);
        if empty || tree.canonical() != bytes {
            return Err(malformed("it is not in canonical form".to_owned()));
        }
        Ok(tree)
    }
}

/// A captured workspace: its root tree and how much it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    /// Identity of the root tree, which may be empty.
    pub root: Identity,
    /// Files and links in all of it.
    pub files: u64,
    /// Length of all their content, link texts included.
    pub bytes: u64,
}

impl Snapshot {
    /// The snapshot with this root.
    pub fn of(root: &Tree) -> Self {
        Self {
            root: Identity::of(Domain::Tree, &root.canonical()),
            files: root.files(),
            bytes: root.bytes(),
        }
    }

    /// The bytes that its identity hashes and that are stored.
    pub fn canonical(&self) -> Vec<u8> {
        canonical_bytes(&WireSnapshot {
            schema: Domain::Snapshot.schema(),
            root: self.root,
            files: self.files,
            bytes: self.bytes,
        })
    }

    /// Its identity.
    pub fn identity(&self) -> Identity {
        Identity::of(Domain::Snapshot, &self.canonical())
    }

    /// Reads a snapshot object.
    ///
    /// # Errors
    /// An object that cannot be had, or that is no snapshot.
    pub fn load(objects: &impl ReadObjects, identity: &Identity) -> Result<Self, TreeError> {
        let bytes = objects.read(Domain::Snapshot, identity)?;
        let malformed = |reason: String| TreeError::Malformed {
            domain: Domain::Snapshot,
            identity: *identity,
            reason,
        };
        let wire: WireSnapshot =
            serde_json::from_slice(&bytes).map_err(|error| malformed(error.to_string()))?;
        let snapshot = Self {
            root: wire.root,
            files: wire.files,
            bytes: wire.bytes,
        };
        if snapshot.canonical() != bytes {
            return Err(malformed("it is not in canonical form".to_owned()));
        }
        Ok(snapshot)
    }
}

/// Writes an entry with its members in canonical order. Trees are the bulk of what a capture makes, and a name needs no escape
/// but for quotes: it holds neither a backslash nor a control character.
fn push_entry(text: &mut String, name: &str, node: &Node) {
    let quoted = if name.contains('"') {
        Cow::Owned(name.replace('"', "\\\""))
    } else {
        Cow::Borrowed(name)
    };
    // Writing to a text cannot fail.
    let _ = match node {
        Node::Leaf(Entry::File {
            executable,
            blob,
            bytes,
        }) => write!(
            text,
            r#"{{"blob":"{blob}","bytes":{bytes},"executable":{executable},"kind":"file","name":"{quoted}"}}"#
        ),
        Node::Leaf(Entry::Link { blob, bytes }) => write!(
            text,
            r#"{{"blob":"{blob}","bytes":{bytes},"kind":"link","name":"{quoted}"}}"#
        ),
        Node::Tree { tree, files, bytes } => write!(
            text,
            r#"{{"bytes":{bytes},"files":{files},"kind":"tree","name":"{quoted}","tree":"{tree}"}}"#
        ),
    };
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSnapshot {
    schema: String,
    root: Identity,
    files: u64,
    bytes: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireTree<'a> {
    #[serde(rename = "schema")]
    _schema: String,
    #[serde(borrow)]
    entries: Vec<Wire<'a>>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum Wire<'a> {
    File {
        #[serde(borrow)]
        name: Cow<'a, str>,
        executable: bool,
        blob: Identity,
        bytes: u64,
    },
    Link {
        #[serde(borrow)]
        name: Cow<'a, str>,
        blob: Identity,
        bytes: u64,
    },
    Tree {
        #[serde(borrow)]
        name: Cow<'a, str>,
        tree: Identity,
        files: u64,
        bytes: u64,
    },
}

impl Wire<'_> {
    fn node(self) -> (Box<str>, Node) {
        match self {
            Self::File {
                name,
                executable,
                blob,
                bytes,
            } => (
                name.into(),
                Node::Leaf(Entry::File {
                    executable,
                    blob,
                    bytes,
                }),
            ),
            Self::Link { name, blob, bytes } => {
                (name.into(), Node::Leaf(Entry::Link { blob, bytes }))
            }
            Self::Tree {
                name,
                tree,
                files,
                bytes,
            } => (name.into(), Node::Tree { tree, files, bytes }),
        }
    }
}
