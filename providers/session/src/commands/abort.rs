//! `abort`: a session is given up, and nothing else changes.

use lonis_diagnostics::Failure;
use serde_json::{Value, json};

use super::Surroundings;
use super::place::{Place, shown};
use crate::diagnose::During;
use crate::event::Fact;
use crate::request::Request;

pub(super) fn run(
    request: &Request,
    surroundings: &Surroundings,
    during: During<'_>,
) -> Result<Value, Failure> {
    let id = request.session(during)?;
    let place = Place::open(request, surroundings, during)?;
    // Looked at first, so that an unknown session gets no directory for its lock.
    place.session(id.clone(), request)?;
    super::recover::first(&place, surroundings)?;
    let _locks = place.lock(&id, &*surroundings.clock)?;
    let session = place.session(id.clone(), request)?;
    if session.answered(request.call.as_deref()).is_some() {
        return Ok(json!({"transaction": shown(&session.record)}));
    }
    let mut session = place.open_session(id, request)?;
    session
        .log
        .append(
            &place.disk,
            &*surroundings.clock,
            request.call.clone(),
            Fact::Aborted {},
        )
        .map_err(|error| during.fail(error))?;
    let record = place.fold(&session.log)?;
    Ok(json!({"transaction": record.as_ref().map(shown)}))
}
