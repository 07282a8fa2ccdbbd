//! Calls.

use super::super::code::{Instruction, Source};
use super::super::primitive::{Builtin, Primitive};
use super::count;
use super::function::{Function, Place};
use crate::environment::{ConstructorId, Payload};
use crate::names::Referent;
use crate::syntax::tree::{ExprId, ExprKind};

impl Function<'_, '_, '_> {
    /// Evaluates an application with all its arguments at once, to a register or as the last thing of the function.
    ///
    /// The function comes first, then the arguments from left to right, then the call.
    pub(super) fn call(&mut self, id: ExprId, to: Option<u32>) {
        let tree = self.part.tree;
        let mut arguments = Vec::new();
        let mut head = id;
        loop {
            match tree[head].kind {
                ExprKind::Apply { function, argument } => {
                    arguments.push(argument);
                    head = function;
                    self.node();
                }
                ExprKind::Annotation { expr, .. } => {
                    head = expr;
                    self.node();
                }
                _ => break,
            }
        }
        arguments.reverse();
        let mark = self.mark();
        match self.part.referents.expr(head) {
            Referent::Constructor(constructor) if is_name(tree[head].kind) => {
                self.node();
                self.constructed(constructor, &arguments, to);
            }
            Referent::Local(local) if is_name(tree[head].kind) => match self.locals.get(&local) {
                Some(Place::Sibling(code, arity)) if *arity == count(arguments.len()) => {
                    let code = *code;
                    self.node();
                    if to.is_none() && self.own == Some(code) {
                        self.again(&arguments);
                        return self.release(mark);
                    }
                    let start = self.arguments(&arguments);
                    self.emit(match to {
                        Some(to) => Instruction::CallSibling { to, code, start },
                        None => Instruction::TailSibling { code, start },
                    });
                }
                _ => self.unknown(head, &arguments, to),
            },
            Referent::Definition(_) | Referent::Prelude(_) => self.known(head, &arguments, to),
            Referent::Builtin(_) | Referent::Operation(..) => {
                self.primitive_call(head, &arguments, to);
            }
            _ => self.unknown(head, &arguments, to),
        }
        self.release(mark);
    }

    /// Begins the function anew; an argument that is the parameter of its own place stays where it is.
    fn again(&mut self, arguments: &[ExprId]) {
        let start = self.mark();
        let mut moved = Vec::new();
        for (position, argument) in (0..).zip(arguments) {
            if self.is_at(*argument, Source::register(position)) {
                self.node();
            } else {
                self.argument(*argument);
                moved.push(position);
            }
        }
        let arity = count(arguments.len());
        let moved = self.list(moved);
        self.emit(Instruction::Again {
            start,
            arity,
            moved,
        });
    }

    /// Says whether an expression is a local that stands at a place.
    fn is_at(&self, id: ExprId, place: Source) -> bool {
        let Referent::Local(local) = self.part.referents.expr(id) else {
            return false;
        };
        let found = self.locals.get(&local);
        is_name(self.part.tree[id].kind) && matches!(found, Some(Place::At(at)) if *at == place)
    }

    /// Puts arguments side by side; gives the first register.
    fn arguments(&mut self, arguments: &[ExprId]) -> u32 {
        let start = self.mark();
        for argument in arguments {
            self.argument(*argument);
        }
        start
    }

    fn known(&mut self, head: ExprId, arguments: &[ExprId], to: Option<u32>) {
        let is_name = is_name(self.part.tree[head].kind);
        let count = count(arguments.len());
        let entry = self.global(head);
        let exact = entry.filter(|entry| is_name && entry.arity == count);
        let Some(entry) = exact else {
            return self.unknown(head, arguments, to);
        };
        let code = entry.code;
        self.refer(code);
        self.node();
        let start = self.arguments(arguments);
        self.emit(match to {
            Some(to) => Instruction::CallDefinition { to, code, start },
            None => Instruction::TailDefinition { code, start },
        });
    }

    /// Calls a value that is known only when the program runs, or a function with fewer or more arguments than it takes.
    fn unknown(&mut self, head: ExprId, arguments: &[ExprId], to: Option<u32>) {
        let function = self.operand(head);
        let start = self.arguments(arguments);
        let count = count(arguments.len());
        match to {
            Some(to) => self.emit(Instruction::Call {
                to,
                function,
                start,
                count,
            }),
            None => self.emit(Instruction::TailCall {
                function,
                start,
                count,
            }),
        }
    }

    fn primitive_call(&mut self, head: ExprId, arguments: &[ExprId], to: Option<u32>) {
        let found = self.primitive_of(head);
        let exact = found.filter(|found| found.arity() == arguments.len());
        let Some(primitive) = exact else {
            return self.unknown(head, arguments, to);
        };
        self.node();
        let target = to.unwrap_or_else(|| self.register());
        match (primitive.as_builtin(), arguments) {
            (None, [left, right]) if primitive == Primitive::Compare => {
                let (left, right) = (self.operand(*left), self.operand(*right));
                self.emit(Instruction::Order {
                    to: target,
                    left,
                    right,
                });
            }
            (Some(Builtin::ListLen), [list]) => {
                let from = self.operand(*list);
                self.emit(Instruction::ListLength { to: target, from });
            }
            (Some(Builtin::ListNth), [list, index]) => {
                let (list, index) = (self.operand(*list), self.operand(*index));
                self.emit(Instruction::ListElement {
                    to: target,
                    list,
                    index,
                });
            }
            (Some(Builtin::ListAppend), _) => {
                let start = self.arguments(arguments);
                self.emit(Instruction::ListAppend { to: target, start });
            }
            (Some(Builtin::MapGet), [map, key]) => {
                let (map, key) = (self.operand(*map), self.operand(*key));
                self.emit(Instruction::MapEntry {
                    to: target,
                    map,
                    key,
                });
            }
            (Some(Builtin::MapInsert), _) => {
                let start = self.arguments(arguments);
                self.emit(Instruction::MapInsert { to: target, start });
            }
            _ => {
                let start = self.arguments(arguments);
                let primitive = self.compiler.primitive(primitive);
                self.emit(Instruction::Primitive {
                    to: target,
                    primitive,
                    start,
                });
            }
        }
        if to.is_none() {
            self.emit(Instruction::Return {
                from: Source::register(target),
            });
        }
    }

    /// Makes a variant.
    fn constructed(&mut self, constructor: ConstructorId, arguments: &[ExprId], to: Option<u32>) {
        let environment = self.compiler.environment();
        let tag = environment[constructor].variant;
        let start = self.mark();
        let count = match (&environment.variant(constructor).payload, arguments) {
            (Payload::Value(_), [argument]) => {
                self.argument(*argument);
                1
            }
            (Payload::Record(declared), [argument]) => {
                self.inline_record(declared, *argument);
                self.mark() - start
            }
            _ => return self.hole(),
        };
        let target = to.unwrap_or(start);
        self.emit(Instruction::Variant {
            to: target,
            tag,
            start,
            count,
        });
        if to.is_none() {
            self.emit(Instruction::Return {
                from: Source::register(target),
            });
        }
    }
}

/// Says whether an expression is a name alone, without fields behind it.
fn is_name(kind: ExprKind) -> bool {
    match kind {
        ExprKind::Path { fields, .. } => fields.is_empty(),
        ExprKind::Qualified { .. } | ExprKind::Constructor { .. } => true,
        _ => false,
    }
}
