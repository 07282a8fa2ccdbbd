//! Operators and derived operations.

use super::{Inferer, OperationKind, PendingOperation};
use crate::environment::{Number, Operation, TypeId};
use crate::syntax::tree::{
    ArithmeticOperator, ComparisonOperator, Effect, Effects, ExprId, ExprKind, Literal,
};
use crate::types::store::{Node, RowId, Ty};

/// What two operands belong to.
#[derive(Clone, Copy)]
enum Operator {
    Comparison,
    /// Arithmetic, with the type that its place asks for.
    Arithmetic(Option<Ty>),
}

impl Inferer<'_, '_> {
    /// Checks both sides of a comparison against each other.
    pub(super) fn comparison(
        &mut self,
        id: ExprId,
        operator: ComparisonOperator,
        lhs: ExprId,
        rhs: ExprId,
    ) {
        let ty = self.operands(lhs, rhs, Operator::Comparison);
        let kind = match operator {
            ComparisonOperator::Equal | ComparisonOperator::NotEqual => OperationKind::Equal,
            _ => OperationKind::Compare,
        };
        self.await_operation(id, ty, kind);
    }

    /// Checks both sides of arithmetic against each other; gives the type in which it works.
    pub(super) fn arithmetic(
        &mut self,
        id: ExprId,
        operator: ArithmeticOperator,
        lhs: ExprId,
        rhs: ExprId,
        expected: Option<Ty>,
    ) -> Ty {
        let ty = self.operands(lhs, rhs, Operator::Arithmetic(expected));
        let kind = match operator {
            ArithmeticOperator::Divide | ArithmeticOperator::Modulo => OperationKind::Divide,
            _ => OperationKind::Add,
        };
        self.await_operation(id, ty, kind);
        ty
    }

    pub(super) fn negation(&mut self, id: ExprId, operand: ExprId) -> Ty {
        let ty = self.expr(operand, None);
        self.await_operation(id, ty, OperationKind::Negate);
        ty
    }

    /// Checks two operands, which have one type. Of two that differ, the one that is wrong is the one that
    /// is not what the operator takes or its place asks for.
    fn operands(&mut self, lhs: ExprId, rhs: ExprId, operator: Operator) -> Ty {
        let left = self.expr(lhs, None);
        let right = if self.takes_expected(rhs) {
            self.expr(rhs, Some(left))
        } else {
            self.expr(rhs, None)
        };
        let Err(clash) = self.store.unify(left, right) else {
            // A side that is not known yet is the same variable by now.
            return if self.store.is_error(left) {
                right
            } else {
                left
            };
        };
        let blames_left = match operator {
            Operator::Arithmetic(expected) => self.is_less_fitting(left, right, expected),
            Operator::Comparison => self.is_literal(lhs) && !self.is_literal(rhs),
        };
        if blames_left {
            let clash = crate::types::store::Clash {
                left: clash.right,
                right: clash.left,
                ..clash
            };
            self.report_mismatch(super::Place::Expr(lhs), right, left, &clash);
        } else {
            self.report_mismatch(super::Place::Expr(rhs), left, right, &clash);
        }
        Ty::ERROR
    }

    /// Says whether an operand needs to know what the other one is.
    fn takes_expected(&self, id: ExprId) -> bool {
        matches!(
            self.tree[id].kind,
            ExprKind::Record { .. } | ExprKind::Fun { .. }
        )
    }

    /// Says whether of two operands of arithmetic the left one is wrong.
    fn is_less_fitting(&self, left: Ty, right: Ty, expected: Option<Ty>) -> bool {
        let number = |ty: Ty| match self.store.node(ty) {
            Node::Type { id, .. } => Number::of(id),
            _ => None,
        };
        let (left, right) = (number(left), number(right));
        let expected = expected.and_then(number);
        match (left, right) {
            (None, Some(_)) => true,
            (Some(_), Some(right)) => expected == Some(right),
            _ => false,
        }
    }

    fn is_literal(&self, id: ExprId) -> bool {
        let kind = self.tree[id].kind;
        matches!(
            kind,
            ExprKind::Literal(Literal::Int(_) | Literal::Float(_) | Literal::Text(_))
        )
    }

    pub(super) fn await_operation(&mut self, expr: ExprId, ty: Ty, kind: OperationKind) {
        self.operations.push(PendingOperation {
            expr,
            ty,
            context: self.context,
            kind,
        });
    }

    /// Notes that the first argument of a map builtin's map has to have an order.
    pub(super) fn order_needed(&mut self, id: ExprId, ty: Ty) {
        if let Node::Arrow { domain, .. } = self.store.node(ty)
            && let Some(key) = self.type_arguments(domain).first()
        {
            self.await_operation(id, *key, OperationKind::Compare);
        }
    }

    /// Makes the type of `T::operation`, whose arguments have to end concrete.
    pub(super) fn operation_type(&mut self, id: ExprId, owner: TypeId, operation: Operation) -> Ty {
        let ty = self.store.applied_fresh(owner, self.environment);
        let kind = match operation {
            Operation::Eq => OperationKind::Equal,
            Operation::Compare => OperationKind::Compare,
            Operation::Show => OperationKind::Show,
            Operation::Hash => OperationKind::Hash,
            _ => return self.numeric_operation(owner, ty, operation),
        };
        self.await_operation(id, ty, kind);
        let result = match operation {
            Operation::Eq => Ty::BOOL,
            Operation::Compare => Ty::I64,
            Operation::Show => Ty::UTF8,
            _ => Ty::of(crate::environment::ids::U64),
        };
        if matches!(operation, Operation::Eq | Operation::Compare) {
            let row = self.store.fresh_row();
            let second = self.store.arrow(ty, row, result);
            let row = self.store.fresh_row();
            return self.store.arrow(ty, row, second);
        }
        let row = self.store.fresh_row();
        self.store.arrow(ty, row, result)
    }

    fn numeric_operation(&mut self, owner: TypeId, ty: Ty, operation: Operation) -> Ty {
        let panics = operation.panics_for(Number::of(owner));
        let effects = if panics {
            Effects::NONE.with(Effect::Panic)
        } else {
            Effects::NONE
        };
        let row = self.store.open_row(effects);
        let last = self.store.arrow(ty, row, ty);
        if operation == Operation::Neg {
            return last;
        }
        let row: RowId = self.store.fresh_row();
        self.store.arrow(ty, row, last)
    }
}
