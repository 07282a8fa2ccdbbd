//! Running one definition on arguments from outside.

use thiserror::Error;

use super::{Bounds, Capability, Machine, Raised, Unfilled, Unit, World, border};
use crate::json::{Json, Malformed};
use crate::program::Program;
use crate::values::{Value, read, write};

/// Why a definition gave no result.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum InvokeError {
    /// It is not there, or takes another number of arguments.
    #[error("{0}")]
    Usage(String),
    /// An argument is not of its type.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// It has or reaches a hole.
    #[error("the definition has or reaches a hole")]
    Unfilled(Unfilled),
    /// It raised an error or reached a bound.
    #[error(transparent)]
    Raised(#[from] Raised),
}

/// Calls a definition, named bare or as `module::name`, and gives the canonical text of its result.
///
/// Capability parameters come from the world, in order; the others take the arguments.
///
/// # Errors
/// When the definition is unknown or its result holds functions, arguments are too few, too many or of other types, a hole is reached, or the run raises.
pub fn invoke(
    unit: &Unit<'_>,
    program: &Program,
    entry: &str,
    arguments: &[Json],
    world: Box<dyn World>,
    bounds: Bounds,
) -> Result<String, InvokeError> {
    let usage = |message: String| InvokeError::Usage(message);
    let unknown = || {
        usage(format!(
            "`{entry}` is no definition of the program, or is several"
        ))
    };
    let id = program.find_definition(entry).ok_or_else(unknown)?;
    let code = unit.entry(id).ok_or_else(unknown)?;
    if let Some(unfilled) = unit.unfilled(code) {
        return Err(InvokeError::Unfilled(unfilled));
    }
    let mut machine = Machine::new(unit, bounds).with_world(world);
    let border = border(&mut machine, program, id);
    machine.reset();
    if border.gives_functions {
        let message = format!("`{entry}` gives functions, which no document can hold");
        return Err(usage(message));
    }
    let plain = border.capabilities.iter().filter(|found| found.is_none());
    let (takes, given) = (plain.count(), arguments.len());
    if takes != given {
        return Err(usage(format!(
            "`{entry}` takes {takes} arguments beside capabilities, here are {given}"
        )));
    }
    let mut values: Vec<Value> = Vec::new();
    let mut rest = arguments.iter();
    for (form, capability) in border.params.iter().zip(&border.capabilities) {
        let value = match (capability, rest.as_slice().first()) {
            (Some(_), _) => machine.given(Capability::Real),
            (None, Some(json)) => {
                rest.next();
                let position = given - rest.len() - 1;
                read(machine.forms(), *form, json).map_err(|error| argument(position, &error))?
            }
            (None, None) => return Err(usage(format!("`{entry}` lacks an argument"))),
        };
        values.push(value);
    }
    let value = machine.call(code, values)?;
    machine
        .written(border.result, &value)
        .map_err(InvokeError::Raised)
}

/// Puts the place of an error behind that of the argument.
fn argument(position: usize, error: &Malformed) -> Malformed {
    Malformed {
        place: error.place.replacen('$', &format!("$[{position}]"), 1),
        message: error.message.clone(),
    }
}

impl Machine<'_, '_> {
    /// Gives the canonical text of a result, which is paid for with what the run left.
    ///
    /// # Errors
    /// When the text is too long for that; values that share their parts can be small and have endless texts.
    pub fn written(
        &mut self,
        form: crate::values::FormId,
        value: &Value,
    ) -> Result<String, Raised> {
        let text = write(&mut self.forms, form, value, &mut self.meter);
        text.map_err(|exhausted| self.raised(exhausted.into()))
    }
}
