//! What follows from the logs and can be made again: records, the notes of workspaces, what is known of live files.

use lonis_diagnostics::{Code, Failure};
use serde::Serialize;

use crate::commands::place::Place;
use crate::commands::record_file;
use crate::engine::Status;
use crate::identity::Identity;
use crate::session_id::SessionId;
use crate::snapshot::materialise::overlay::{self, Overlay};
use crate::snapshot::materialise::{MANIFEST, Workspace};
use crate::snapshot::stat_cache::StatCache;
use crate::store::disk::Disk;
use crate::store::layout::{STAT_CACHE, TEMPORARY, transaction};
use crate::store::lock::{self, Hold, Subject};
use crate::store::log::{self, Log, LogError};
use crate::store::stored::StoredObjects;

/// Something that was not as it has to be, and is made anew.
#[derive(Debug, Serialize)]
pub(super) struct Rebuilt {
    /// The session; `None` for what belongs to all.
    session: Option<SessionId>,
    /// What of it.
    what: &'static str,
}

/// What applies left behind that ended before they had a journal, as names below `tmp/`; the sweep that follows removes it.
pub(super) fn orphans(disk: &dyn Disk) -> Vec<String> {
    // A directory that cannot be listed is told by the sweep.
    disk.list(TEMPORARY).unwrap_or_default()
}

/// Makes anew what is missing or differs. A session whose log does not verify is left as it is.
pub(super) fn all(place: &Place<'_>) -> Result<Vec<Rebuilt>, Failure> {
    let during = place.during;
    let ids = log::sessions(&place.disk).map_err(|error| {
        let diagnostic = during.diagnostic(Code::IoRead, "sessions cannot be listed");
        Failure::from(diagnostic.with("os_error", error.to_string()))
    })?;
    let mut rebuilt = Vec::new();
    for id in ids {
        let mut log = Log::read(&place.disk, &id);
        if matches!(log, Err(LogError::Invalid { .. }))
            && let Some(repaired) = repair_log(place, &id)?
        {
            log = Ok(repaired);
            rebuilt.push(Rebuilt {
                session: Some(id.clone()),
                what: "log",
            });
        }
        let Ok(Some(record)) = log.map(|log| place.fold(&log).ok().flatten()) else {
            continue;
        };
        if !record_file::holds(&place.disk, &record) {
            record_file::write(&place.disk, &record).map_err(|error| {
                let path = record_file::path_of(id.as_str());
                let diagnostic = during.diagnostic(
                    Code::SessionStateWrite,
                    format!("`{path}` cannot be written"),
                );
                Failure::from(
                    diagnostic
                        .with("path", path)
                        .with("reason", error.to_string()),
                )
            })?;
            rebuilt.push(Rebuilt {
                session: Some(id.clone()),
                what: "record",
            });
        }
        if record.status == Status::Open && rebuild_workspace(place, &id, &record.base_snapshot)? {
            rebuilt.push(Rebuilt {
                session: Some(id),
                what: "workspace",
            });
        }
    }
    if forget_stat_cache(&place.disk) {
        rebuilt.push(Rebuilt {
            session: None,
            what: "stat-cache",
        });
    }
    Ok(rebuilt)
}

/// Takes out of a log what is no line of it, where the record tells which event is its last.
fn repair_log(place: &Place<'_>, id: &SessionId) -> Result<Option<Log>, Failure> {
    let during = place.during;
    let Some(head) = record_file::head(&place.disk, id) else {
        return Ok(None);
    };
    let subject = Subject::Session(id.clone());
    let wait = std::time::Duration::ZERO;
    // Whoever writes to it holds its session. Not waited for, so that the order of locks does not matter.
    let Ok(_lock) = lock::acquire(&place.disk, &subject, Hold::Exclusive, wait) else {
        return Ok(None);
    };
    Log::repair(&place.disk, id, head).map_err(|error| during.fail(error))
}

/// Lets the next run read a whole workspace that somebody changed, and put back what differs.
fn rebuild_workspace(place: &Place<'_>, id: &SessionId, base: &Identity) -> Result<bool, Failure> {
    let during = place.during;
    let manifest = format!("{}/{MANIFEST}", transaction(id.as_str()));
    let has_copy = place.disk.look(&manifest).is_ok_and(|look| look.is_some());
    let has_layer = overlay::is_there(&place.disk, id.as_str(), base);
    if !has_copy && !has_layer {
        return Ok(false);
    }
    // Whoever runs in a workspace holds its session. Not waited for, so that the order of locks does not matter.
    let subject = Subject::Session(id.clone());
    let Ok(_lock) = lock::acquire(
        &place.disk,
        &subject,
        Hold::Exclusive,
        std::time::Duration::ZERO,
    ) else {
        return Ok(false);
    };
    let mut is_rebuilt = false;
    if has_copy {
        let mut workspace = Workspace::open(&place.live, &place.disk, id.as_str(), Vec::new())
            .map_err(|error| during.fail(error))?;
        if workspace
            .is_tampered()
            .map_err(|error| during.fail(error))?
        {
            workspace.forget().map_err(|error| during.fail(error))?;
            is_rebuilt = true;
        }
    }
    if has_layer {
        let store = StoredObjects::open(&place.disk).map_err(|error| during.fail(error))?;
        let (live, disk) = (&place.live, &place.disk);
        let mut layer = Overlay::open(live, disk, &store, id.as_str(), base, Vec::new())
            .map_err(|error| during.fail(error))?;
        if layer.is_tampered().map_err(|error| during.fail(error))? {
            layer.forget().map_err(|error| during.fail(error))?;
            is_rebuilt = true;
        }
    }
    Ok(is_rebuilt)
}

/// Removes what is known of live files where it does not read; the next capture reads them all.
fn forget_stat_cache(disk: &dyn Disk) -> bool {
    let is_there = disk.look(STAT_CACHE).is_ok_and(|look| look.is_some());
    is_there && !StatCache::is_readable(disk) && disk.remove_file(STAT_CACHE).is_ok()
}
