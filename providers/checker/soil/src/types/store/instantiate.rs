//! Making terms of schemes, shapes and generalised types.

use super::row::RowTail;
use super::{GENERIC, Node, RowId, Store, Ty};
use crate::environment::{Body, Environment, Shape, TypeId};
use crate::types::{Scheme, SchemeNode, SchemeRow, SchemeType, Schemes};

/// What the variables of a scheme stand for.
pub(crate) struct Substitution<'a> {
    pub(crate) schemes: &'a Schemes,
    pub(crate) environment: &'a Environment,
    pub(crate) types: &'a [Ty],
    pub(crate) rows: &'a [RowTail],
    /// Whether closed rows in positive position get an open tail.
    pub(crate) opens_rows: bool,
}

impl Store {
    /// Copies the type of something global, with new variables.
    pub(crate) fn instantiate(
        &mut self,
        scheme: Scheme,
        schemes: &Schemes,
        environment: &Environment,
    ) -> Ty {
        let types: Vec<Ty> = (0..scheme.variables).map(|_| self.fresh()).collect();
        let rows = (0..scheme.row_variables).map(|_| self.fresh_tail());
        let rows: Vec<RowTail> = rows.collect();
        let substitution = Substitution {
            schemes,
            environment,
            types: &types,
            rows: &rows,
            opens_rows: true,
        };
        self.copy_scheme(scheme.root, &substitution, true)
    }

    /// Copies a node of a scheme. `is_positive` says on which side of arrows it stands.
    pub(crate) fn copy_scheme(
        &mut self,
        ty: SchemeType,
        substitution: &Substitution<'_>,
        is_positive: bool,
    ) -> Ty {
        match substitution.schemes[ty] {
            SchemeNode::Error => Ty::ERROR,
            SchemeNode::Variable(number) => {
                let found = substitution.types.get(number as usize);
                found.copied().unwrap_or(Ty::ERROR)
            }
            SchemeNode::Type { id, len: 0, .. }
                if id.is_kernel() && !is_alias(substitution.environment, id) =>
            {
                Ty::of(id)
            }
            SchemeNode::Type { id, start, len } => {
                self.step(0);
                let arguments = substitution.schemes.arguments(start, len).iter();
                let arguments: Vec<Ty> = arguments
                    .map(|argument| self.copy_scheme(*argument, substitution, is_positive))
                    .collect();
                self.named(id, &arguments, substitution.environment, 0)
            }
            SchemeNode::Arrow {
                domain,
                row,
                codomain,
            } => {
                self.step(0);
                let domain = self.copy_scheme(domain, substitution, !is_positive);
                let row = self.scheme_row(row, substitution, is_positive);
                let codomain = self.copy_scheme(codomain, substitution, is_positive);
                self.arrow(domain, row, codomain)
            }
        }
    }

    fn scheme_row(
        &mut self,
        row: SchemeRow,
        substitution: &Substitution<'_>,
        is_positive: bool,
    ) -> RowId {
        let variable = row.variable.map(|number| number as usize);
        let known = variable.and_then(|number| substitution.rows.get(number).copied());
        match known {
            Some(tail) => self.row(row.effects, tail),
            None if substitution.opens_rows && is_positive => self.open_row(row.effects),
            None => self.row(row.effects, RowTail::Closed),
        }
    }

    /// Makes a type with arguments; an alias is expanded.
    pub(crate) fn named(
        &mut self,
        id: TypeId,
        arguments: &[Ty],
        environment: &Environment,
        depth: u32,
    ) -> Ty {
        match &environment[id].body {
            Body::Alias(shape) => self.shaped(shape, arguments, environment, depth + 1),
            _ => self.applied(id, arguments),
        }
    }

