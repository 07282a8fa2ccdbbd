//! Passed results of earlier runs, found through the logs of the store.

use std::collections::BTreeSet;

use crate::commands::place::{Place, Session};
use crate::event::{Event, Fact};
use crate::evidence::reuse::Circumstances;
use crate::evidence::{Evidence, ObligationResult};
use crate::identity::{Domain, Identity};
use crate::obligation::Past;
use crate::policy::Obligation;
use crate::store::log::{self, Log};
use crate::store::stored::StoredObjects;

/// The most pieces of evidence that are opened for one obligation.
const MAX_OPENED: usize = 1024;

/// The logs of a store: the session's own first, the newest line first.
pub(super) struct Logs<'a> {
    pub(super) place: &'a Place<'a>,
    pub(super) session: &'a Session,
    pub(super) store: &'a StoredObjects<'a>,
}

impl Past for Logs<'_> {
    fn find(
        &self,
        obligation: &Obligation,
        snapshot: &Identity,
        circumstances: &Circumstances,
    ) -> Option<(ObligationResult, Identity)> {
        let key = circumstances.key(self.store, snapshot, obligation)?;
        let mut opened = BTreeSet::new();
        if let Some(found) = self.among(
            self.session.log.events(),
            (obligation, circumstances, &key),
            &mut opened,
        ) {
            return Some(found);
        }
        // A store whose sessions cannot be listed only costs the time of a run.
        let others = log::sessions(&self.place.disk).unwrap_or_default();
        let others = others.into_iter().filter(|id| *id != self.session.id);
        others
            .filter_map(|id| Log::read(&self.place.disk, &id).ok())
            .find_map(|log| {
                self.among(log.events(), (obligation, circumstances, &key), &mut opened)
            })
    }
}

impl Logs<'_> {
    fn among(
        &self,
        events: &[Event],
        (obligation, circumstances, key): (&Obligation, &Circumstances, &Identity),
        opened: &mut BTreeSet<Identity>,
    ) -> Option<(ObligationResult, Identity)> {
        for identity in events.iter().rev().filter_map(evidence_of) {
            if opened.len() == MAX_OPENED || !opened.insert(identity) {
                continue;
            }
            let Ok(evidence) = Evidence::read(self.store, &identity) else {
                continue;
            };
            // The run itself is taken, never what was taken over from it.
            let ran = evidence.results.into_iter().find(|result| {
                result.name == obligation.name && result.ok && result.reused_from.is_none()
            });
            let Some(ran) = ran.filter(|ran| Circumstances::of(ran) == *circumstances) else {
                continue;
            };
            let outputs = [&ran.stdout, &ran.stderr];
            let is_kept = outputs
                .iter()
                .all(|output| self.store.is_whole(Domain::Blob, &output.blob));
            let then = circumstances.key(self.store, &evidence.snapshot, obligation);
            if is_kept && then == Some(*key) {
                return Some((ran, identity));
            }
        }
        None
    }
}

/// The evidence that an event names.
fn evidence_of(event: &Event) -> Option<Identity> {
    match &event.fact {
        Fact::Staged(candidate) => candidate.evidence,
        Fact::Attempted(attempted) => attempted.candidate.evidence,
        Fact::Tested(tested) => Some(tested.evidence),
        Fact::Rebased(rebased) => Some(rebased.evidence),
        _ => None,
    }
}
