//! `asking.json`: a question that is being asked, noted before it is written.
//!
//! The question stands beside the spec and the state in the job, so they change one after the other. A call that was
//! killed between the two is finished by the next one: where the question is there, the job has asked.

use super::directory::Directory;
use super::question::Question;
use super::record::{Record, State};
use crate::failure::Failure;

const NAME: &str = "asking.json";

/// Writes a question and ends the job with it.
///
/// # Errors
/// `question-write-conflict`, when one waits already; `io`. The job goes on then.
pub(crate) fn ask(
    directory: &Directory,
    record: &mut Record,
    question: &Question,
) -> Result<(), Failure> {
    directory.replace(NAME, question.json().as_bytes())?;
    let stored = question.store(&record.folder(), record.name());
    stored.or_else(|failure| {
        directory.remove_file(NAME)?;
        Err(failure)
    })?;
    asked(directory, record)
}

/// Sets the state, behind a question that stands.
fn asked(directory: &Directory, record: &mut Record) -> Result<(), Failure> {
    record.state = State::Asked;
    directory.set_record(record)?;
    directory.remove_file(NAME)
}

/// Finishes what a killed call left.
///
/// # Errors
/// `io`, when a file cannot be read or written.
pub(super) fn finish(directory: &Directory, record: &mut Record) -> Result<(), Failure> {
    let Some(bytes) = directory.read(NAME)? else {
        return Ok(());
    };
    if record.state == State::Running {
        let waits = Question::read(&record.folder(), record.name()).unwrap_or(None);
        if waits.is_some_and(|waits| waits.json().as_bytes() == bytes) {
            return asked(directory, record);
        }
    }
    directory.remove_file(NAME)
}
