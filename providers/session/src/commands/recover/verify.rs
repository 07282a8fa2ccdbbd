//! The whole store read again: what is damaged, and nowhere else whole, is named.

use lonis_diagnostics::{Code, Failure};
use serde::Serialize;

use crate::diagnose::During;
use crate::identity::{Domain, Identity};
use crate::store::disk::Disk;
use crate::store::segment::SegmentError;
use crate::store::stored::StoredObjects;

/// Something that does not read as what it was stored as.
#[derive(Debug, Serialize)]
pub(super) struct Damaged {
    /// The segment that holds it.
    segment: String,
    /// The object; `None` where the whole segment does not read.
    #[serde(flatten)]
    object: Option<Object>,
    /// What is wrong.
    reason: String,
}

#[derive(Debug, Serialize)]
struct Object {
    domain: &'static str,
    identity: Identity,
}

/// Reads every object, and lists the damaged ones of which no other copy is whole.
pub(super) fn damaged(disk: &dyn Disk, during: During<'_>) -> Result<Vec<Damaged>, Failure> {
    let store = StoredObjects::open(disk).map_err(|error| during.fail(error))?;
    let mut damaged: Vec<Damaged> = store.unusable().iter().map(unusable).collect();
    for segment in store.segments() {
        let found = match segment.verify(disk) {
            Ok(found) => found,
            Err(error) => {
                damaged.push(unusable(&error));
                continue;
            }
        };
        for damage in found {
            if store.is_whole(damage.domain, &damage.identity) {
                continue;
            }
            damaged.push(Damaged {
                segment: segment.path().to_owned(),
                object: Some(object(damage.domain, damage.identity)),
                reason: match damage.observed {
                    Some(observed) => format!("its bytes are those of `{observed}`"),
                    None => "its bytes are cut short".to_owned(),
                },
            });
        }
    }
    Ok(damaged)
}

fn object(domain: Domain, identity: Identity) -> Object {
    Object {
        domain: domain.name(),
        identity,
    }
}

fn unusable(error: &SegmentError) -> Damaged {
    let (SegmentError::Damaged { path, .. } | SegmentError::Read { path, .. }) = error;
    Damaged {
        segment: path.clone(),
        object: None,
        reason: error.to_string(),
    }
}

/// Damage is never a success.
pub(super) fn refusal(first: &Damaged, count: usize, during: During<'_>) -> Failure {
    let name = match &first.object {
        Some(object) => format!("{} {}", object.domain, object.identity),
        None => first.segment.clone(),
    };
    let message = format!("{count} damaged in the store, `{name}` first");
    let diagnostic = during.diagnostic(Code::SessionSnapshotMismatch, message);
    let diagnostic = match &first.object {
        Some(object) => diagnostic.with("identity", object.identity.to_string()),
        None => diagnostic,
    };
    diagnostic.with("observed", first.reason.clone()).into()
}
