//! What is settled behind the body: literals, operators, contexts.

use super::{
    Inferer, OperationKind, PendingLiteral, PendingOperation, Performed, Performer, Place,
};
use crate::diagnostic::{Code, Diagnostic, Edit, EditKind};
use crate::environment::Number;
use crate::facts::{ExprFact, PatternFact};
use crate::source::Span;
use crate::syntax::Name;
use crate::syntax::tree::{Effect, Effects};
use crate::types::ClosedType;
use crate::types::store::{Node, RowTail, Ty};

impl Inferer<'_, '_> {
    /// Gives each integer literal that nothing settled the type I64, and checks all of them.
    pub(super) fn resolve_literals(&mut self) {
        for position in 0..self.literals.len() {
            let literal = self.literals[position];
            if self.store.is_variable(literal.ty) {
                // A variable takes any type that does not hold it.
                let _ = self.store.unify(literal.ty, Ty::I64);
            }
            self.resolve_literal(literal);
        }
    }

    /// Checks a literal whose type is known.
    pub(super) fn resolve_literal(&mut self, literal: PendingLiteral) {
        let PendingLiteral { place, digits, ty } = literal;
        let number = match self.store.node(ty) {
            Node::Error => return,
            Node::Type { id, .. } => Number::of(id).filter(|number| number.is_integer()),
            _ => None,
        };
        let Some(number) = number else {
            self.report_literal_mismatch(place, ty);
            return;
        };
        match place {
            Place::Expr(id) => self.facts.set_expr(id, ExprFact::Number(number)),
            Place::Pattern(id) => self.facts.set_pattern(id, PatternFact::Number(number)),
        }
        let Some(max) = number.max() else {
            return;
        };
        let text = self.text(digits);
        if text.parse::<u64>().is_ok_and(|value| value <= max) {
            return;
        }
        let name = self.text(self.environment[number.id()].name).to_owned();
        self.mark_faulty(place);
        self.report_out_of_range(place, digits, &name);
    }

    pub(super) fn place_span(&self, place: Place) -> Span {
        match place {
            Place::Expr(id) => self.tree[id].span,
            Place::Pattern(id) => self.tree[id].span,
        }
    }

    /// Reports a number that is too large; which one was meant only a reader knows, so that an expression becomes a hole.
    pub(super) fn report_out_of_range(&mut self, place: Place, text: Name, ty: &str) {
        let span = self.place_span(place);
        let shown: String = self.text(text).chars().take(60).collect();
        let message = format!("`{shown}` is out of the range of `{ty}`");
        let code = Code::LiteralOutOfRange;
        let mut diagnostic = Diagnostic::at(code, self.file.id, span, message);
        let numbers = Number::ALL.into_iter();
        let max = numbers
            .filter(|number| self.text(self.environment[number.id()].name) == ty)
            .find_map(Number::max);
        if let Some(max) = max {
            diagnostic = diagnostic.with_note(format!("the largest one is {max}"));
        }
        match (place, max) {
            (Place::Expr(id), _) => diagnostic.edits.extend(self.hole_edit(id, "number")),
            (Place::Pattern(_), Some(max)) => {
                let text = max.to_string();
                let title = format!("write the largest one, `{text}`");
                let file = self.file.id;
                let edit = Edit::new(EditKind::Choice, title, file, span, text);
                diagnostic.edits.push(edit);
            }
            (Place::Pattern(_), None) => {}
        }
        self.push(diagnostic);
    }

    /// Resolves each operation by its type, which has to be concrete by now.
    pub(super) fn resolve_operations(&mut self) {
        for position in 0..self.operations.len() {
            let operation = self.operations[position];
            if self.store.exceeded().is_some() {
                return;
            }
            if self.store.holds_error(operation.ty) {
                continue;
            }
            if self.store.holds_variable(operation.ty) {
                self.report_polymorphic(operation);
                continue;
            }
            match operation.kind {
                OperationKind::Add | OperationKind::Divide | OperationKind::Negate => {
                    self.resolve_arithmetic(operation);
                }
                _ => self.resolve_derived(operation),
            }
        }
    }

