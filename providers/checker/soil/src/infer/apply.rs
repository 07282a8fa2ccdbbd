//! Calls and constructors.

use super::{Inferer, Performed, Performer};
use crate::diagnostic::Code;
use crate::environment::{ConstructorId, Payload};
use crate::names::Referent;
use crate::source::Span;
use crate::syntax::tree::{ExprId, ExprKind};
use crate::types::store::{Node, RowId, RowTail, Ty};

/// An argument with what its function takes and performs.
#[derive(Clone, Copy)]
struct Parameter {
    /// The application.
    call: ExprId,
    argument: ExprId,
    domain: Option<Ty>,
    row: RowId,
    is_checked: bool,
}

impl Inferer<'_, '_> {
    /// Finds the type of an application to one or more arguments.
    pub(super) fn apply(&mut self, id: ExprId, expected: Option<Ty>) -> Ty {
        let base = self.spine.len();
        let mut head = id;
        while let ExprKind::Apply { function, argument } = self.tree[head].kind {
            self.spine.push((head, argument));
            head = function;
        }
        self.spine[base..].reverse();
        let constructor = match (self.tree[head].kind, self.is_constructor(head)) {
            (ExprKind::Constructor { .. } | ExprKind::Qualified { .. }, Some(found)) => Some(found),
            _ => None,
        };
        let ty = match constructor {
            Some(constructor) => self.construct_applied(id, constructor, base, expected),
            None => self.call(id, head, base, expected),
        };
        self.spine.truncate(base);
        ty
    }

