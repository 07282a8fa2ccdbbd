//! The files of a patch while its ops run: what stood there before, and what stands there now.

use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::definition::Parsed;
use super::document::PreImage;
use super::engine::Stop;
use super::failure::Failure;
use super::files::{Files, PathState};
use super::splice::{Edits, Splice, spliced};
use crate::identity::{Domain, Identity};
use crate::path::WorkspacePath;
use crate::snapshot::tree::{Entry, TreeError};

/// A file as it is now.
#[derive(Debug, Clone)]
pub(crate) struct WorkFile {
    /// Its bytes.
    pub(crate) bytes: Arc<[u8]>,
    /// Their identity.
    pub(crate) blob: Identity,
    /// Whether it may be executed.
    pub(crate) executable: bool,
    /// The bytes to which line numbers refer: those before the patch, or those that this patch made it with.
    pub(crate) lines_of: Arc<[u8]>,
    /// From those to the bytes now.
    pub(crate) edits: Edits,
    /// Whether the patch made it.
    pub(crate) is_made: bool,
    /// What was parsed of it, so that ops that follow each other read the file once.
    pub(crate) parsed: Option<Parsed>,
    /// Whether an op changed its text without looking at its syntax.
    pub(crate) is_text_edited: bool,
    /// The identity before the patch.
    origin: Option<Identity>,
}

impl WorkFile {
    /// A file that the patch makes.
    pub(crate) fn made(bytes: Arc<[u8]>, executable: bool) -> Self {
        Self {
            blob: Identity::of(Domain::Blob, &bytes),
            lines_of: Arc::clone(&bytes),
            bytes,
            executable,
            edits: Edits::default(),
            is_made: true,
            parsed: None,
            is_text_edited: false,
            origin: None,
        }
    }

    /// The text of a link that stood there before the patch, held to a `pre` like a file.
    pub(crate) fn of_link(text: Arc<[u8]>) -> Self {
        let mut link = Self::made(text, false);
        link.origin = Some(link.blob);
        link
    }

    /// Changes bytes.
    pub(crate) fn splice(&mut self, splices: &[Splice]) {
        if let Some(parsed) = &mut self.parsed {
            parsed.edit(&self.bytes, splices);
        }
        self.bytes = spliced(&self.bytes, splices).into();
        self.blob = Identity::of(Domain::Blob, &self.bytes);
        self.edits.add(splices);
    }

    /// Holds the file to the identity that an op gives for it.
    pub(crate) fn check_pre(&self, pre: Option<&PreImage>) -> Result<(), Failure> {
        let mismatch = |expected: String, observed: String| Failure::PreImage {
            what: "file",
            expected,
            observed,
            moved_to: None,
        };
        let observed = |shown: String| {
            self.origin
                .map_or_else(|| "made by this patch".to_owned(), |_| shown)
        };
        match pre {
            None => Ok(()),
            Some(PreImage::Blob(blob)) if self.origin == Some(*blob) => Ok(()),
            Some(PreImage::Blob(blob)) => {
                let seen = self
                    .origin
                    .map_or_else(String::new, |blob| format!("blob:{blob}"));
                Err(mismatch(format!("blob:{blob}"), observed(seen)))
            }
            Some(PreImage::Sha256(digits)) => {
                let seen = sha256(&self.lines_of);
                if self.origin.is_some() && seen == *digits {
                    return Ok(());
                }
                Err(mismatch(
                    format!("sha256:{digits}"),
                    observed(format!("sha256:{seen}")),
                ))
            }
        }
    }
}

/// The plain SHA-256 of bytes, as hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digits =
        |byte: u8| [byte >> 4, byte & 0xf].map(|half| char::from_digit(u32::from(half), 16));
    Sha256::digest(bytes)
        .iter()
        .flat_map(|byte| digits(*byte))
        .flatten()
        .collect()
}

/// What stands at a path now.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// Nothing, or something that no op touches.
    Absent,
    /// A file.
    File(WorkFile),
    /// A link.
    Link(Arc<[u8]>),
}

impl Node {
    fn entry(&self) -> Option<Entry> {
        match self {
            Self::Absent => None,
            Self::File(file) => Some(Entry::File {
                executable: file.executable,
                blob: file.blob,
                bytes: file.bytes.len() as u64,
            }),
            Self::Link(text) => Some(Entry::Link {
                blob: Identity::of(Domain::Blob, text),
                bytes: text.len() as u64,
            }),
        }
    }
}

