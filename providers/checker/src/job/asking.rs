//! `asking.json`: a question that is being asked, noted before it is written.
//!
//! The question stands beside the spec and the state in the job, so they change one after the other. A call that was
//! killed between the two is finished by the next one: where the question is there, the job has asked.

use super::call::JobCall;
use super::question::Question;
use super::record::State;
use crate::failure::Failure;

const NAME: &str = "asking.json";

/// Writes a question and ends the job with it.
///
/// # Errors
/// `question-write-conflict`, when one waits already; `io`. The job goes on then.
pub(crate) fn ask(call: &mut JobCall, question: &Question) -> Result<(), Failure> {
    call.directory.replace(NAME, question.json().as_bytes())?;
    let (folder, name) = (call.record.folder(), call.record.name().to_owned());
    question.store(&folder, &name).or_else(|failure| {
        call.directory.remove_file(NAME)?;
        Err(failure)
    })?;
    call.end(State::Asked)?;
    call.directory.remove_file(NAME)
}

/// Finishes what a killed call left.
///
/// # Errors
/// `io`, when a file cannot be read or written.
pub(super) fn finish(call: &mut JobCall) -> Result<(), Failure> {
    let Some(bytes) = call.directory.read(NAME)? else {
        return Ok(());
    };
    if call.record.state == State::Running {
        let waits = Question::read(&call.record.folder(), call.record.name()).unwrap_or(None);
        if waits.is_some_and(|waits| waits.json().as_bytes() == bytes) {
            call.end(State::Asked)?;
        }
    }
    call.directory.remove_file(NAME)
}
