use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::identity::{Domain, Identity};
use crate::patch::diff::{DiffError, import};
use crate::patch::document::{Document, DocumentError, Rounded};
use crate::patch::engine::{Rules, StageError, stage, stage_diff};
use crate::patch::files::{Files, PathState};
use crate::patch::outcome::{Outcome, PatchChange};
use crate::patch::report::Report;
use crate::path::WorkspacePath;
use crate::snapshot::tree::{Entry, TreeError};

/// Files in memory; a link is given as `-> target`, an executable file by a path that ends in `*`.
#[derive(Debug, Clone, Default)]
pub(super) struct MemoryFiles(BTreeMap<String, (bool, bool, Arc<[u8]>)>);

impl MemoryFiles {
    pub(super) fn new<B: AsRef<[u8]>>(files: &[(&str, B)]) -> Self {
        let file = |(path, content): &(&str, B)| {
            let content = content.as_ref();
            let link = content.strip_prefix(b"-> ");
            let name = path.trim_end_matches('*').to_owned();
            (
                name,
                (
                    link.is_some(),
                    path.ends_with('*'),
                    link.unwrap_or(content).into(),
                ),
            )
        };
        Self(files.iter().map(file).collect())
    }

    /// The files as they are given to [`MemoryFiles::new`].
    fn shown(&self) -> BTreeMap<String, Vec<u8>> {
        let shown = |(name, (is_link, executable, bytes)): (&String, &(bool, bool, Arc<[u8]>))| {
            let mark = if *executable { "*" } else { "" };
            let lead: &[u8] = if *is_link { b"-> " } else { b"" };
            (format!("{name}{mark}"), [lead, bytes].concat())
        };
        self.0.iter().map(shown).collect()
    }
}

impl Files for MemoryFiles {
    fn state(&self, path: &WorkspacePath) -> Result<PathState, TreeError> {
        let Some((is_link, executable, bytes)) = self.0.get(path.as_str()) else {
            let below = format!("{path}/");
            let is_directory = self.0.keys().any(|name| name.starts_with(&below));
            return Ok(if is_directory {
                PathState::Directory
            } else {
                PathState::Absent
            });
        };
        let blob = Identity::of(Domain::Blob, bytes);
        let length = bytes.len() as u64;
        Ok(PathState::Leaf(if *is_link {
            Entry::Link {
                blob,
                bytes: length,
            }
        } else {
            Entry::File {
                executable: *executable,
                blob,
                bytes: length,
            }
        }))
    }

    fn blob(&self, blob: &Identity) -> Result<Arc<[u8]>, TreeError> {
        let found = self
            .0
            .values()
            .find(|(_, _, bytes)| Identity::of(Domain::Blob, bytes) == *blob);
        Ok(Arc::clone(&found.expect("the blob of a file").2))
    }

    fn names(&self, directory: Option<&WorkspacePath>) -> Result<Vec<Box<str>>, TreeError> {
        let below = directory.map_or_else(String::new, |directory| format!("{directory}/"));
        let mut names: Vec<Box<str>> = self
            .0
            .keys()
            .filter_map(|name| name.strip_prefix(&below)?.split('/').next().map(Into::into))
            .collect();
        names.dedup();
        Ok(names)
    }
}

pub(super) fn blob(bytes: impl AsRef<[u8]>) -> String {
    format!("blob:{}", Identity::of(Domain::Blob, bytes.as_ref()))
}

pub(super) fn document(ops: &Value) -> Value {
    json!({ "schema": "genesis/semantic-patch-v0.2", "intent": "a test", "ops": ops })
}

pub(super) fn run(files: &MemoryFiles, ops: &Value) -> Result<Outcome, Vec<Report>> {
    run_text(files, &document(ops).to_string())
}

/// Stages a document that is read from its text.
pub(super) fn run_text(files: &MemoryFiles, text: &str) -> Result<Outcome, Vec<Report>> {
    let value = serde_json::from_str(text).unwrap();
    let document = Document::read(&value).map_err(|error| match error {
        DocumentError::Shape(failure) => vec![Report::new(0, "", "", failure)],
        DocumentError::Paths(reports) => reports,
    })?;
    let document = document.marking(&Rounded::of(text));
    stage(files, &Rules::default(), &document.ops).map_err(|error| match error {
        StageError::Refused { reports, .. } => reports,
        StageError::Files(error) => panic!("{error}"),
    })
}

/// Stages a diff.
pub(super) fn run_diff(files: &MemoryFiles, diff: &str) -> Result<Outcome, Vec<Report>> {
    let imported = import(files, diff).map_err(|error| match error {
        DiffError::Shape(failure) => vec![Report::new(0, "diff", "", *failure)],
        DiffError::Files(error) => panic!("{error}"),
    })?;
    stage_diff(files, &Rules::default(), imported).map_err(|error| match error {
        StageError::Refused { reports, .. } => reports,
        StageError::Files(error) => panic!("{error}"),
    })
}

/// The files after a patch, each as it is given to [`MemoryFiles::new`].
pub(super) fn after(files: &MemoryFiles, outcome: &Outcome) -> BTreeMap<String, Vec<u8>> {
    let mut after = files.shown();
    for PatchChange { change, .. } in &outcome.changes {
        let path = change.path.as_str();
        let old = [path.to_owned(), format!("{path}*")];
        let kept = old.iter().find_map(|name| after.remove(name));
        let Some(entry) = change.after else { continue };
        let made = outcome.blobs.iter().find(|(blob, _)| *blob == entry.blob());
        let bytes = made.map_or_else(
            || kept.expect("the blob is there"),
            |(_, bytes)| bytes.to_vec(),
        );
        match entry {
            Entry::Link { .. } => {
                after.insert(path.to_owned(), [b"-> ".as_slice(), &bytes].concat())
            }
            Entry::File {
                executable: true, ..
            } => after.insert(format!("{path}*"), bytes),
            Entry::File { .. } => after.insert(path.to_owned(), bytes),
        };
    }
    after
}

/// Runs ops on one file `f` with the given extension and gives its bytes afterwards, or the codes.
pub(super) fn on_file(
    name: &str,
    before: impl AsRef<[u8]>,
    ops: &Value,
) -> Result<Vec<u8>, Vec<String>> {
    let before = before.as_ref();
    let files = MemoryFiles::new(&[(name, before)]);
    let outcome = run(&files, ops);
    let outcome = outcome.map_err(|reports| {
        reports
            .iter()
            .map(|report| report.failure.code().to_owned())
            .collect::<Vec<_>>()
    })?;
    let [change] = outcome.changes.as_slice() else {
        panic!("one file changes")
    };
    let after = change.change.after.expect("the file stays").blob();
    let (_, bytes) = outcome
        .blobs
        .iter()
        .find(|(blob, _)| *blob == after)
        .expect("the new blob is there");
    let splices = change.splices.as_ref().expect("a file is spliced");
    assert_eq!(
        crate::patch::splice::spliced(before, splices),
        **bytes,
        "splices of the base give the blob after"
    );
    Ok(bytes.to_vec())
}

/// One case: what the file becomes, or the code of the first report.
pub(super) fn check(name: &str, before: impl AsRef<[u8]>, op: Value, expected: Result<&str, &str>) {
    let mut op = op;
    op["path"] = json!(name);
    let shown = op.to_string();
    let got = on_file(name, before, &json!([op]));
    let got = got
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .map_err(|codes| codes[0].clone());
    assert_eq!(got.as_deref().map_err(String::as_str), expected, "{shown}");
}
