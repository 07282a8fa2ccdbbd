//! `gc`: what no session needs any more is planned, shown, and removed where that is asked for.

use std::io;

use lonis_diagnostics::{Code, Failure};
use serde_json::{Value, json};

use super::Surroundings;
use super::begin::read_policy;
use super::place::Place;
use super::{record_file, recover};
use crate::diagnose::During;
use crate::engine::{Record, Status};
use crate::event::{Event, Fact};
use crate::gc::{self, CollectError};
use crate::identity::{Domain, Identity};
use crate::policy::SessionRules;
use crate::request::Request;
use crate::session_id::SessionId;
use crate::snapshot::materialise::overlay::{self, MEMORY, VIEW, WORK};
use crate::snapshot::materialise::{MANIFEST, RUNNING, collect_frozen, remove_tree};
use crate::store::layout::{BASES, check_version, transaction};
use crate::store::lock::{Hold, Lock};
use crate::store::log::{self, Log};
use crate::store::stored::StoredObjects;

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// A session as far as collecting is concerned.
struct Known {
    id: SessionId,
    record: Record,
    events: Vec<Event>,
    is_live: bool,
}

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
    during: During<'_>,
) -> Result<Value, Failure> {
    let place = Place::open(request, surroundings, during)?;
    if !check_version(&place.disk).map_err(|error| during.fail(error))? {
        return Ok(json!({
            "live": 0, "dead": 0, "reclaim_bytes": 0, "roots": [], "samples": [], "removed": 0,
        }));
    }
    let (policy, _) = read_policy(&place)?;
    let keep = Keep::new(&policy.session, request.keep_days, surroundings);
    if request.dry_run.unwrap_or(true) {
        let _lock = place.lock_store(Hold::Shared)?;
        let known = sessions(&place, &keep)?;
        let store = StoredObjects::open(&place.disk).map_err(|error| during.fail(error))?;
        let plan = planned(&store, &known, during)?;
        return Ok(answer(&plan, &known, 0));
    }
    let _sessions = lock_all(&place, surroundings)?;
    let _store = place.lock_store(Hold::Exclusive)?;
    recover::unfinished(&place, surroundings)?;
    let known = sessions(&place, &keep)?;
    let mut store = StoredObjects::open(&place.disk).map_err(|error| during.fail(error))?;
    let plan = planned(&store, &known, during)?;
    // Logs go first: objects without a log are found again, a log without its objects would be damage.
    for session in &known {
        forget(&place, session)?;
    }
    let open = known
        .iter()
        .filter(|session| session.record.status == Status::Open);
    let needed: Vec<Identity> = open.map(|session| session.record.base_snapshot).collect();
    collect_frozen(&place.live, &place.disk, &needed).map_err(|error| {
        let diagnostic = during.diagnostic(
            Code::SessionStateWrite,
            format!("`{BASES}` cannot be collected"),
        );
        let diagnostic = diagnostic.with("path", BASES);
        Failure::from(diagnostic.with("reason", error.to_string()))
    })?;
    let collected = gc::collect(&mut store, &plan).map_err(|error| fail(error, during))?;
    Ok(answer(&plan, &known, collected.objects))
}

fn answer(plan: &gc::Plan, known: &[Known], removed: usize) -> Value {
    let live = known.iter().filter(|session| session.is_live);
    json!({
        "live": plan.live_objects,
        "dead": plan.dead_objects,
        "reclaim_bytes": plan.reclaim_bytes,
        "roots": live.map(|session| &session.id).collect::<Vec<_>>(),
        "samples": plan.samples,
        "removed": removed,
    })
}

/// Which closed sessions stay.
struct Keep {
    /// The newest ones, however old.
    closed: usize,
    /// Those closed since then.
    since_millis: i64,
}

impl Keep {
    fn new(policy: &SessionRules, days: Option<u64>, surroundings: &Surroundings) -> Self {
        let days = i64::try_from(days.unwrap_or(policy.keep_days)).unwrap_or(i64::MAX);
        let now = surroundings.clock.now().unix_millis();
        Self {
            closed: usize::try_from(policy.keep_closed).unwrap_or(usize::MAX),
            since_millis: now.saturating_sub(days.saturating_mul(DAY_MILLIS)),
        }
    }
}

