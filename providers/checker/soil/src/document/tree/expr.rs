//! Expressions.

use super::Nodes;
use crate::document::Writer;
use crate::syntax::tree::{Arm, Binding, ExprId, ExprKind, FieldValue, List};

impl Nodes<'_> {
    pub(super) fn expr(&self, writer: &mut Writer, id: ExprId) {
        self.node(writer, self.tree[id].span, |writer| {
            match self.tree[id].kind {
                kind @ (ExprKind::Let { .. }
                | ExprKind::Fun { .. }
                | ExprKind::If { .. }
                | ExprKind::Match { .. }) => self.block(writer, kind),
                kind @ (ExprKind::Or { .. }
                | ExprKind::And { .. }
                | ExprKind::Not { .. }
                | ExprKind::Comparison { .. }
                | ExprKind::Arithmetic { .. }
                | ExprKind::Negate { .. }
                | ExprKind::Apply { .. }) => self.operation(writer, kind),
                kind => self.atom(writer, kind),
            }
        });
    }

    fn block(&self, writer: &mut Writer, kind: ExprKind) {
        match kind {
            ExprKind::Let {
                is_rec,
                bindings,
                body,
            } => writer.variant("Let", |writer| {
                writer.key("is_rec").boolean(is_rec);
                self.bindings(writer.key("bindings"), bindings);
                self.expr(writer.key("body"), body);
            }),
            ExprKind::Fun { params, body } => writer.variant("Fun", |writer| {
                self.binders(writer, "params", params);
                self.expr(writer.key("body"), body);
            }),
            ExprKind::If {
                condition,
                then_branch,
                else_branch,
            } => writer.variant("If", |writer| {
                self.expr(writer.key("cond"), condition);
                self.expr(writer.key("then_branch"), then_branch);
                self.expr(writer.key("else_branch"), else_branch);
            }),
            ExprKind::Match { scrutinee, arms } => writer.variant("Match", |writer| {
                self.expr(writer.key("scrutinee"), scrutinee);
                self.arms(writer.key("arms"), arms);
            }),
            _ => writer.tag("Error"),
        }
    }

    fn bindings(&self, writer: &mut Writer, bindings: List<Binding>) {
        writer.array(|writer| {
            for binding in &self.tree[bindings] {
                writer.object(|writer| {
                    let binder = binding.binder;
                    writer
                        .key("binder")
                        .option(binder, |writer, binder| self.binder(writer, binder));
                    self.expr(writer.key("value"), binding.value);
                });
            }
        });
    }

    fn arms(&self, writer: &mut Writer, arms: List<Arm>) {
        writer.array(|writer| {
            for arm in &self.tree[arms] {
                self.node(writer, arm.span, |writer| {
                    writer.object(|writer| {
                        self.pattern(writer.key("pattern"), arm.pattern);
                        self.expr(writer.key("body"), arm.body);
                    });
                });
            }
        });
    }

    fn operation(&self, writer: &mut Writer, kind: ExprKind) {
        match kind {
            ExprKind::Or { lhs, rhs } => self.infix(writer, "OrE", None, lhs, rhs),
            ExprKind::And { lhs, rhs } => self.infix(writer, "AndE", None, lhs, rhs),
            ExprKind::Comparison { operator, lhs, rhs } => {
                self.infix(writer, "Cmp", Some(operator.tag()), lhs, rhs);
            }
            ExprKind::Arithmetic { operator, lhs, rhs } => {
                self.infix(writer, "Arith", Some(operator.tag()), lhs, rhs);
            }
            ExprKind::Not { operand } => {
                writer.variant("NotE", |writer| self.expr(writer.key("operand"), operand));
            }
            ExprKind::Negate { operand } => {
                writer.variant("Neg", |writer| self.expr(writer.key("operand"), operand));
            }
            ExprKind::Apply { function, argument } => writer.variant("App", |writer| {
                self.expr(writer.key("fn"), function);
                self.expr(writer.key("arg"), argument);
            }),
            _ => writer.tag("Error"),
        }
    }

    fn infix(
        &self,
        writer: &mut Writer,
        tag: &str,
        operator: Option<&str>,
        lhs: ExprId,
        rhs: ExprId,
    ) {
        writer.variant(tag, |writer| {
            if let Some(operator) = operator {
                writer.key("op").tag(operator);
            }
            self.expr(writer.key("lhs"), lhs);
            self.expr(writer.key("rhs"), rhs);
        });
    }

    fn atom(&self, writer: &mut Writer, kind: ExprKind) {
        match kind {
            ExprKind::Path { root, fields } => {
                writer.variant("Path", |writer| self.path(writer, root, fields));
            }
            ExprKind::Qualified { space, name } => writer.variant("Qualified", |writer| {
                self.name(writer, "space", space);
                self.name(writer, "name", name);
            }),
            ExprKind::Constructor { name } => {
                writer.variant("CtorE", |writer| self.name(writer, "name", name));
            }
            ExprKind::Record { base, fields } => {
                writer.variant("RecordE", |writer| self.record(writer, base, fields));
            }
            ExprKind::Literal(literal) => {
                writer.variant("Literal", |writer| self.literal(writer, literal));
            }
            ExprKind::Annotation { expr, ty } => writer.variant("Annot", |writer| {
                self.expr(writer.key("expr"), expr);
                self.ty(writer.key("ty"), ty);
            }),
            ExprKind::Hole { name } => {
                writer.variant("Hole", |writer| self.name(writer, "name", name));
            }
            _ => writer.tag("Error"),
        }
    }

    fn record(&self, writer: &mut Writer, base: Option<ExprId>, fields: List<FieldValue>) {
        let path = base.and_then(|base| match self.tree[base].kind {
            ExprKind::Path { root, fields } => Some((root, fields)),
            _ => None,
        });
        writer.key("update").option(path, |writer, (root, fields)| {
            writer.object(|writer| self.path(writer, root, fields));
        });
        writer.key("fields").array(|writer| {
            for field in &self.tree[fields] {
                writer.object(|writer| {
                    self.name(writer, "name", field.field.name);
                    self.expr(writer.key("value"), field.value);
                });
            }
        });
    }
}
