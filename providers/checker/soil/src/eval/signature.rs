//! The types at the border of a definition.

use super::Machine;
use crate::environment::{Body, Shape, TypeId, ids};
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
    /// Whether the result holds functions, which no document can hold.
    pub gives_functions: bool,
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
        gives_functions: false,
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
    border.gives_functions = holds_function(program, ty);
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
    let SchemeNode::Type { mut id, .. } = program.schemes[ty] else {
        return None;
    };
    // Aliases have no circles; each step leaves one behind.
    while let Body::Alias(Shape::Type(meant, _)) = &program.environment[id].body {
        id = *meant;
    }
    ALL.into_iter().find(|known| *known == id)
}

/// Says whether a type holds functions; declared ones hold none but by their arguments.
fn holds_function(program: &Program, ty: SchemeType) -> bool {
    let schemes = &program.schemes;
    match schemes[ty] {
        SchemeNode::Arrow { .. } => true,
        SchemeNode::Type { start, len, .. } => {
            let mut arguments = schemes.arguments(start, len).iter();
            arguments.any(|argument| holds_function(program, *argument))
        }
        SchemeNode::Error | SchemeNode::Variable(_) => false,
    }
}
