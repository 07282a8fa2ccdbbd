//! What a patch gives: its normal form and identities, the changes, the objects to store, and warnings.

use std::sync::Arc;

use lonis::canonical;
use serde::Serialize;
use serde_json::{Value, json};

use super::splice::Splice;
use super::work::Touched;
use crate::identity::{Domain, Identity};
use crate::path::WorkspacePath;
use crate::snapshot::change::{Change, ChangeSet};
use crate::snapshot::tree::Entry;

/// Something that the caller should know and that refuses nothing.
///
/// # Wire shape
/// `{"name", "path", "detail"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// `search-tier`, `hunk-offset`, `hunk-count`, `dropped-modifier` or `error-nodes`.
    pub name: &'static str,
    /// The file.
    pub path: WorkspacePath,
    /// What happened.
    pub detail: String,
}

/// One path before and after, with what was spliced.
///
/// # Wire shape
/// `{"path", "before", "after", "splices"?}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PatchChange {
    /// The path and both sides.
    #[serde(flatten)]
    pub change: Change,
    /// Splices of the blob before, where a file stood there before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub splices: Option<Vec<Splice>>,
}

/// What a patch gives.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The patch in normal form, as its canonical text.
    pub normal_form: String,
    /// The identity of the normal form.
    pub patch: Identity,
    /// The identity of each op of the normal form.
    pub op_identities: Vec<Identity>,
    /// Paths before and after.
    pub change_set: ChangeSet,
    /// The same with splices, ascending by path.
    pub changes: Vec<PatchChange>,
    /// Blobs that the normal form or the changes name and that the files before did not have.
    pub blobs: Vec<(Identity, Arc<[u8]>)>,
    /// What the caller should know.
    pub warnings: Vec<Warning>,
}

impl Outcome {
    pub(crate) fn new(
        ops: &[Value],
        touched: Vec<Touched>,
        mut blobs: Vec<(Identity, Arc<[u8]>)>,
        warnings: Vec<Warning>,
    ) -> Self {
        let identity = |domain, text: &str| Identity::of(domain, text.as_bytes());
        let op_identities = ops
            .iter()
            .map(|op| identity(Domain::PatchOp, &text(op)))
            .collect();
        let normal_form = text(&json!({ "schema": Domain::Patch.schema(), "ops": ops }));
        let mut changes = Vec::with_capacity(touched.len());
        for Touched {
            path,
            before,
            after,
            splices,
        } in touched
        {
            if let Some((entry, bytes)) = &after
                && before.as_ref().map(|(entry, _)| entry.blob()) != Some(entry.blob())
            {
                blobs.push((entry.blob(), Arc::clone(bytes)));
            }
            let entry = |side: Option<(Entry, Arc<[u8]>)>| side.map(|(entry, _)| entry);
            let change = Change {
                path,
                before: entry(before),
                after: entry(after),
            };
            changes.push(PatchChange { change, splices });
        }
        Self {
            patch: identity(Domain::Patch, &normal_form),
            normal_form,
            op_identities,
            change_set: ChangeSet::new(
                changes.iter().map(|change| change.change.clone()).collect(),
            ),
            changes,
            blobs,
            warnings,
        }
    }
}

fn text(value: &Value) -> String {
    canonical::text(value).expect("what was read from JSON has a canonical text")
}
