//! `list`: the sessions of a root, each by its log.

use lonis_diagnostics::{Code, Failure};
use serde_json::{Value, json};

use super::Surroundings;
use super::place::Place;
use crate::diagnose::During;
use crate::engine::Record;
use crate::request::{Request, page};
use crate::session_id::SessionId;
use crate::store::log::{self, Log, LogError};

/// Sessions of one page.
const PAGE: usize = 500;

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
    during: During<'_>,
) -> Result<Value, Failure> {
    let place = Place::open(request, surroundings, during)?;
    let ids = log::sessions(&place.disk).map_err(|error| {
        during
            .diagnostic(Code::IoRead, "sessions cannot be listed")
            .with("os_error", error.to_string())
    })?;
    let mut sessions = Vec::new();
    for id in ids {
        let row = match Log::read(&place.disk, &id).map(|log| place.fold(&log)) {
            Ok(Ok(None)) => continue,
            Ok(Ok(Some(record))) => row(&record),
            // One log that does not verify says nothing about the others; `log` names its fault.
            Ok(Err(_)) | Err(LogError::Invalid { .. }) => damaged(&id),
            Err(error) => return Err(during.fail(error)),
        };
        if request
            .status
            .as_deref()
            .is_none_or(|status| row["status"] == status)
        {
            sessions.push(row);
        }
    }
    let page = page(sessions, request.cursor.as_deref(), PAGE, during)?;
    Ok(json!({"sessions": page.items, "next_cursor": page.next_cursor}))
}

fn row(record: &Record) -> Value {
    json!({
        "session": record.session,
        "status": record.status,
        "base_snapshot": record.base_snapshot,
        "current_snapshot": record.current_snapshot,
        "patch_count": record.patch_count,
        "recovery_pending": record.recovery_pending,
        "log_head": record.log_head,
    })
}

fn damaged(id: &SessionId) -> Value {
    json!({
        "session": id,
        "status": "damaged",
        "base_snapshot": null,
        "current_snapshot": null,
        "patch_count": null,
        "recovery_pending": null,
        "log_head": null,
    })
}
