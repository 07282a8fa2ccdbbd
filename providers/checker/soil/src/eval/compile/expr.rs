//! Expressions.

use std::rc::Rc;

use super::super::code::{Instruction, Source};
use super::super::primitive::Primitive;
use super::function::{Function, Place};
use super::{Entry, Origin, count};
use crate::check::ExprFact;
use crate::environment::{Number, Payload};
use crate::names::Referent;
use crate::syntax::tree::{
    ArithmeticOperator, Binder, Binding, ExprId, ExprKind, List, Literal, LocalId,
};
use crate::values::{Value, big_integer, fits};

impl Function<'_, '_, '_> {
    /// Evaluates to where the value already is, or to a register of its own.
    pub(super) fn operand(&mut self, id: ExprId) -> Source {
        match self.part.tree[id].kind {
            ExprKind::Path { fields, .. } if fields.is_empty() => {
                if let Some(source) = self.named(id) {
                    self.node();
                    return source;
                }
            }
            ExprKind::Qualified { .. } | ExprKind::Constructor { .. } => {
                if let Some(source) = self.named(id) {
                    self.node();
                    return source;
                }
            }
            ExprKind::Literal(literal) => {
                self.node();
                let value = self.literal(literal, self.number_of(id));
                return self.constant(value);
            }
            ExprKind::Annotation { expr, .. } => {
                self.node();
                return self.operand(expr);
            }
            _ => {}
        }
        let to = self.register();
        self.into(id, to);
        Source::register(to)
    }

    /// Evaluates to the next register, so that several values stand side by side.
    pub(super) fn argument(&mut self, id: ExprId) {
        let to = self.register();
        self.into(id, to);
        self.release(to + 1);
    }

    /// Evaluates to a register; those above the first free one may be used on the way.
    pub(super) fn into(&mut self, id: ExprId, to: u32) {
        let mark = self.mark();
        self.evaluate(id, to);
        self.release(mark);
    }

    fn evaluate(&mut self, id: ExprId, to: u32) {
        let kind = self.part.tree[id].kind;
        match kind {
            ExprKind::Let {
                is_rec,
                bindings,
                body,
            } => {
                self.bindings(is_rec, bindings);
                self.into(body, to);
            }
            ExprKind::Fun { params, body } => {
                self.node();
                self.lambda(params, body, to);
            }
            ExprKind::If {
                condition,
                then_branch,
                else_branch,
            } => self.choice(condition, (then_branch, else_branch), to),
            ExprKind::Match { scrutinee, arms } => self.matched(scrutinee, arms, Some(to)),
            ExprKind::Or { .. } | ExprKind::And { .. } | ExprKind::Not { .. } => {
                self.truth(id, to);
            }
            ExprKind::Comparison { operator, lhs, rhs } => {
                let (left, right) = (self.operand(lhs), self.operand(rhs));
                self.node();
                self.emit(Instruction::Compare {
                    operator,
                    to,
                    left,
                    right,
                });
            }
            ExprKind::Arithmetic { operator, lhs, rhs } => {
                self.arithmetic(id, operator, (lhs, rhs), to);
            }
            ExprKind::Negate { operand } => {
                let from = self.operand(operand);
                self.node();
                match self.number_of(id) {
                    Some(number) => self.emit(Instruction::Negate { number, to, from }),
                    None => self.hole(),
                }
            }
            ExprKind::Apply { .. } => self.call(id, Some(to)),
            ExprKind::Path { fields, .. } if !fields.is_empty() => self.fields(id, fields, to),
            ExprKind::Path { .. } | ExprKind::Qualified { .. } | ExprKind::Constructor { .. } => {
                self.node();
                self.name_into(id, to);
            }
            ExprKind::Record { base, fields } => self.record(id, base, fields, to),
            ExprKind::Literal(_) => {
                let from = self.operand(id);
                self.emit(Instruction::Copy { to, from });
            }
            ExprKind::Annotation { expr, .. } => {
                self.node();
                self.into(expr, to);
            }
            ExprKind::Hole { .. } => {
                self.node();
                self.written_hole(self.part.tree[id].span);
            }
            ExprKind::Error => self.hole(),
        }
    }

    fn choice(&mut self, condition: ExprId, (yes, no): (ExprId, ExprId), to: u32) {
        let (otherwise, end) = (self.label(), self.label());
        self.node();
        self.branch(condition, otherwise, false);
        self.into(yes, to);
        self.emit(Instruction::Jump {
            target: Self::target(end),
        });
        self.put(otherwise);
        self.into(no, to);
        self.put(end);
    }

    /// Evaluates as the last thing of the function.
    pub(super) fn tail(&mut self, id: ExprId) {
        match self.part.tree[id].kind {
            ExprKind::Let {
                is_rec,
                bindings,
                body,
            } => {
                self.bindings(is_rec, bindings);
                self.tail(body);
            }
            ExprKind::If {
                condition,
                then_branch,
                else_branch,
            } => {
                let otherwise = self.label();
                self.node();
                let mark = self.mark();
                self.branch(condition, otherwise, false);
                self.release(mark);
                self.tail(then_branch);
                self.put(otherwise);
                self.release(mark);
                self.tail(else_branch);
            }
            ExprKind::Match { scrutinee, arms } => self.matched(scrutinee, arms, None),
            ExprKind::Apply { .. } => self.call(id, None),
            ExprKind::Annotation { expr, .. } => {
                self.node();
                self.tail(expr);
            }
            _ => {
                let from = self.operand(id);
                self.emit(Instruction::Return { from });
            }
        }
    }

    fn bindings(&mut self, is_rec: bool, bindings: List<Binding>) {
        self.node();
        if is_rec {
            self.group(bindings);
            return;
        }
        // No value sees the new names, so they are bound when all values are there.
        let bound: Vec<(LocalId, Binding)> = self.part.tree.bound(bindings).collect();
        let mut values = Vec::with_capacity(bound.len());
        for (local, binding) in bound {
            let source = self.operand(binding.value);
            values.push((local, source));
        }
        for (local, source) in values {
            self.bind(local, source);
        }
    }

    /// Makes a lambda with the values that it holds.
    fn lambda(&mut self, params: List<Binder>, body: ExprId, to: u32) {
        let free = self.free_locals([(params, body)], &[]);
        let start = self.mark();
        self.hold(&free);
        let code = self.compiler.reserve();
        self.lambda_code(code, params, body, &free, &[]);
        self.emit(match count(free.len()) {
            0 => Instruction::Lambda { to, code },
            count => Instruction::Closure {
                to,
                code,
                start,
                count,
            },
        });
        self.release(start);
    }

    /// Makes the lambdas of a `let rec`, which share the values that they hold.
    fn group(&mut self, bindings: List<Binding>) {
        let tree = self.part.tree;
        let members: Vec<(LocalId, List<Binder>, ExprId)> = tree
            .bound(bindings)
            .filter_map(|(local, binding)| match unwrapped(tree, binding.value) {
                ExprKind::Fun { params, body } => Some((local, params, body)),
                _ => None,
            })
            .collect();
        let own: Vec<LocalId> = members.iter().map(|(local, ..)| *local).collect();
        let bodies = members.iter().map(|(_, params, body)| (*params, *body));
        let free = self.free_locals(bodies, &own);
        let to = self.mark();
        for _ in &members {
            self.register();
            self.node();
        }
        let start = self.mark();
        self.hold(&free);
        let siblings: Vec<(LocalId, u32, u32)> = members
            .iter()
            .map(|(local, params, _)| (*local, self.compiler.reserve(), count(params.len())))
            .collect();
        for ((_, params, body), (_, code, _)) in members.iter().zip(&siblings) {
            self.lambda_code(*code, *params, *body, &free, &siblings);
        }
        let members = self.list(siblings.iter().map(|(_, code, _)| *code).collect());
        self.emit(Instruction::Group {
            to,
            members,
            start,
            count: count(free.len()),
        });
        self.release(start);
        for (position, (local, ..)) in (0..).zip(&siblings) {
            self.bind(*local, Source::register(to + position));
        }
        if siblings.len() < bindings.len() {
            // The checker lets lambdas alone pass.
            self.hole();
        }
    }

    /// Puts the values of locals side by side.
    fn hold(&mut self, free: &[LocalId]) {
        for local in free {
            let to = self.register();
            self.local_into(*local, to);
        }
    }

    fn lambda_code(
        &mut self,
        code: u32,
        params: List<Binder>,
        body: ExprId,
        free: &[LocalId],
        siblings: &[(LocalId, u32, u32)],
    ) {
        let mut inner = Function::new(self.compiler, self.part, Rc::clone(&self.owner));
        for (local, _) in inner.part.tree.params(params) {
            let register = inner.register();
            inner.bind(local, Source::register(register));
        }
        for (index, local) in (0..).zip(free) {
            inner.bind(*local, Source::capture(index));
        }
        for (local, code, arity) in siblings {
            inner.locals.insert(*local, Place::Sibling(*code, *arity));
        }
        inner.own = Some(code);
        inner.tail(body);
        let made = inner.finish(count(params.len()));
        self.contain(&made);
        self.compiler.codes[code as usize] = Some(made);
    }

    fn arithmetic(
        &mut self,
        id: ExprId,
        operator: ArithmeticOperator,
        (lhs, rhs): (ExprId, ExprId),
        to: u32,
    ) {
        let (left, right) = (self.operand(lhs), self.operand(rhs));
        self.node();
        let Some(number) = self.number_of(id) else {
            self.hole();
            return;
        };
        self.emit(match (operator, number) {
            (ArithmeticOperator::Add, Number::I64) => Instruction::AddSigned { to, left, right },
            (ArithmeticOperator::Subtract, Number::I64) => {
                Instruction::SubtractSigned { to, left, right }
            }
            _ => Instruction::Arithmetic {
                operator,
                number,
                to,
                left,
                right,
            },
        });
    }

    /// Gives the number type that the checker found for a literal or an operation.
    pub(super) fn number_of(&self, id: ExprId) -> Option<Number> {
        match self.part.facts.expr(id) {
            Some(ExprFact::Number(number)) => Some(number),
            _ => None,
        }
    }

    pub(super) fn literal(&mut self, literal: Literal, number: Option<Number>) -> Value {
        let names = &self.part.program.names;
        match literal {
            Literal::Text(text) => Value::text(&names[text]),
            Literal::Float(text) => Value::Float(names[text].parse().unwrap_or(f64::NAN)),
            Literal::Int(digits) => {
                let digits = &names[digits];
                let number = number.unwrap_or(Number::I64);
                if number == Number::BigInt {
                    let value = big_integer(digits).unwrap_or_default();
                    return Value::Big(Rc::new(value));
                }
                // The checker refused what does not fit.
                let value = digits.parse().ok();
                value
                    .and_then(|value| fits(number, value))
                    .unwrap_or(Value::Signed(0))
            }
        }
    }

    /// Gives where the value of a name already is.
    pub(super) fn named(&mut self, id: ExprId) -> Option<Source> {
        match self.part.referents.expr(id) {
            Referent::Local(local) => match self.locals.get(&local) {
                Some(Place::At(source)) => Some(*source),
                _ => None,
            },
            Referent::Definition(_) | Referent::Prelude(_) => {
                let global = self.global(id)?;
                self.refer(global.code);
                (global.arity > 0).then(|| self.constant(Value::Definition(global.code)))
            }
            Referent::Constructor(constructor) => {
                let environment = self.compiler.environment();
                let tag = environment[constructor].variant;
                let is_empty = matches!(environment.variant(constructor).payload, Payload::Empty);
                is_empty.then(|| self.constant(Value::Tag(tag)))
            }
            Referent::Builtin(_) | Referent::Operation(..) => {
                let primitive = self.primitive_of(id)?;
                let value = primitive.value().unwrap_or_else(|| {
                    let number = self.compiler.primitive(primitive);
                    Value::Builtin(number)
                });
                Some(self.constant(value))
            }
            Referent::Unknown => None,
        }
    }

    /// Gives what runs for the definition that a name means.
    pub(super) fn global(&self, id: ExprId) -> Option<Entry> {
        let (origin, definition) = match self.part.referents.expr(id) {
            // The prelude is a program of its own; its definitions are its own ones.
            Referent::Definition(definition) => (self.part.origin, definition),
            Referent::Prelude(definition) => (Origin::Prelude, definition),
            _ => return None,
        };
        self.compiler.entries.get(&(origin, definition)).copied()
    }

    /// Puts what a name means into a register.
    pub(super) fn name_into(&mut self, id: ExprId, to: u32) {
        if let Some(from) = self.named(id) {
            self.emit(Instruction::Copy { to, from });
            return;
        }
        if let Referent::Local(local) = self.part.referents.expr(id) {
            return self.local_into(local, to);
        }
        match self.global(id) {
            Some(Entry { code, .. }) => self.emit(Instruction::Global { to, code }),
            None => self.hole(),
        }
    }

    fn local_into(&mut self, local: LocalId, to: u32) {
        match self.locals.get(&local).copied() {
            Some(Place::At(from)) => self.emit(Instruction::Copy { to, from }),
            Some(Place::Sibling(code, _)) => self.emit(Instruction::Sibling { to, code }),
            None => self.hole(),
        }
    }

    /// Gives the builtin or the operation that a name means.
    pub(super) fn primitive_of(&mut self, id: ExprId) -> Option<Primitive> {
        match self.part.referents.expr(id) {
            Referent::Builtin(builtin) => Primitive::builtin(builtin.name()),
            Referent::Operation(ty, operation) => {
                let form = match self.part.facts.expr(id) {
                    Some(ExprFact::Operand(closed)) => {
                        Some(self.compiler.form(self.part.origin, closed))
                    }
                    _ => None,
                };
                Primitive::operation(operation, Number::of(ty), form)
            }
            _ => None,
        }
    }
}

/// Gives an expression without its annotations.
fn unwrapped(tree: &crate::syntax::Tree, mut id: ExprId) -> ExprKind {
    while let ExprKind::Annotation { expr, .. } = tree[id].kind {
        id = expr;
    }
    tree[id].kind
}
