//! Files in memory, as a patch sees them.

use std::collections::BTreeMap;
use std::sync::Arc;

use lonis_session::identity::{Domain, Identity};
use lonis_session::patch::document::Document;
use lonis_session::patch::engine::{Rules, StageError, stage};
use lonis_session::patch::files::{Files, PathState};
use lonis_session::patch::outcome::Outcome;
use lonis_session::patch::report::Report;
use lonis_session::path::WorkspacePath;
use lonis_session::snapshot::tree::{Entry, TreeError};
use serde_json::{Value, json};

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stands {
    /// A file: whether it may be executed, and its bytes.
    File(bool, Vec<u8>),
    /// A link and its text.
    Link(String),
}

impl Stands {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::File(_, bytes) => bytes,
            Self::Link(text) => text.as_bytes(),
        }
    }

    fn entry(&self) -> Entry {
        let blob = Identity::of(Domain::Blob, self.bytes());
        let bytes = self.bytes().len() as u64;
        match self {
            Self::File(executable, _) => Entry::File {
                executable: *executable,
                blob,
                bytes,
            },
            Self::Link(_) => Entry::Link { blob, bytes },
        }
    }
}

/// A tree of files and links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Memory(pub(crate) BTreeMap<String, Stands>);

impl Memory {
    /// One file that may not be executed.
    pub(crate) fn file(path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self(BTreeMap::from([(
            path.to_owned(),
            Stands::File(false, bytes.into()),
        )]))
    }

    /// The bytes of a file.
    pub(crate) fn bytes(&self, path: &str) -> &[u8] {
        self.0[path].bytes()
    }

    /// The tree after one op on a file.
    pub(crate) fn sent(&self, path: &str, op: &Value) -> Result<Self, Vec<Report>> {
        let mut op = op.clone();
        op["path"] = json!(path);
        let document =
            json!({"schema": "genesis/semantic-patch-v0.2", "intent": "a test", "ops": [op]});
        let document = Document::read(&document).unwrap();
        match stage(self, &Rules::default(), &document.ops) {
            Ok(outcome) => Ok(self.after(&outcome)),
            Err(StageError::Refused { reports, .. }) => Err(reports),
            Err(error) => panic!("{error}"),
        }
    }

    /// The tree after a patch.
    pub(crate) fn after(&self, outcome: &Outcome) -> Self {
        let mut tree = self.clone();
        for change in outcome.changes.iter().map(|change| &change.change) {
            let kept = tree.0.remove(change.path.as_str());
            let Some(entry) = change.after else { continue };
            let made = outcome.blobs.iter().find(|(blob, _)| *blob == entry.blob());
            let bytes = made.map_or_else(
                || kept.expect("the blob is that before").bytes().to_vec(),
                |(_, bytes)| bytes.to_vec(),
            );
            let stands = match entry {
                Entry::File { executable, .. } => Stands::File(executable, bytes),
                Entry::Link { .. } => Stands::Link(String::from_utf8(bytes).unwrap()),
            };
            tree.0.insert(change.path.to_string(), stands);
        }
        tree
    }
}

impl Files for Memory {
    fn state(&self, path: &WorkspacePath) -> Result<PathState, TreeError> {
        let below = format!("{path}/");
        Ok(match self.0.get(path.as_str()) {
            Some(stands) => PathState::Leaf(stands.entry()),
            None if self.0.keys().any(|name| name.starts_with(&below)) => PathState::Directory,
            None => PathState::Absent,
        })
    }

    fn blob(&self, blob: &Identity) -> Result<Arc<[u8]>, TreeError> {
        let mut all = self.0.values().map(Stands::bytes);
        let found = all.find(|bytes| Identity::of(Domain::Blob, bytes) == *blob);
        Ok(found.expect("the blob of a file").into())
    }

    fn names(&self, directory: Option<&WorkspacePath>) -> Result<Vec<Box<str>>, TreeError> {
        let below = directory.map_or_else(String::new, |directory| format!("{directory}/"));
        let names = self.0.keys().filter_map(|name| name.strip_prefix(&below));
        let mut names: Vec<Box<str>> = names
            .filter_map(|name| name.split('/').next().map(Into::into))
            .collect();
        names.dedup();
        Ok(names)
    }
}
