//! `diff`: what differs between two states of a session.

mod unified;

use lonis_diagnostics::{Code, Failure};
use serde_json::{Value, json};

use super::Surroundings;
use super::left_out::LeftOut;
use super::place::{Place, Session, shown};
use crate::diagnose::During;
use crate::identity::{Domain, Identity};
use crate::path::WorkspacePath;
use crate::request::{Request, page};
use crate::snapshot::capture;
use crate::snapshot::change::{Change, difference};
use crate::snapshot::manifest;
use crate::snapshot::stat_cache::StatCache;
use crate::snapshot::tree::{Entry, Snapshot};
use crate::store::objects::{Layered, ObjectMap, ReadObjects};
use crate::store::stored::StoredObjects;

/// Changes of one page.
const PAGE: usize = 500;
/// The most bytes of a unified text in one result.
const MAX_TEXT_BYTES: usize = 256 * 1024;

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
    during: During<'_>,
) -> Result<Value, Failure> {
    let place = Place::open(request, surroundings, during)?;
    let session = place.session(request.session(during)?, request)?;
    let store = StoredObjects::open(&place.disk).map_err(|error| during.fail(error))?;
    let mut sides = Sides {
        place: &place,
        session: &session,
        store: &store,
        live: ObjectMap::new(),
    };
    let from = sides.state(request.from.as_deref().unwrap_or("base"))?;
    let to = sides.state(request.to.as_deref().unwrap_or("current"))?;
    let objects = Layered::new(&sides.live, &store);
    let mut changes = difference(&objects, &from, &to).map_err(|error| during.fail(error))?;
    let paths = request.workspace_paths(during)?;
    let mut left_out = Vec::new();
    if request.paths.is_some() {
        changes.retain(|change| paths.iter().any(|path| change.path.is_within(path)));
        left_out = sides.left_out(&objects, [&from, &to], &paths)?;
    }
    let page = page(changes, request.cursor.as_deref(), PAGE, during)?;
    let mut data = json!({
        "transaction": shown(&session.record),
        "changes": page.items,
        "next_cursor": page.next_cursor,
    });
    if !left_out.is_empty() {
        data["left_out"] = left_out.into();
    }
    if request.format.as_deref() == Some("unified") {
        let live = Content {
            place: &place,
            objects: &objects,
        };
        data["text"] = live.unified(&page.items, during)?.into();
    }
    Ok(data)
}

/// The states that a comparison may name.
struct Sides<'a> {
    place: &'a Place<'a>,
    session: &'a Session,
    store: &'a StoredObjects<'a>,
    /// Trees of the live tree, which are stored nowhere.
    live: ObjectMap,
}

impl Sides<'_> {
    fn state(&mut self, word: &str) -> Result<Identity, Failure> {
        let record = &self.session.record;
        match word {
            "base" => return Ok(record.base_snapshot),
            "current" => return Ok(record.current_snapshot),
            "live" => return self.live_tree(),
            _ => {}
        }
        if let Some(number) = word.strip_prefix("attempt:") {
            let attempt = record
                .attempts
                .iter()
                .find(|attempt| attempt.attempt.to_string() == number);
            return attempt
                .map(|attempt| attempt.patch.after_snapshot)
                .ok_or_else(|| self.unknown(word));
        }
        let identity: Identity = word.parse().map_err(|_| self.unknown(word))?;
        match Snapshot::load(self.store, &identity) {
            Ok(_) => Ok(identity),
            Err(_) => Err(self.unknown(word)),
        }
    }

    fn live_tree(&mut self) -> Result<Identity, Failure> {
        let during = self.place.during;
        let policy = self.place.policy(&self.session.record, self.store)?;
        let rules = policy.file_rules().map_err(|error| during.fail(error))?;
        let cache = StatCache::load(&self.place.disk);
        let captured = capture::look(&self.place.live, &rules, &cache, Some(self.store))
            .map_err(|error| during.fail(error))?;
        self.live.extend(captured.objects().clone());
        Ok(captured.identity)
    }

    /// The asked paths that neither side holds because the policy leaves them out, each with why: of them no difference is known.
    fn left_out(
        &self,
        objects: &impl ReadObjects,
        sides: [&Identity; 2],
        paths: &[WorkspacePath],
    ) -> Result<Vec<Value>, Failure> {
        let during = self.place.during;
        let policy = self.place.policy(&self.session.record, self.store)?;
        let rules = policy.file_rules().map_err(|error| during.fail(error))?;
        let left_out = LeftOut::new(&self.place.live, rules);
        let mut found = Vec::new();
        for path in paths {
            let held = sides.map(|side| manifest::lookup(objects, side, path));
            let held: Vec<_> = held
                .into_iter()
                .collect::<Result<_, _>>()
                .map_err(|error| during.fail(error))?;
            if held.iter().any(Option::is_some) {
                continue;
            }
            if let Some(reason) = left_out.reason(path) {
                found.push(json!({"path": path, "reason": reason}));
            }
        }
        Ok(found)
    }

    fn unknown(&self, word: &str) -> Failure {
        let during = self.place.during;
        let diagnostic = during.diagnostic(
            Code::SessionNotFound,
            format!("session `{}` has no state `{word}`", self.session.id),
        );
        diagnostic.with("ref", word).into()
    }
}

/// Where the bytes of a comparison come from: the store, else the live tree.
struct Content<'a, O> {
    place: &'a Place<'a>,
    objects: &'a O,
}

impl<O: ReadObjects> Content<'_, O> {
    fn unified(&self, changes: &[Change], during: During<'_>) -> Result<String, Failure> {
        let mut text = String::new();
        for change in changes {
            let before = self.side(change, change.before.as_ref(), during)?;
            let after = self.side(change, change.after.as_ref(), during)?;
            let part = unified::text_of(change, before.as_deref(), after.as_deref());
            if text.len() + part.len() > MAX_TEXT_BYTES {
                text.push_str("# further changes are left out: ask for their paths\n");
                break;
            }
            text.push_str(&part);
        }
        Ok(text)
    }

    fn side(
        &self,
        change: &Change,
        entry: Option<&Entry>,
        during: During<'_>,
    ) -> Result<Option<Vec<u8>>, Failure> {
        let Some(entry) = entry else {
            return Ok(None);
        };
        let stored = self.objects.read(Domain::Blob, &entry.blob());
        if let Ok(bytes) = stored {
            return Ok(Some(bytes));
        }
        let path = change.path.as_str();
        let live = if entry.is_link() {
            self.place.live.link_text(path).map(Some)
        } else {
            self.place.live.read(path, entry.bytes())
        };
        let is_it = |bytes: &Vec<u8>| Identity::of(Domain::Blob, bytes) == entry.blob();
        match live.ok().flatten().filter(is_it) {
            Some(bytes) => Ok(Some(bytes)),
            None => stored.map(Some).map_err(|error| during.fail(error)),
        }
    }
}
