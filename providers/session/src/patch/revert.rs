//! The inverse of changes that were applied, as ops: each path goes back to what stood there before.

use std::sync::Arc;

use super::document::{Action, Content, Op, PreImage};
use crate::identity::{Domain, Identity};
use crate::path::WorkspacePath;
use crate::snapshot::change::Change;
use crate::snapshot::tree::{Entry, TreeError};
use crate::store::objects::ReadObjects;

/// Makes the ops that undo changes; each names the state that the change left, and so fits no other.
///
/// # Errors
/// An object of the state before that cannot be had.
pub fn inverse(objects: &impl ReadObjects, changes: &[Change]) -> Result<Vec<Op>, TreeError> {
    let mut removed = Vec::new();
    let mut others = Vec::new();
    for Change {
        path,
        before,
        after,
    } in changes
    {
        if let (Some(before @ Entry::File { .. }), Some(after @ Entry::File { .. })) =
            (before, after)
        {
            others.extend(replaced(objects, path, before, after)?);
            continue;
        }
        if let Some(after) = after {
            removed.push(op(path, Some(after.blob()), Action::DeleteFile));
        }
        if let Some(before) = before {
            others.push(made(objects, path, before)?);
        }
    }
    // What is made may stand where something is removed, or where its parent is.
    removed.extend(others);
    Ok(removed)
}

fn op(path: &WorkspacePath, pre: Option<Identity>, action: Action) -> Op {
    Op {
        path: path.clone(),
        pre: pre.map(PreImage::Blob),
        action,
        sent: None,
    }
}

fn replaced(
    objects: &impl ReadObjects,
    path: &WorkspacePath,
    before: &Entry,
    after: &Entry,
) -> Result<Vec<Op>, TreeError> {
    let mut ops = Vec::new();
    let pre = Some(after.blob());
    if before.blob() != after.blob() {
        let content = bytes(objects, before)?.to_vec();
        ops.push(op(path, pre, Action::ReplaceFile { content }));
    }
    if before.is_executable() != after.is_executable() {
        let executable = before.is_executable();
        ops.push(op(path, pre, Action::SetExecutable { executable }));
    }
    Ok(ops)
}

fn made(objects: &impl ReadObjects, path: &WorkspacePath, before: &Entry) -> Result<Op, TreeError> {
    let bytes = bytes(objects, before)?;
    let content = match before {
        Entry::Link { .. } => Content::Link(String::from_utf8_lossy(&bytes).into_owned()),
        Entry::File { .. } => Content::Bytes(bytes.to_vec()),
    };
    let executable = before.is_executable();
    Ok(op(
        path,
        None,
        Action::CreateFile {
            content,
            executable,
        },
    ))
}

fn bytes(objects: &impl ReadObjects, entry: &Entry) -> Result<Arc<[u8]>, TreeError> {
    Ok(objects.read(Domain::Blob, &entry.blob())?.into())
}
