//! Charging a job what its agent cost.

use soil::document::Writer;

use super::call::JobCall;
use super::record::State;
use crate::failure::Failure;

/// Adds to the cost of a job, and gives what the host prints.
///
/// # Wire shape
/// `{"cost_micros":N,"state":S}`
///
/// # Errors
/// `job-not-running`, when the reference is no job; `io`.
pub(crate) fn charge(reference: &str, micros: u64) -> Result<String, Failure> {
    let mut call = JobCall::take(reference)?;
    let record = &mut call.record;
    record.cost_micros = record.cost_micros.saturating_add(micros);
    let is_over = record
        .caps
        .cost_micros
        .is_some_and(|max| record.cost_micros >= max);
    if is_over && record.state == State::Running {
        record.state = State::Capped;
        record.cap_untold = true;
    }
    call.save()?;
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("cost_micros").number(call.record.cost_micros);
        writer.key("state").string(call.record.state.text());
    });
    Ok(writer.finish_document())
}
