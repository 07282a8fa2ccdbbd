//! What of a snapshot stands in a workspace.

use std::collections::BTreeMap;

use super::WorkspaceError;
use crate::identity::{Domain, Identity};
use crate::path::WorkspacePath;
use crate::snapshot::manifest::Manifest;
use crate::snapshot::tree::Entry;
use crate::store::objects::ReadObjects;
use crate::store::stored::StoredObjects;

/// What has to stand in a workspace, and the links that are left out.
pub(super) fn target(
    objects: &StoredObjects<'_>,
    snapshot: &Identity,
    scratch: &[WorkspacePath],
) -> Result<(BTreeMap<WorkspacePath, Entry>, Vec<WorkspacePath>), WorkspaceError> {
    let mut target = Manifest::load(objects, snapshot)?.into_entries();
    let left_out = leave_out(objects, &mut target, scratch)?;
    Ok((target, left_out))
}

/// Takes out what a workspace does not hold: links that lead out of it, which are given back, and what lies in scratch.
pub(super) fn leave_out(
    objects: &StoredObjects<'_>,
    target: &mut BTreeMap<WorkspacePath, Entry>,
    scratch: &[WorkspacePath],
) -> Result<Vec<WorkspacePath>, WorkspaceError> {
    let links: Vec<_> = target
        .iter()
        .filter(|(_, entry)| entry.is_link())
        .map(|(path, entry)| (path.clone(), entry.blob()))
        .collect();
    let mut left_out = Vec::new();
    for (path, blob) in links {
        if link_escapes(&path, &objects.read(Domain::Blob, &blob)?) {
            target.remove(&path);
            left_out.push(path);
        }
    }
    target.retain(|path, _| !scratch.iter().any(|scratch| path.is_within(scratch)));
    Ok(left_out)
}

/// Whether the text of a link at `path` leads out of the workspace, by its letters alone.
pub fn link_escapes(path: &WorkspacePath, text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        // Bytes between slashes matter to no one here, but nobody can say what they mean elsewhere.
        return true;
    };
    if text.starts_with('/') {
        return true;
    }
    let mut depth = path.segments().count() - 1;
    for segment in text.split('/') {
        match segment {
            "" | "." => {}
            ".." => match depth.checked_sub(1) {
                Some(above) => depth = above,
                None => return true,
            },
            _ => depth += 1,
        }
    }
    false
}
