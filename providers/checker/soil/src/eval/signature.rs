//! The types at the border of a definition.

use super::Machine;
use crate::environment::{TypeId, ids};
use crate::program::{DefinitionId, Program};
use crate::types::{SchemeNode, SchemeType};
use crate::values::FormId;

/// What goes into a definition and what comes out.
#[derive(Clone, Debug)]
pub struct Border {
    /// The types of all arguments.
    pub params: Vec<FormId>,
    /// For each argument the capability that it is, if it is one.
    pub capabilities: Vec<Option<TypeId>>,
    /// The type of the result.
    pub result: FormId,
    /// Whether a call may touch the world or run foreign code.
    pub has_effects: bool,
}

/// Gives what goes into a definition and what comes out.
pub fn border(machine: &mut Machine<'_, '_>, program: &Program, id: DefinitionId) -> Border {
    use crate::syntax::tree::Effect;
    let schemes = &program.schemes;
    let mut border = Border {
        params: Vec::new(),
        capabilities: Vec::new(),
        result: machine.forms().variable(),
        has_effects: false,
    };
    let mut ty = program[id].scheme.root;
    while let SchemeNode::Arrow {
        domain,
        row,
        codomain,
    } = schemes[ty]
    {
        border
            .params
            .push(machine.forms().of_scheme(schemes, domain));
        border.capabilities.push(capability(program, domain));
        let effects = row.effects;
        border.has_effects |= effects.contains(Effect::Io) || effects.contains(Effect::Ffi);
        ty = codomain;
    }
    border.result = machine.forms().of_scheme(schemes, ty);
    border
}

/// Gives the forms of all arguments of a definition and of its result.
pub fn parameters(
    machine: &mut Machine<'_, '_>,
    program: &Program,
    id: DefinitionId,
) -> (Vec<FormId>, FormId) {
    let border = border(machine, program, id);
    (border.params, border.result)
}

/// Gives the capability that a type is.
fn capability(program: &Program, ty: SchemeType) -> Option<TypeId> {
    const ALL: [TypeId; 8] = [
        ids::WORLD,
        ids::FS,
        ids::NET,
        ids::CLOCK,
        ids::ENV,
        ids::PROC,
        ids::RAND,
        ids::PY,
    ];
    match program.schemes[ty] {
        SchemeNode::Type { id, .. } => ALL.into_iter().find(|known| *known == id),
        _ => None,
    }
}
