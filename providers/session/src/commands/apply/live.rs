//! The live tree beside the base of a session: what changed, and whether that is in the way.

use lonis_diagnostics::{Code, Failure};
use serde_json::{Value, json};

use crate::commands::place::{Place, Session};
use crate::diagnose::During;
use crate::file_set::POLICY_FILE;
use crate::identity::Identity;
use crate::policy::{Policy, RebaseWord};
use crate::request::Request;
use crate::snapshot::capture;
use crate::snapshot::change::{Change, difference};
use crate::snapshot::stat_cache::StatCache;
use crate::store::disk::Kind;
use crate::store::objects::{Layered, ObjectMap};
use crate::store::stored::StoredObjects;

/// What the live tree is, compared with a base.
#[derive(Debug)]
pub(super) struct Live {
    /// Its snapshot.
    pub(super) snapshot: Identity,
    /// Changes that meet those of the session, as rows of a result.
    overlapping: Vec<Value>,
    /// The others.
    pub(super) disjoint: Vec<Change>,
}

impl Live {
    /// Captures the live tree; its content is stored where the session may have to stand on it.
    pub(super) fn compare(
        place: &Place<'_>,
        session: &Session,
        policy: &Policy,
        store: &mut StoredObjects<'_>,
        changes: &[Change],
        request: &Request,
    ) -> Result<Self, Failure> {
        let during = place.during;
        let rules = policy.file_rules().map_err(|error| during.fail(error))?;
        let cache = if request.fresh {
            StatCache::default()
        } else {
            StatCache::load(&place.disk)
        };
        let captured = match request.rebase {
            RebaseWord::Never => capture::look(&place.live, &rules, &cache, Some(store)),
            RebaseWord::Disjoint => {
                capture::store(&place.live, &rules, &cache, store, &ObjectMap::new())
            }
        }
        .map_err(|error| during.fail(error))?;
        let objects = Layered::new(captured.objects(), &*store);
        let live = difference(&objects, &session.record.base_snapshot, &captured.identity)
            .map_err(|error| during.fail(error))?;
        let meets = |change: &Change| {
            change.path.as_str() == POLICY_FILE
                || changes
                    .iter()
                    .any(|own| own.path.is_within(&change.path) || change.path.is_within(&own.path))
        };
        let (met, disjoint): (Vec<Change>, Vec<Change>) = live.into_iter().partition(meets);
        let mut overlapping: Vec<Value> = met.iter().map(row).collect();
        for own in changes.iter().filter(|own| own.before.is_none()) {
            let is_named = met.iter().any(|change| change.path == own.path);
            if !is_named && stands(place, own) {
                overlapping
                    .push(json!({"path": own.path, "expected": null, "observed": "not captured"}));
            }
        }
        Ok(Self {
            snapshot: captured.identity,
            overlapping,
            disjoint,
        })
    }

    /// Whether the session can be moved onto the live tree, and has to be.
    pub(super) fn may_be_joined(&self, rebase: RebaseWord) -> bool {
        rebase == RebaseWord::Disjoint && self.overlapping.is_empty() && !self.disjoint.is_empty()
    }

    /// Refuses a live tree that is not the base.
    pub(super) fn check(&self, session: &Session, during: During<'_>) -> Result<(), Failure> {
        let count = self.overlapping.len() + self.disjoint.len();
        if count == 0 {
            return Ok(());
        }
        let disjoint: Vec<Value> = self.disjoint.iter().map(row).collect();
        let noun = if count == 1 { "path" } else { "paths" };
        let diagnostic = during.diagnostic(
            Code::SessionStaleBase,
            format!("{count} {noun} changed since the base of `{}`", session.id),
        );
        Err(diagnostic
            .with("overlapping", self.overlapping.clone())
            .with("disjoint", disjoint)
            .into())
    }
}

fn row(change: &Change) -> Value {
    json!({"path": change.path, "expected": change.before, "observed": change.after})
}

/// Whether anything but a directory stands where the session creates a path: what the ignore rules leave out of a capture may.
fn stands(place: &Place<'_>, own: &Change) -> bool {
    match place.live.look(own.path.as_str()) {
        Ok(look) => look.is_some_and(|look| look.kind != Kind::Directory),
        // What cannot be looked at is refused where it is swapped.
        Err(_) => false,
    }
}