/// Every session that began, and which of them are live. A log that does not read is an error: nobody knows what it needs.
fn sessions(place: &Place<'_>, keep: &Keep) -> Result<Vec<Known>, Failure> {
    let during = place.during;
    let mut known = Vec::new();
    for id in listed(place)? {
        let log = Log::read(&place.disk, &id).map_err(|error| during.fail(error))?;
        let Some(record) = place.fold(&log)? else {
            continue;
        };
        let is_live = record.status == Status::Open || record.recovery_pending;
        known.push(Known {
            id,
            record,
            events: log.events().to_vec(),
            is_live,
        });
    }
    let mut closed: Vec<&mut Known> = known.iter_mut().filter(|known| !known.is_live).collect();
    closed.sort_by_key(|session| std::cmp::Reverse(session.closed_millis()));
    for (rank, session) in closed.into_iter().enumerate() {
        session.is_live = rank < keep.closed || session.closed_millis() > keep.since_millis;
    }
    Ok(known)
}

impl Known {
    fn closed_millis(&self) -> i64 {
        let last = self.events.last();
        last.map_or(i64::MIN, |event| event.at.unix_millis())
    }
}

fn listed(place: &Place<'_>) -> Result<Vec<SessionId>, Failure> {
    log::sessions(&place.disk).map_err(|error| {
        let diagnostic = place
            .during
            .diagnostic(Code::IoRead, "sessions cannot be listed");
        diagnostic.with("os_error", error.to_string()).into()
    })
}

/// Holds every session, so that no object in use is without a line in a log.
fn lock_all(place: &Place<'_>, surroundings: &Surroundings) -> Result<Vec<Lock>, Failure> {
    let ids = listed(place)?;
    ids.iter()
        .map(|id| place.lock_session(id, &*surroundings.clock))
        .collect()
}

fn planned(
    store: &StoredObjects<'_>,
    known: &[Known],
    during: During<'_>,
) -> Result<gc::Plan, Failure> {
    let mut roots: Vec<(Domain, Identity)> = Vec::new();
    for session in known.iter().filter(|session| session.is_live) {
        let record = &session.record;
        roots.extend([
            (Domain::Snapshot, record.base_snapshot),
            (Domain::Snapshot, record.current_snapshot),
            (Domain::Policy, record.policy),
        ]);
        let oldest = record.attempts.first().map_or(0, |attempt| attempt.attempt);
        let is_reachable = |fact: &&Fact| match fact {
            Fact::Attempted(attempted) => attempted.attempt >= oldest,
            _ => true,
        };
        let facts = session.events.iter().map(|event| &event.fact);
        let facts: Vec<&Fact> = facts.filter(is_reachable).collect();
        roots.extend(gc::mentioned(store, &json!(facts)));
    }
    gc::plan(store, &roots).map_err(|error| fail(error, during))
}

fn fail(error: CollectError, during: During<'_>) -> Failure {
    match error {
        CollectError::Object(error) => during.fail(error),
        CollectError::Tree(error) => during.fail(error),
        CollectError::Write(error) => during.fail(error),
    }
}

/// Removes the workspace of a closed session, and the log of one that is not live. Its lock stays: whoever waits for it holds the
/// same file.
fn forget(place: &Place<'_>, session: &Known) -> Result<(), Failure> {
    if session.record.status == Status::Open {
        return Ok(());
    }
    let directory = transaction(session.id.as_str());
    let failed = |path: &str, error: &io::Error| {
        let diagnostic = place.during.diagnostic(
            Code::SessionStateWrite,
            format!("`{path}` cannot be removed"),
        );
        let diagnostic = diagnostic.with("path", path);
        Failure::from(diagnostic.with("reason", error.to_string()))
    };
    for name in ["workspace", "scratch", WORK, VIEW, MEMORY] {
        let path = format!("{directory}/{name}");
        // Obligations made names of any bytes there, which the store's own paths do not hold, and directories that nobody may
        // enter.
        absent_is_fine(remove_tree(&place.live, &directory, name))
            .map_err(|error| failed(&path, &error))?;
    }
    let notes = [MANIFEST, RUNNING].map(str::to_owned);
    let of_layer = overlay::notes(&place.disk, session.id.as_str());
    for name in notes.into_iter().chain(of_layer) {
        let path = format!("{directory}/{name}");
        absent_is_fine(place.disk.remove_file(&path)).map_err(|error| failed(&path, &error))?;
    }
    if session.is_live {
        return Ok(());
    }
    let record = record_file::path_of(session.id.as_str());
    absent_is_fine(place.disk.remove_file(&record)).map_err(|error| failed(&record, &error))?;
    let log = log::path_of(&session.id);
    place
        .disk
        .remove_file(&log)
        .map_err(|error| failed(&log, &error))?;
    place
        .disk
        .sync(&directory)
        .map_err(|error| failed(&directory, &error))
}

fn absent_is_fine(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