    /// Makes the type of a field or a payload, whose declaration has these arguments.
    pub(crate) fn shaped(
        &mut self,
        shape: &Shape,
        arguments: &[Ty],
        environment: &Environment,
        depth: u32,
    ) -> Ty {
        match shape {
            Shape::Param(index) => arguments.get(*index).copied().unwrap_or(Ty::ERROR),
            Shape::Type(id, inner) => {
                if !inner.is_empty() || !id.is_kernel() {
                    // Aliases may double with each step.
                    if !self.step(depth) {
                        return Ty::ERROR;
                    }
                }
                let inner: Vec<Ty> = inner
                    .iter()
                    .map(|part| self.shaped(part, arguments, environment, depth + 1))
                    .collect();
                self.named(*id, &inner, environment, depth)
            }
        }
    }

    /// Generalises the variables of a type that deeper levels than this one introduced; false when there are none.
    pub(crate) fn generalise(&mut self, ty: Ty, level: u32) -> bool {
        self.generalise_at(ty, level, 0)
    }

    fn generalise_at(&mut self, ty: Ty, level: u32, depth: u32) -> bool {
        let ty = self.shallow(ty);
        match self.node(ty) {
            Node::Variable { level: own } if own > level => {
                self.set_level(ty, GENERIC);
                true
            }
            Node::Type { start, len, .. } if len > 0 && self.step(depth) => {
                let mut found = false;
                for index in 0..len {
                    found |= self.generalise_at(self.argument(start, index), level, depth + 1);
                }
                found
            }
            Node::Arrow {
                domain, codomain, ..
            } if self.step(depth) => {
                let domain = self.generalise_at(domain, level, depth + 1);
                self.generalise_at(codomain, level, depth + 1) || domain
            }
            _ => false,
        }
    }

    /// Makes the new variables of the copies made last ones that stay as they are.
    pub(crate) fn stiffen_copies(&mut self) {
        for (position, variable) in std::mem::take(&mut self.copied).into_iter().enumerate() {
            let number = u32::MAX - u32::try_from(position).unwrap_or(0);
            let rigid = self.rigid(number);
            self.fill(variable, rigid);
        }
    }

    /// Copies another type along with the one copied last: the same generalised variables get the same new ones.
    pub(crate) fn specialise_along(&mut self, ty: Ty) -> Ty {
        self.specialise_at(ty, 0)
    }

    /// Says whether the copies made last have a new variable for each generalised one of a type.
    pub(crate) fn is_copied(&mut self, ty: Ty) -> bool {
        let count = self.copied.len();
        self.specialise_along(ty);
        self.copied.len() == count
    }

    /// Copies a generalised type with new variables; what holds none is shared.
    pub(crate) fn specialise(&mut self, ty: Ty) -> Ty {
        self.copies.clear();
        self.copied.clear();
        self.specialise_at(ty, 0)
    }

    fn specialise_at(&mut self, ty: Ty, depth: u32) -> Ty {
        let ty = self.shallow(ty);
        match self.node(ty) {
            Node::Variable { level: GENERIC } => {
                if let Some(copy) = self.copies.get(&ty) {
                    return *copy;
                }
                self.step(depth);
                let copy = self.fresh();
                self.copies.insert(ty, copy);
                self.copied.push(copy);
                copy
            }
            Node::Type { id, start, len } if len > 0 && self.step(depth) => {
                let mut has_changed = false;
                let mut arguments = Vec::with_capacity(len as usize);
                for index in 0..len {
                    let argument = self.argument(start, index);
                    let copy = self.specialise_at(argument, depth + 1);
                    has_changed |= copy != argument;
                    arguments.push(copy);
                }
                if has_changed {
                    self.applied(id, &arguments)
                } else {
                    ty
                }
            }
            Node::Arrow {
                domain,
                row,
                codomain,
            } if self.step(depth) => {
                let from = self.specialise_at(domain, depth + 1);
                let to = self.specialise_at(codomain, depth + 1);
                if from == domain && to == codomain {
                    ty
                } else {
                    self.arrow(from, row, to)
                }
            }
            _ => ty,
        }
    }
}

fn is_alias(environment: &Environment, id: TypeId) -> bool {
    matches!(environment[id].body, Body::Alias(_))
}
