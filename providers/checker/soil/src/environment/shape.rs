//! Types of fields, payloads and aliases.

use super::{Environment, TypeId};
use crate::syntax::Names;

/// A type over the parameters of its declaration; it holds no function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A parameter of the declaration, by position.
    Param(usize),
    /// A type with its arguments, as many as it has parameters. May be an alias.
    Type(TypeId, Vec<Shape>),
}

impl Shape {
    /// Appends the text of this shape; `params` names the parameters.
    pub(super) fn push_text(
        &self,
        out: &mut String,
        environment: &Environment,
        names: &Names,
        owner: TypeId,
        is_argument: bool,
    ) {
        match self {
            Self::Param(index) => {
                let param = environment[owner].params.get(*index);
                out.push_str(param.map_or("_", |param| &names[*param]));
            }
            Self::Type(id, arguments) => {
                let is_bracketed = is_argument && !arguments.is_empty();
                if is_bracketed {
                    out.push('(');
                }
                out.push_str(&names[environment[*id].name]);
                for argument in arguments {
                    out.push(' ');
                    argument.push_text(out, environment, names, owner, true);
                }
                if is_bracketed {
                    out.push(')');
                }
            }
        }
    }

    /// Visits the types that this shape names.
    pub(super) fn for_each_type(&self, visit: &mut impl FnMut(TypeId)) {
        if let Self::Type(id, arguments) = self {
            visit(*id);
            for argument in arguments {
                argument.for_each_type(visit);
            }
        }
    }
}
