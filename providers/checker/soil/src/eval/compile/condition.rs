//! Conditions and truth values.

use super::super::code::Instruction;
use super::function::{Function, Label};
use crate::syntax::tree::{ComparisonOperator, ExprId, ExprKind};
use crate::values::Value;

impl Function<'_, '_, '_> {
    /// Jumps when an expression is as asked for, and goes on behind it otherwise.
    pub(super) fn branch(&mut self, id: ExprId, label: Label, is: bool) {
        match self.part.tree[id].kind {
            ExprKind::And { lhs, rhs } => self.both(lhs, rhs, label, is),
            ExprKind::Or { lhs, rhs } => self.either(lhs, rhs, label, is),
            ExprKind::Not { operand } => {
                self.node();
                self.branch(operand, label, !is);
            }
            ExprKind::Comparison { operator, lhs, rhs } => {
                let mark = self.mark();
                let (left, right) = (self.operand(lhs), self.operand(rhs));
                self.release(mark);
                self.node();
                let operator = if is { operator } else { opposite(operator) };
                self.emit(Instruction::JumpCompare {
                    operator,
                    left,
                    right,
                    target: Self::target(label),
                });
            }
            _ => {
                let mark = self.mark();
                let condition = self.operand(id);
                self.release(mark);
                self.emit(Instruction::JumpIf {
                    condition,
                    is,
                    target: Self::target(label),
                });
            }
        }
    }

    fn both(&mut self, lhs: ExprId, rhs: ExprId, label: Label, is: bool) {
        self.node();
        if is {
            let end = self.label();
            self.branch(lhs, end, false);
            self.branch(rhs, label, true);
            self.put(end);
        } else {
            self.branch(lhs, label, false);
            self.branch(rhs, label, false);
        }
    }

    fn either(&mut self, lhs: ExprId, rhs: ExprId, label: Label, is: bool) {
        self.node();
        if is {
            self.branch(lhs, label, true);
            self.branch(rhs, label, true);
        } else {
            let end = self.label();
            self.branch(lhs, end, true);
            self.branch(rhs, label, false);
            self.put(end);
        }
    }

    /// Puts the value of a condition into a register.
    pub(super) fn truth(&mut self, id: ExprId, to: u32) {
        let (fails, end) = (self.label(), self.label());
        self.branch(id, fails, false);
        let from = self.constant(Value::TRUE);
        self.emit(Instruction::Copy { to, from });
        self.emit(Instruction::Jump {
            target: Self::target(end),
        });
        self.put(fails);
        let from = self.constant(Value::FALSE);
        self.emit(Instruction::Copy { to, from });
        self.put(end);
    }
}

/// Gives the operator that holds exactly where the other one does not; the order is total.
const fn opposite(operator: ComparisonOperator) -> ComparisonOperator {
    match operator {
        ComparisonOperator::Equal => ComparisonOperator::NotEqual,
        ComparisonOperator::NotEqual => ComparisonOperator::Equal,
        ComparisonOperator::Less => ComparisonOperator::GreaterEqual,
        ComparisonOperator::LessEqual => ComparisonOperator::Greater,
        ComparisonOperator::Greater => ComparisonOperator::LessEqual,
        ComparisonOperator::GreaterEqual => ComparisonOperator::Less,
    }
}
