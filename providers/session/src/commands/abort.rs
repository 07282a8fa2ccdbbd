//! `abort`: a session is given up, and nothing else changes.

use lonis_diagnostics::Failure;
use serde_json::{Value, json};

use super::Surroundings;
use super::opening::{Found, Opening};
use super::place::shown;
use crate::diagnose::During;
use crate::event::Fact;
use crate::request::Request;
use crate::store::lock::Hold;

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
    during: During<'_>,
) -> Result<Value, Failure> {
    let opening = Opening::of(request, surroundings, during)?;
    let place = &opening.place;
    let _store_lock = place.lock_store(Hold::Shared)?;
    let mut session = match opening.find(request, &["aborted"])? {
        Found::Open(session) => *session,
        Found::Answered(found) => {
            return Ok(json!({"transaction": shown(&found.0.record)}));
        }
    };
    let (clock, call) = (&*surroundings.clock, request.call.clone());
    let record = place.append(&mut session.log, clock, call, Fact::Aborted {})?;
    Ok(json!({"transaction": record.as_ref().map(shown)}))
}
