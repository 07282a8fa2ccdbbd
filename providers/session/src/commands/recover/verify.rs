//! The whole store read again: what is damaged, and nowhere else whole, is named, and put back where the live tree has it.

use lonis_diagnostics::{Code, Failure};
use serde::Serialize;
use serde_json::json;

use crate::commands::begin::read_policy;
use crate::commands::place::Place;
use crate::diagnose::During;
use crate::engine::Record;
use crate::identity::{Domain, Identity};
use crate::session_id::SessionId;
use crate::snapshot::capture::{self, Capture};
use crate::snapshot::stat_cache::StatCache;
use crate::store::log::{self, Log, LogError};
use crate::store::objects::{ObjectMap, ReadObjects as _};
use crate::store::segment::{Damage, SegmentError, WriteError};
use crate::store::stored::StoredObjects;

/// Something that does not read as what it was stored as.
#[derive(Debug, Serialize)]
pub(super) struct Damaged {
    /// The segment that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    segment: Option<String>,
    /// The session whose log it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    /// The object; `None` where the whole segment does not read.
    #[serde(flatten)]
    object: Option<Object>,
    /// What is wrong.
    reason: String,
    /// Whether it is whole again.
    repaired: bool,
}

#[derive(Debug, Serialize)]
struct Object {
    domain: &'static str,
    identity: Identity,
}

/// Reads every object and every log, puts back what the live tree has the bytes of, and lists all damage.
pub(super) fn check(place: &Place<'_>) -> Result<Vec<Damaged>, Failure> {
    let during = place.during;
    let mut store = StoredObjects::open(&place.disk).map_err(|error| during.fail(error))?;
    let in_segments = objects(&store);
    let live = (!in_segments.is_empty()).then(|| Live::of(place));
    let mut restored = ObjectMap::new();
    let mut damaged: Vec<Damaged> = store.unusable().iter().map(unusable).collect();
    damaged.extend(segments(&store));
    for (segment, damage) in in_segments {
        let bytes = live
            .as_ref()
            .and_then(|live| live.bytes(place, damage.domain, &damage.identity));
        damaged.push(Damaged {
            segment: Some(segment),
            session: None,
            object: Some(object(damage.domain, damage.identity)),
            reason: match damage.observed {
                Some(observed) => format!("its bytes are those of `{observed}`"),
                None => "its bytes are cut short".to_owned(),
            },
            repaired: bytes.is_some(),
        });
        if let Some(bytes) = bytes {
            restored.add(damage.domain, bytes);
        }
    }
    store.add(&restored).map_err(|error| during.fail(error))?;
    put_aside(&mut store, &damaged).map_err(|error| during.fail(error))?;
    damaged.extend(logs(place)?);
    Ok(damaged)
}

/// Damaged objects with their segments, of which no other copy is whole.
fn objects(store: &StoredObjects<'_>) -> Vec<(String, Damage)> {
    let mut found = Vec::new();
    for segment in store.segments() {
        // One that cannot be checked is told as a whole.
        for damage in segment.verify(store.disk()).unwrap_or_default() {
            if !store.is_whole(damage.domain, &damage.identity) {
                found.push((segment.path().to_owned(), damage));
            }
        }
    }
    found
}

/// Segments that cannot be checked.
fn segments(store: &StoredObjects<'_>) -> Vec<Damaged> {
    let errors = store
        .segments()
        .iter()
        .filter_map(|segment| segment.verify(store.disk()).err());
    errors.map(|error| unusable(&error)).collect()
}

/// Moves segments with damage to quarantine once every object of theirs is whole elsewhere. One that holds the only trace of
/// an object stays, so that its damage is told again.
fn put_aside(store: &mut StoredObjects<'_>, damaged: &[Damaged]) -> Result<(), WriteError> {
    if damaged.iter().any(|one| !one.repaired) {
        return Ok(());
    }
    match store.verify() {
        Ok(found) if !found.segments.is_empty() => store.repair(&found, |_, _| None).map(|_| ()),
        // What cannot be read now was told above.
        _ => Ok(()),
    }
}

/// Sessions whose log does not verify.
fn logs(place: &Place<'_>) -> Result<Vec<Damaged>, Failure> {
    let ids = log::sessions(&place.disk).map_err(|error| {
        let diagnostic = place
            .during
            .diagnostic(Code::IoRead, "sessions cannot be listed");
        Failure::from(diagnostic.with("os_error", error.to_string()))
    })?;
    let mut damaged = Vec::new();
    for id in ids {
        let reason = match Log::read(&place.disk, &id) {
            Ok(log) => match Record::fold(log.events()) {
                Ok(_) => continue,
                Err(error) => error.to_string(),
            },
            Err(error @ LogError::Invalid { .. }) => error.to_string(),
            Err(error) => return Err(place.during.fail(error)),
        };
        damaged.push(Damaged {
            segment: None,
            session: Some(id),
            object: None,
            reason,
            repaired: false,
        });
    }
    Ok(damaged)
}

/// The live tree as a source of bytes.
struct Live(Option<Capture>);

impl Live {
    /// Captures the tree; where it cannot be, nothing is restored from it.
    fn of(place: &Place<'_>) -> Self {
        let rules = read_policy(place)
            .ok()
            .and_then(|(policy, _)| policy.file_rules().ok());
        // Every file is read: what is known of them may be what is damaged.
        Self(
            rules.and_then(|rules| {
                capture::look(&place.live, &rules, &StatCache::default(), None).ok()
            }),
        )
    }

    /// The bytes of an object, if the tree has them.
    fn bytes(&self, place: &Place<'_>, domain: Domain, identity: &Identity) -> Option<Vec<u8>> {
        let capture = self.0.as_ref()?;
        if domain != Domain::Blob {
            return capture.objects().read(domain, identity).ok();
        }
        let (path, entry) = capture
            .entries()
            .find(|(_, entry)| entry.blob() == *identity)?;
        let bytes = if entry.is_link() {
            place.live.link_text(path.as_str()).ok()?
        } else {
            place.live.read(path.as_str(), entry.bytes()).ok()??
        };
        (Identity::of(domain, &bytes) == *identity).then_some(bytes)
    }
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
        segment: Some(path.clone()),
        session: None,
        object: None,
        reason: error.to_string(),
        repaired: false,
    }
}

/// Damage that stays is never a success.
pub(super) fn refusal(damaged: &[Damaged], during: During<'_>) -> Option<Failure> {
    let mut left = damaged.iter().filter(|one| !one.repaired);
    let first = left.next()?;
    let count = left.count() + 1;
    let name = match (&first.object, &first.segment, &first.session) {
        (Some(object), ..) => format!("{} {}", object.domain, object.identity),
        (None, Some(segment), _) => segment.clone(),
        (None, None, session) => format!("the log of {}", json!(session)),
    };
    let message = format!("{count} damaged in the store, `{name}` first");
    let diagnostic = during.diagnostic(Code::SessionSnapshotMismatch, message);
    let diagnostic = match &first.object {
        Some(object) => diagnostic.with("identity", object.identity.to_string()),
        None => diagnostic,
    };
    Some(diagnostic.with("observed", first.reason.clone()).into())
}
