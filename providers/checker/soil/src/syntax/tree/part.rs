//! The parts of an expression.

use super::{ExprId, ExprKind, Tree};
use crate::syntax::Name;

impl Tree {
    /// Says whether the text of an expression without brackets around it ends in the arms of a match.
    pub(crate) fn ends_in_match(&self, mut id: ExprId) -> bool {
        loop {
            id = match self[id].kind {
                ExprKind::Match { .. } => return true,
                ExprKind::Let { body, .. } | ExprKind::Fun { body, .. } => body,
                ExprKind::If { else_branch, .. } => else_branch,
                _ => return false,
            };
        }
    }

    /// Says whether an expression mentions one of some names, bare or behind a `::`.
    pub(crate) fn uses_any(&self, names: &[Name]) -> bool {
        self.expr_ids().any(|id| match self[id].kind {
            ExprKind::Path { root: name, .. } | ExprKind::Qualified { name, .. } => {
                names.contains(&name)
            }
            _ => false,
        })
    }

    /// Visits the expressions that an expression directly consists of, in the order of the text.
    pub fn for_each_part(&self, id: ExprId, mut visit: impl FnMut(ExprId)) {
        match self[id].kind {
            ExprKind::Let { bindings, body, .. } => {
                for binding in &self[bindings] {
                    visit(binding.value);
                }
                visit(body);
            }
            ExprKind::Fun { body, .. } => visit(body),
            ExprKind::If {
                condition,
                then_branch,
                else_branch,
            } => {
                visit(condition);
                visit(then_branch);
                visit(else_branch);
            }
            ExprKind::Match { scrutinee, arms } => {
                visit(scrutinee);
                for arm in &self[arms] {
                    visit(arm.body);
                }
            }
            ExprKind::Or { lhs, rhs }
            | ExprKind::And { lhs, rhs }
            | ExprKind::Comparison { lhs, rhs, .. }
            | ExprKind::Arithmetic { lhs, rhs, .. }
            | ExprKind::Apply {
                function: lhs,
                argument: rhs,
            } => {
                visit(lhs);
                visit(rhs);
            }
            ExprKind::Not { operand }
            | ExprKind::Negate { operand }
            | ExprKind::Annotation { expr: operand, .. } => visit(operand),
            ExprKind::Record { base, fields } => {
                if let Some(base) = base {
                    visit(base);
                }
                for field in &self[fields] {
                    visit(field.value);
                }
            }
            ExprKind::Path { .. }
            | ExprKind::Qualified { .. }
            | ExprKind::Constructor { .. }
            | ExprKind::Literal(_)
            | ExprKind::Hole { .. }
            | ExprKind::Error => {}
        }
    }
}
