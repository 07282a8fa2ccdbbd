//! The locals that a lambda takes from around it.

use super::function::Function;
use crate::names::Referent;
use crate::syntax::tree::{Binder, ExprId, ExprKind, List, LocalId};

impl Function<'_, '_, '_> {
    /// Lists the locals of this function that lambdas use, by first use; `own` are the lambdas themselves.
    pub(super) fn free_locals(
        &self,
        lambdas: impl IntoIterator<Item = (List<Binder>, ExprId)>,
        own: &[LocalId],
    ) -> Vec<LocalId> {
        let mut found = Vec::new();
        for (_, body) in lambdas {
            self.find_free(body, own, &mut found);
        }
        found
    }

    /// Binders within a lambda have numbers of their own, which this function does not know yet.
    fn find_free(&self, id: ExprId, own: &[LocalId], found: &mut Vec<LocalId>) {
        let tree = self.part.tree;
        let mut visit = |id: ExprId| self.find_free(id, own, found);
        match tree[id].kind {
            ExprKind::Path { .. } => {
                if let Referent::Local(local) = self.part.referents.expr(id)
                    && self.locals.contains_key(&local)
                    && !own.contains(&local)
                    && !found.contains(&local)
                {
                    found.push(local);
                }
            }
            ExprKind::Let { bindings, body, .. } => {
                for binding in &tree[bindings] {
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
                for arm in &tree[arms] {
                    visit(arm.body);
                }
            }
            ExprKind::Or { lhs, rhs }
            | ExprKind::And { lhs, rhs }
            | ExprKind::Comparison { lhs, rhs, .. }
            | ExprKind::Arithmetic { lhs, rhs, .. } => {
                visit(lhs);
                visit(rhs);
            }
            ExprKind::Not { operand } | ExprKind::Negate { operand } => visit(operand),
            ExprKind::Apply { function, argument } => {
                visit(function);
                visit(argument);
            }
            ExprKind::Record { base, fields } => {
                base.into_iter().for_each(&mut visit);
                for field in &tree[fields] {
                    visit(field.value);
                }
            }
            ExprKind::Annotation { expr, .. } => visit(expr),
            ExprKind::Qualified { .. }
            | ExprKind::Constructor { .. }
            | ExprKind::Literal(_)
            | ExprKind::Hole { .. }
            | ExprKind::Error => {}
        }
    }
}
