//! The types at the border of a definition.

use super::Machine;
use crate::program::{DefinitionId, Program};
use crate::types::SchemeNode;
use crate::values::FormId;

/// Gives the forms of all arguments of a definition and of its result.
pub fn parameters(
    machine: &mut Machine<'_, '_>,
    program: &Program,
    id: DefinitionId,
) -> (Vec<FormId>, FormId) {
    let schemes = &program.schemes;
    let forms = machine.forms();
    let mut params = Vec::new();
    let mut ty = program[id].scheme.root;
    while let SchemeNode::Arrow {
        domain, codomain, ..
    } = schemes[ty]
    {
        params.push(forms.of_scheme(schemes, domain));
        ty = codomain;
    }
    (params, forms.of_scheme(schemes, ty))
}
