//! `log`: the events of a session.

use lonis_diagnostics::Failure;
use serde_json::{Value, json};

use super::Surroundings;
use super::place::{Place, shown};
use crate::diagnose::During;
use crate::event::Event;
use crate::request::Request;

/// Events where no number is asked for.
const DEFAULT_LIMIT: usize = 100;
/// The most bytes of events in one result.
const MAX_BYTES: usize = 384 * 1024;

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
    during: During<'_>,
) -> Result<Value, Failure> {
    let place = Place::open(request, surroundings, during)?;
    let session = place.session(request.session(during)?, request)?;
    let is_after = |event: &&Event| request.after_seq.is_none_or(|seq| event.seq > seq);
    let mut bytes = 0;
    let events: Vec<Value> = session
        .log
        .events()
        .iter()
        .filter(is_after)
        .take(request.limit.unwrap_or(DEFAULT_LIMIT))
        .map(Event::line)
        .take_while(|line| {
            bytes += line.len();
            bytes <= MAX_BYTES
        })
        .filter_map(|line| serde_json::from_str(&line).ok())
        .collect();
    Ok(json!({
        "transaction": shown(&session.record),
        "events": events,
        "head": session.log.head(),
        // A log that does not verify is a failure before this.
        "chain_ok": true,
    }))
}
