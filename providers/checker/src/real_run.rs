//! One call of a definition in the real world: its files, its clock and its chance.

mod world;

use soil::check::Checked;
use soil::diagnostic::{Code, Diagnostic};
use soil::eval::{Bounds, InvokeError, Raised, Unfilled, Unit, invoke};
use soil::json::{Json, Malformed};
use soil::program::Program;

use world::RealWorld;

/// Why a call gave no result.
#[derive(Debug)]
pub(crate) enum CallError {
    /// The definition is not there, or takes other arguments.
    Usage(String),
    /// An argument is not of its type.
    Malformed(Malformed),
    /// What ended the run, or kept it from starting.
    Found(Diagnostic),
}

/// Calls a definition of a program that was checked, and gives the canonical text of its result.
///
/// Capability parameters come from the real world; the others take the arguments.
///
/// # Errors
/// When the definition cannot be called so, has or reaches a hole, or the run raises.
pub(crate) fn call(
    program: &Program,
    checked: &Checked<'_>,
    entry: &str,
    arguments: &[Json],
) -> Result<String, CallError> {
    let unit = Unit::compile(checked);
    let bounds = Bounds::default();
    let world = Box::new(RealWorld::new(bounds.cells));
    let result = invoke(&unit, program, entry, arguments, world, bounds);
    result.map_err(|error| match error {
        InvokeError::Usage(message) => CallError::Usage(message),
        InvokeError::Malformed(error) => CallError::Malformed(error),
        InvokeError::Unfilled(found) => CallError::Found(unfilled(entry, &found)),
        InvokeError::Raised(error) => CallError::Found(raised(&error)),
    })
}

/// Makes the report that a definition has or reaches a hole.
pub(crate) fn unfilled(definition: &str, found: &Unfilled) -> Diagnostic {
    let message = format!("`{definition}` has or reaches a hole");
    let mut diagnostic = Diagnostic::new(Code::UnfilledHole, message);
    diagnostic.file = found.hole.map(|(file, _)| file);
    diagnostic.span = found.hole.map(|(_, span)| span);
    diagnostic
}

/// Makes the report of an error that ended the run.
fn raised(raised: &Raised) -> Diagnostic {
    let diagnostic = Diagnostic::new(raised.code(), raised.to_string());
    let trace = raised.trace.iter();
    trace.fold(diagnostic, Diagnostic::with_note)
}
