//! What a patch sees of a workspace: what stands at a path, and the bytes of a blob.
//!
//! The engine needs nothing else, so that it runs on a snapshot in a store, on a candidate in memory and in tests alike.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::identity::{Domain, Identity};
use crate::path::WorkspacePath;
use crate::snapshot::tree::{Entry, Node, Snapshot, Tree, TreeError};
use crate::store::objects::ReadObjects;

/// The most trees that are held; a patch has fewer directories, but for the largest.
const MAX_KNOWN: usize = 1024;

/// What stands at a path before the patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathState {
    /// Nothing.
    Absent,
    /// A file or a link.
    Leaf(Entry),
    /// A directory that holds something.
    Directory,
    /// Something that was left out of the snapshot.
    NotCaptured,
}

/// An earlier or other state of a file, so that a report can say where a quotation comes from.
#[derive(Debug, Clone)]
pub struct Earlier {
    /// `base`, `patch:<n>` or `live`.
    pub state: String,
    /// Identity of the patch, or the session, that changed the file since.
    pub changed_by: Option<String>,
    /// The bytes of the file in that state.
    pub bytes: Arc<[u8]>,
}

/// The files that a patch is applied to.
pub trait Files {
    /// What stands at a path.
    ///
    /// # Errors
    /// An object that cannot be read.
    fn state(&self, path: &WorkspacePath) -> Result<PathState, TreeError>;

    /// The bytes of a blob that [`Files::state`] named.
    ///
    /// # Errors
    /// An object that cannot be read.
    fn blob(&self, blob: &Identity) -> Result<Arc<[u8]>, TreeError>;

    /// The names directly in a directory; of the root without a path.
    ///
    /// # Errors
    /// An object that cannot be read.
    fn names(&self, directory: Option<&WorkspacePath>) -> Result<Vec<Box<str>>, TreeError>;

    /// Other states of a file, the newest first, for reports alone.
    fn earlier(&self, path: &WorkspacePath) -> Vec<Earlier> {
        let _ = path;
        Vec::new()
    }
}

/// The files of a snapshot.
#[derive(Debug)]
pub struct SnapshotFiles<'a, O> {
    objects: &'a O,
    root: Tree,
    /// Trees that were read: the ops of a patch go through the same directories again and again.
    known: RefCell<HashMap<Identity, Rc<Tree>>>,
}

impl<'a, O: ReadObjects> SnapshotFiles<'a, O> {
    /// Opens a snapshot.
    ///
    /// # Errors
    /// A snapshot or root tree that cannot be read.
    pub fn open(objects: &'a O, snapshot: &Identity) -> Result<Self, TreeError> {
        let snapshot = Snapshot::load(objects, snapshot)?;
        let root = Tree::load(objects, &snapshot.root)?;
        Ok(Self {
            objects,
            root,
            known: RefCell::default(),
        })
    }

    fn tree(&self, identity: &Identity) -> Result<Rc<Tree>, TreeError> {
        if let Some(tree) = self.known.borrow().get(identity) {
            return Ok(Rc::clone(tree));
        }
        let tree = Rc::new(Tree::load(self.objects, identity)?);
        let mut known = self.known.borrow_mut();
        if known.len() == MAX_KNOWN {
            known.clear();
        }
        known.insert(*identity, Rc::clone(&tree));
        Ok(tree)
    }

    fn node(&self, path: &WorkspacePath) -> Result<Option<Node>, TreeError> {
        let mut segments = path.segments();
        let mut node = segments.next().and_then(|name| self.root.get(name));
        for name in segments {
            let Some(Node::Tree { tree, .. }) = node else {
                return Ok(None);
            };
            node = self.tree(&tree)?.get(name);
        }
        Ok(node)
    }
}

impl<O: ReadObjects> Files for SnapshotFiles<'_, O> {
    fn state(&self, path: &WorkspacePath) -> Result<PathState, TreeError> {
        Ok(match self.node(path)? {
            None => PathState::Absent,
            Some(Node::Leaf(entry)) => PathState::Leaf(entry),
            Some(Node::Tree { .. }) => PathState::Directory,
        })
    }

    fn blob(&self, blob: &Identity) -> Result<Arc<[u8]>, TreeError> {
        Ok(self.objects.read(Domain::Blob, blob)?.into())
    }

    fn names(&self, directory: Option<&WorkspacePath>) -> Result<Vec<Box<str>>, TreeError> {
        let names = |tree: &Tree| tree.nodes().map(|(name, _)| name.into()).collect();
        let Some(directory) = directory else {
            return Ok(names(&self.root));
        };
        Ok(match self.node(directory)? {
            Some(Node::Tree { tree, .. }) => {
                let tree = self.tree(&tree)?;
                names(&tree)
            }
            _ => Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::store::objects::{ObjectError, ObjectMap};

    /// Counts what is read.
    struct Counting {
        objects: ObjectMap,
        reads: Cell<usize>,
    }

    impl ReadObjects for Counting {
        fn read(&self, domain: Domain, identity: &Identity) -> Result<Vec<u8>, ObjectError> {
            self.reads.set(self.reads.get() + 1);
            self.objects.read(domain, identity)
        }

        fn contains(&self, domain: Domain, identity: &Identity) -> bool {
            self.objects.contains(domain, identity)
        }
    }

    #[test]
    fn a_directory_is_read_once_however_many_paths_in_it_are_looked_at() {
        let mut objects = ObjectMap::new();
        let blob = objects.add(Domain::Blob, b"x".to_vec());
        let entry = Node::Leaf(Entry::File {
            executable: false,
            blob,
            bytes: 1,
        });
        let names = (0..500).map(|number| (format!("{number}.txt").into(), entry));
        let inner = Tree::new(names.collect()).unwrap();
        let node = Node::Tree {
            tree: objects.add(Domain::Tree, inner.canonical()),
            files: inner.files(),
            bytes: inner.bytes(),
        };
        let root = Tree::new(vec![("src".into(), node)]).unwrap();
        objects.add(Domain::Tree, root.canonical());
        let snapshot = objects.add(Domain::Snapshot, Snapshot::of(&root).canonical());
        let counting = Counting {
            objects,
            reads: Cell::new(0),
        };
        let files = SnapshotFiles::open(&counting, &snapshot).unwrap();
        for number in 0..500 {
            let path = WorkspacePath::new(&format!("src/{number}.txt")).unwrap();
            assert_eq!(
                files.state(&path).unwrap(),
                PathState::Leaf(Entry::File {
                    executable: false,
                    blob,
                    bytes: 1
                })
            );
        }
        let directory = WorkspacePath::new("src").unwrap();
        assert_eq!(files.names(Some(&directory)).unwrap().len(), 500);
        // The snapshot, its root and the one directory.
        assert_eq!(counting.reads.get(), 3);
    }
}