    fn report_polymorphic(&mut self, operation: PendingOperation) {
        let shown = self.show(operation.ty);
        let is_number = matches!(
            operation.kind,
            OperationKind::Add | OperationKind::Divide | OperationKind::Negate
        );
        // Arithmetic on a type that is applied to variables is no question of the variables.
        if is_number && !self.is_bare_variable(operation.ty) {
            self.report_not_numeric(operation);
            return;
        }
        let message = format!("the operation works on one concrete type, `{shown}` is none");
        let span = self.span(operation.expr);
        let code = Code::OperatorPolymorphic;
        let note = "state the type with an annotation, or take the operation as a parameter";
        let diagnostic = Diagnostic::at(code, self.file.id, span, message).with_note(note);
        self.push(diagnostic);
    }

    fn is_bare_variable(&self, ty: Ty) -> bool {
        matches!(self.store.node(ty), Node::Variable { .. } | Node::Rigid(_))
    }

    fn report_not_numeric(&mut self, operation: PendingOperation) {
        let shown = self.show(operation.ty);
        let message = format!("arithmetic works on numbers, here is a `{shown}`");
        let place = Place::Expr(operation.expr);
        self.report_kind_mismatch(place, message, "a numeric type", &shown, Vec::new());
    }

    fn resolve_arithmetic(&mut self, operation: PendingOperation) {
        let number = match self.store.node(operation.ty) {
            Node::Type { id, .. } => Number::of(id),
            _ => None,
        };
        let Some(number) = number else {
            self.report_not_numeric(operation);
            return;
        };
        self.facts
            .set_expr(operation.expr, ExprFact::Number(number));
        let by = match operation.kind {
            OperationKind::Divide if number.is_integer() => Performer::DivZero,
            OperationKind::Add | OperationKind::Negate if number.has_fixed_width() => {
                Performer::Overflow
            }
            _ => return,
        };
        let panic = Effects::NONE.with(Effect::Panic);
        let row = self.store.row(panic, RowTail::Closed);
        self.performed.push(Performed {
            context: operation.context,
            expr: operation.expr,
            row,
            by,
        });
    }

    fn resolve_derived(&mut self, operation: PendingOperation) {
        let (name, takes_opaque) = match operation.kind {
            OperationKind::Equal => ("equality", true),
            OperationKind::Show => ("text", true),
            OperationKind::Hash => ("hash", false),
            _ => ("order", false),
        };
        if let Some(culprit) = self.underivable(operation.ty, takes_opaque) {
            let shown = self.show(operation.ty);
            let culprit = self.show(culprit);
            let message = format!("`{shown}` has no {name}: `{culprit}` has none");
            let span = self.span(operation.expr);
            self.report(Code::NonDerivable, span, message);
            return;
        }
        if let Some(closed) = self.close(operation.ty) {
            self.facts
                .set_expr(operation.expr, ExprFact::Operand(closed));
        }
    }

    /// Finds what in a type has no derived operation.
    fn underivable(&mut self, ty: Ty, takes_opaque: bool) -> Option<Ty> {
        if !self.store.step(0) {
            return None;
        }
        match self.store.node(ty) {
            Node::Arrow { .. } => Some(ty),
            Node::Type { id, start, len } => {
                if !takes_opaque && self.environment.holds_opaque(id) {
                    return Some(ty);
                }
                (0..len).find_map(|index| {
                    let is_shown = self.environment.shows_param(id, index as usize);
                    let argument = self.store.argument(start, index);
                    is_shown
                        .then(|| self.underivable(argument, takes_opaque))
                        .flatten()
                })
            }
            _ => None,
        }
    }

    /// Gives a type without variables and functions.
    fn close(&mut self, ty: Ty) -> Option<ClosedType> {
        if !self.store.step(0) {
            return None;
        }
        let Node::Type { id, start, len } = self.store.node(ty) else {
            return None;
        };
        let arguments = (0..len).map(|index| self.close(self.store.argument(start, index)));
        let arguments = arguments.collect::<Option<Vec<_>>>()?;
        Some(self.closed.intern(id, arguments))
    }

    /// Lets the rows of lambdas grow to what is performed in them, until nothing changes.
    pub(super) fn grow_contexts(&mut self) {
        loop {
            let mut has_changed = false;
            for position in 0..self.performed.len() {
                has_changed |= self.grow(position);
            }
            // A second way through meets chains that run against the text.
            for position in (0..self.performed.len()).rev() {
                has_changed |= self.grow(position);
            }
            if !has_changed {
                return;
            }
        }
    }

    fn grow(&mut self, position: usize) -> bool {
        let performed = self.performed[position];
        let context = self.contexts[performed.context].row;
        self.store.grow(context, performed.row)
    }
}