    fn is_constructor(&self, head: ExprId) -> Option<ConstructorId> {
        match self.tree[head].kind {
            ExprKind::Constructor { .. } | ExprKind::Qualified { .. } => {
                match self.referents.expr(head) {
                    Referent::Constructor(constructor) => Some(constructor),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn call(&mut self, id: ExprId, head: ExprId, base: usize, expected: Option<Ty>) -> Ty {
        let is_unknown = matches!(
            self.tree[head].kind,
            ExprKind::Path { .. } | ExprKind::Qualified { .. } | ExprKind::Constructor { .. }
        ) && self.referents.expr(head) == Referent::Unknown
            && !self.has_fields(head);
        let function = match self.tree[head].kind {
            ExprKind::Path { fields, .. } if !is_unknown => self.path(head, fields, None),
            _ if is_unknown => Ty::ERROR,
            _ => self.expr(head, None),
        };
        if is_unknown {
            return self.unknown_call(head, base, expected);
        }
        let mut parameters = Vec::with_capacity(self.spine.len() - base);
        let result = self.parameters_of(function, head, base, &mut parameters);
        let mut is_settled = false;
        if let Some(expected) = expected {
            // What the place asks for may settle what the arguments have to be; whether it fits is judged behind them.
            is_settled = self.store.unify(expected, result).is_ok();
        }
        self.check_arguments(&mut parameters);
        for parameter in &parameters {
            self.perform(parameter.call, parameter.row, Performer::Call(head));
        }
        match expected {
            Some(expected) if is_settled => expected,
            _ => self.demand_result(id, head, result, parameters.len(), expected),
        }
    }

    fn is_unresolved(&self, id: ExprId) -> bool {
        matches!(
            self.tree[id].kind,
            ExprKind::Path { .. } | ExprKind::Qualified { .. }
        ) && self.referents.expr(id) == Referent::Unknown
    }

    fn has_fields(&self, id: ExprId) -> bool {
        matches!(self.tree[id].kind, ExprKind::Path { fields, .. } if !fields.is_empty())
    }

    /// Finds what a function takes for each argument; gives the type of the result.
    fn parameters_of(
        &mut self,
        function: Ty,
        head: ExprId,
        base: usize,
        parameters: &mut Vec<Parameter>,
    ) -> Ty {
        let mut rest = function;
        let mut applied = head;
        for position in base..self.spine.len() {
            let (call, argument) = self.spine[position];
            let is_absorbed = self.is_unresolved(argument);
            if is_absorbed && matches!(self.tree[applied].kind, ExprKind::Literal(_)) {
                rest = Ty::ERROR;
            }
            if self.store.is_variable(rest) {
                // The arguments so far may say what is returned.
                self.check_arguments(parameters);
            }
            if self.store.is_variable(rest) {
                let (domain, codomain) = (self.store.fresh(), self.store.fresh());
                let row = self.store.fresh_row();
                let arrow = self.store.arrow(domain, row, codomain);
                if self.store.unify(rest, arrow).is_err() {
                    rest = Ty::ERROR;
                }
            }
            let mut parameter = Parameter {
                call,
                argument,
                domain: None,
                row: RowId::EMPTY,
                is_checked: false,
            };
            match self.store.node(rest) {
                Node::Arrow {
                    domain,
                    row,
                    codomain,
                } => {
                    parameter.domain = Some(domain);
                    parameter.row = row;
                    rest = codomain;
                }
                Node::Error => {}
                // What does not resolve may be no argument at all, but a word of another language.
                _ if is_absorbed => rest = Ty::ERROR,
                _ => {
                    let given = position - base;
                    let whole = self.spine.last().map_or(head, |(call, _)| *call);
                    self.report_no_function(head, applied, whole, rest, given);
                    rest = Ty::ERROR;
                }
            }
            parameters.push(parameter);
            applied = call;
        }
        rest
    }

    /// Checks arguments in order, lambdas last, so that their parameters have types.
    fn check_arguments(&mut self, parameters: &mut [Parameter]) {
        for takes_lambdas in [false, true] {
            for parameter in parameters.iter_mut() {
                let kind = self.tree[parameter.argument].kind;
                let is_lambda = matches!(kind, ExprKind::Fun { .. });
                if !parameter.is_checked && is_lambda == takes_lambdas {
                    parameter.is_checked = true;
                    self.expr(parameter.argument, parameter.domain);
                }
            }
        }
    }

    /// Notes that a row is performed here.
    pub(super) fn perform(&mut self, expr: ExprId, row: RowId, by: Performer) {
        let (effects, tail) = self.store.effects(row);
        if effects.is_empty() && tail == RowTail::Closed {
            return;
        }
        self.performed.push(Performed {
            context: self.context,
            expr,
            row,
            by,
        });
    }

    fn construct_applied(
        &mut self,
        id: ExprId,
        constructor: ConstructorId,
        base: usize,
        expected: Option<Ty>,
    ) -> Ty {
        let (_, first) = self.spine[base];
        let count = self.spine.len() - base;
        let ty = self.construct(id, constructor, Some(first), expected);
        if count > 1 {
            let is_empty = matches!(
                self.environment.variant(constructor).payload,
                Payload::Empty
            );
            if !is_empty {
                self.report_payload(self.span(id), constructor, true);
            }
            for position in base + 1..self.spine.len() {
                let (_, argument) = self.spine[position];
                self.expr(argument, None);
            }
        }
        ty
    }

    /// Finds the type of a constructor with its payload, if one is written.
    pub(super) fn construct(
        &mut self,
        id: ExprId,
        constructor: ConstructorId,
        argument: Option<ExprId>,
        expected: Option<Ty>,
    ) -> Ty {
        let environment = self.environment;
        let owner = environment[constructor].owner;
        let own = self.store.applied_fresh(owner, environment);
        let payload = &environment.variant(constructor).payload;
        if argument.is_none() && !matches!(payload, Payload::Empty) {
            self.report_unapplied(id, constructor, expected);
            // Whether it would be the right type then is no second question: mostly a function is meant.
            return expected.map_or(own, |_| Ty::ERROR);
        }
        // The expected type settles what the payload has to be.
        let ty = self.demand(id, own, expected);
        let arguments = self.type_arguments(own);
        match (payload, argument) {
            (_, None) => {}
            (Payload::Empty, Some(argument)) => {
                self.report_payload(self.span(id), constructor, true);
                self.expr(argument, None);
            }
            (Payload::Value(shape), Some(argument)) => {
                let payload = self.store.shaped(shape, &arguments, environment, 0);
                self.expr(argument, Some(payload));
            }
            (Payload::Record(declared), Some(argument)) => {
                let text = self.program.constructor_text(constructor);
                match self.tree[argument].kind {
                    ExprKind::Record { base: None, fields } => {
                        self.check_fields(self.span(id), fields, declared, &text);
                        self.field_values(fields, declared, &arguments);
                    }
                    ExprKind::Error => {}
                    _ => {
                        let message = format!("what `{text}` carries is written as a record");
                        let span = self.span(argument);
                        self.report(Code::TypeMismatch, span, message);
                        self.expr(argument, None);
                    }
                }
            }
        }
        ty
    }

    /// Reports an expression that is a constructor without its payload; where a function is asked for, with the one to write.
    fn report_unapplied(&mut self, id: ExprId, constructor: ConstructorId, expected: Option<Ty>) {
        let wants_function = expected
            .is_some_and(|expected| matches!(self.store.node(expected), Node::Arrow { .. }));
        let carries_value = matches!(
            self.environment.variant(constructor).payload,
            Payload::Value(_)
        );
        if !(wants_function && carries_value) {
            return self.report_payload(self.span(id), constructor, false);
        }
        let text = self.program.constructor_text(constructor);
        let message = format!(
            "`{text}` is no function: it has to be applied to what it carries, as in `fun x -> {text} x`"
        );
        self.report(Code::TypeMismatch, self.span(id), message);
    }

    /// Reports a constructor whose payload is missing or one too many.
    pub(super) fn report_payload(
        &mut self,
        span: Span,
        constructor: ConstructorId,
        is_extra: bool,
    ) {
        let text = self.program.constructor_text(constructor);
        let message = if is_extra {
            let carries_one = !matches!(
                self.environment.variant(constructor).payload,
                Payload::Empty
            );
            let carried = if carries_one { "one value" } else { "nothing" };
            format!("`{text}` carries {carried}")
        } else {
            format!("`{text}` has to be applied to what it carries")
        };
        self.report(Code::TypeMismatch, span, message);
    }
}
