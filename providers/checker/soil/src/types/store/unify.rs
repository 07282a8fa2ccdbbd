//! Making two terms equal.

use super::{GENERIC, Node, Store, Ty};
use crate::environment::TypeId;

/// One step from a type to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// An argument of a type, counted from 0.
    Argument(TypeId, u32),
    /// What a function takes.
    Domain,
    /// What a function performs.
    Row,
    /// What a function gives.
    Codomain,
}

/// The first part in which two types differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clash {
    /// The part of the first type.
    pub(crate) left: Ty,
    /// The part of the second type.
    pub(crate) right: Ty,
    /// The way to it, innermost step first.
    pub(crate) path: Vec<Part>,
    /// Whether equal types would have no end.
    pub(crate) is_infinite: bool,
}

impl Store {
    /// Makes two types equal, and leaves both as they were where that is not possible.
    pub(crate) fn unify(&mut self, left: Ty, right: Ty) -> Result<(), Clash> {
        let (left, right) = (self.shallow(left), self.shallow(right));
        if left == right {
            return Ok(());
        }
        // Most meetings are between a variable and something, or between two scalars.
        match (self.nodes[left.0 as usize], self.nodes[right.0 as usize]) {
            (Node::Type { len: 0, id: a, .. }, Node::Type { len: 0, id: b, .. }) if a == b => {
                return Ok(());
            }
            _ => {}
        }
        let snapshot = self.snapshot();
        let result = self.unify_at(left, right, 0);
        match &result {
            Ok(()) => self.commit(snapshot),
            Err(_) => self.rollback(snapshot),
        }
        result
    }

    fn unify_at(&mut self, left: Ty, right: Ty, depth: u32) -> Result<(), Clash> {
        let (left, right) = (self.shallow(left), self.shallow(right));
        if left == right || !self.step(depth) {
            return Ok(());
        }
        match (self.nodes[left.0 as usize], self.nodes[right.0 as usize]) {
            (Node::Error, Node::Variable { .. }) => self.fill(right, left),
            (Node::Variable { .. }, Node::Error) => self.fill(left, right),
            (Node::Error, _) => self.poison(right),
            (_, Node::Error) => self.poison(left),
            (Node::Variable { level: a }, Node::Variable { level: b }) => {
                // The outer one stays, so that its level does.
                let (inner, outer) = if a > b { (left, right) } else { (right, left) };
                self.fill(inner, outer);
            }
            (Node::Variable { level }, _) => return self.fill_checked(left, level, right, false),
            (_, Node::Variable { level }) => return self.fill_checked(right, level, left, true),
            (Node::Rigid(a), Node::Rigid(b)) if a == b => {}
            (
                Node::Type { id, start, len },
                Node::Type {
                    id: other,
                    start: from,
                    ..
                },
            ) if id == other => {
                for index in 0..len {
                    let (a, b) = (self.argument(start, index), self.argument(from, index));
                    self.unify_at(a, b, depth + 1)
                        .map_err(|clash| clash.within(Part::Argument(id, index)))?;
                }
            }
            (
                Node::Arrow {
                    domain,
                    row,
                    codomain,
                },
                Node::Arrow {
                    domain: other,
                    row: performed,
                    codomain: result,
                },
            ) => {
                self.unify_at(domain, other, depth + 1)
                    .map_err(|clash| clash.within(Part::Domain))?;
                self.unify_at(codomain, result, depth + 1)
                    .map_err(|clash| clash.within(Part::Codomain))?;
                if !self.unify_rows(row, performed) {
                    return Err(Clash::new(left, right).within(Part::Row));
                }
            }
            _ => return Err(Clash::new(left, right)),
        }
        Ok(())
    }

    /// Fills in a variable with a type that must not hold it.
    fn fill_checked(
        &mut self,
        variable: Ty,
        level: u32,
        ty: Ty,
        is_right: bool,
    ) -> Result<(), Clash> {
        if !self.lower(variable, level, ty, 0) {
            let mut clash = if is_right {
                Clash::new(ty, variable)
            } else {
                Clash::new(variable, ty)
            };
            clash.is_infinite = true;
            return Err(clash);
        }
        self.fill(variable, ty);
        Ok(())
    }

    /// Lowers the levels of all variables in a type to at most this one; false when it holds the given variable.
    fn lower(&mut self, variable: Ty, level: u32, ty: Ty, depth: u32) -> bool {
        let ty = self.shallow(ty);
        if ty == variable {
            return false;
        }
        match self.nodes[ty.0 as usize] {
            Node::Variable { level: own } => {
                if own > level && own != GENERIC {
                    self.set_level(ty, level);
                }
                true
            }
            Node::Type { len: 0, .. } | Node::Error | Node::Rigid(_) | Node::Link(_) => true,
            Node::Type { start, len, .. } => {
                !self.step(depth)
                    || (0..len).all(|index| {
                        self.lower(variable, level, self.argument(start, index), depth + 1)
                    })
            }
            Node::Arrow {
                domain, codomain, ..
            } => {
                !self.step(depth)
                    || (self.lower(variable, level, domain, depth + 1)
                        && self.lower(variable, level, codomain, depth + 1))
            }
        }
    }

    /// Lowers the levels of all variables in a type, so that no `let` outside this level generalises them.
    pub(crate) fn keep_at(&mut self, level: u32, ty: Ty) {
        // No variable is the error term, so that none is looked for.
        self.lower(Ty::ERROR, level, ty, 0);
    }
}

impl Clash {
    fn new(left: Ty, right: Ty) -> Self {
        Self {
            left,
            right,
            path: Vec::new(),
            is_infinite: false,
        }
    }

    fn within(mut self, part: Part) -> Self {
        self.path.push(part);
        self
    }
}
