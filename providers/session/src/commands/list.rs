//! `list`: the sessions of a root, each by its log.

use lonis_diagnostics::{Code, Failure};
use serde_json::{Value, json};

use super::Surroundings;
use super::place::Place;
use crate::diagnose::During;
use crate::request::{Request, page};
use crate::store::log::{self, Log};

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
        let log = Log::read(&place.disk, &id).map_err(|error| during.fail(error))?;
        let Some(record) = place.fold(&log)? else {
            continue;
        };
        if request
            .status
            .as_deref()
            .is_some_and(|status| status != record.status.word())
        {
            continue;
        }
        sessions.push(json!({
            "session": record.session,
            "status": record.status,
            "base_snapshot": record.base_snapshot,
            "current_snapshot": record.current_snapshot,
            "patch_count": record.patch_count,
            "recovery_pending": record.recovery_pending,
            "log_head": record.log_head,
        }));
    }
    let page = page(sessions, request.cursor.as_deref(), PAGE, during)?;
    Ok(json!({"sessions": page.items, "next_cursor": page.next_cursor}))
}