/// One path that a patch touches.
#[derive(Debug)]
struct Slot {
    before: Option<(Entry, Arc<[u8]>)>,
    now: Node,
}

/// All paths that a patch touches.
#[derive(Debug)]
pub(crate) struct Work<'f, F> {
    /// The files before the patch.
    pub(crate) files: &'f F,
    slots: BTreeMap<WorkspacePath, Slot>,
}

/// One path before and after, with the bytes of both.
#[derive(Debug, Clone)]
pub(crate) struct Touched {
    pub(crate) path: WorkspacePath,
    pub(crate) before: Option<(Entry, Arc<[u8]>)>,
    pub(crate) after: Option<(Entry, Arc<[u8]>)>,
    /// Splices of the blob before, where the file was edited in place.
    pub(crate) splices: Option<Vec<Splice>>,
}

impl<'f, F: Files> Work<'f, F> {
    /// Nothing is touched yet.
    pub(crate) const fn new(files: &'f F) -> Self {
        Self {
            files,
            slots: BTreeMap::new(),
        }
    }

    fn slot(&mut self, path: &WorkspacePath) -> Result<&mut Slot, TreeError> {
        if !self.slots.contains_key(path) {
            let before = match self.files.state(path)? {
                PathState::Leaf(entry) => Some((entry, self.files.blob(&entry.blob())?)),
                _ => None,
            };
            let now = match &before {
                None => Node::Absent,
                Some((Entry::Link { .. }, text)) => Node::Link(Arc::clone(text)),
                Some((entry @ Entry::File { blob, .. }, bytes)) => Node::File(WorkFile {
                    bytes: Arc::clone(bytes),
                    blob: *blob,
                    executable: entry.is_executable(),
                    lines_of: Arc::clone(bytes),
                    edits: Edits::default(),
                    is_made: false,
                    parsed: None,
                    is_text_edited: false,
                    origin: Some(*blob),
                }),
            };
            self.slots.insert(path.clone(), Slot { before, now });
        }
        Ok(self.slots.get_mut(path).expect("the slot was just made"))
    }

    /// What stands at a path now.
    pub(crate) fn node(&mut self, path: &WorkspacePath) -> Result<&mut Node, TreeError> {
        Ok(&mut self.slot(path)?.now)
    }

    /// The file at a path now.
    pub(crate) fn file(&mut self, path: &WorkspacePath) -> Result<&mut WorkFile, Stop> {
        match self.node(path)? {
            Node::File(file) => Ok(file),
            Node::Link(_) => Err(Failure::PathState {
                expected: "file",
                actual: "link",
            }
            .into()),
            Node::Absent => Err(Failure::PathState {
                expected: "file",
                actual: "absent",
            }
            .into()),
        }
    }

    /// The files whose text was changed, each with its path now.
    pub(crate) fn text_edited(&self) -> impl Iterator<Item = (&WorkspacePath, &WorkFile)> {
        self.slots
            .iter()
            .filter_map(|(path, slot)| match &slot.now {
                Node::File(file) if file.is_text_edited => Some((path, file)),
                _ => None,
            })
    }

    /// What differs now, ascending by path.
    pub(crate) fn touched(self) -> Vec<Touched> {
        let mut touched = Vec::new();
        for (path, slot) in self.slots {
            let entry = slot.now.entry();
            if entry == slot.before.as_ref().map(|(entry, _)| *entry) {
                continue;
            }
            let bytes = match &slot.now {
                Node::Absent => None,
                Node::File(file) => Some(Arc::clone(&file.bytes)),
                Node::Link(text) => Some(Arc::clone(text)),
            };
            let splices = match (&slot.now, &slot.before) {
                (Node::File(file), Some((Entry::File { blob, .. }, bytes))) => {
                    Some(if file.origin == Some(*blob) && !file.is_made {
                        file.edits.minimal(bytes)
                    } else {
                        let mut splices = Vec::new();
                        let whole = Splice::new(0..bytes.len(), file.bytes.to_vec());
                        super::splice::refine(bytes, &whole, &mut splices);
                        splices
                    })
                }
                _ => None,
            };
            touched.push(Touched {
                path,
                before: slot.before,
                after: entry.zip(bytes),
                splices,
            });
        }
        touched
    }
}
