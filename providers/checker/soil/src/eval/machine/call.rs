//! Calls and returns.

use std::rc::Rc;

use super::{Current, Frame, Machine, Then};
use crate::eval::primitive::Arguments;
use crate::eval::raised::Fault;
use crate::values::{Captures, Exhausted, Partial, Value};

/// Where the result of a call goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    /// To a register of the running frame.
    Register(u32),
    /// Out of the running frame.
    Out,
}

impl Machine<'_, '_> {
    /// Calls code whose arguments stand side by side in the running frame.
    #[inline]
    pub(super) fn enter_call(
        &mut self,
        code: u32,
        captures: Option<Rc<Captures>>,
        start: u32,
        to: u32,
        then: Then,
    ) -> Result<(), Fault> {
        if self.frames.len() + 2 > self.bounds.depth {
            return Err(Exhausted::Depth.into());
        }
        let made = &self.unit.codes[code as usize];
        let base = self.current.base + start as usize;
        let entered = Current {
            code,
            position: 0,
            base,
            captures,
        };
        let caller = std::mem::replace(&mut self.current, entered);
        self.frames.push(Frame { caller, to, then });
        self.widen(base, made.registers)
    }

    /// Goes on with code in place of the running frame.
    #[inline]
    pub(super) fn replace_call(
        &mut self,
        code: u32,
        captures: Option<Rc<Captures>>,
        start: u32,
    ) -> Result<(), Fault> {
        let made = &self.unit.codes[code as usize];
        let base = self.current.base;
        let arity = made.arity as usize;
        let start = base + start as usize;
        let end = base + self.registers() as usize;
        if start != base {
            for index in 0..arity {
                self.stack.swap(base + index, start + index);
            }
        }
        self.clear((base + arity).min(end), end);
        self.current.code = code;
        self.current.position = 0;
        self.current.captures = captures;
        self.widen(base, made.registers)
    }

    /// Calls a value with arguments that stand side by side; gives the result where nothing has to run for it.
    pub(super) fn apply(
        &mut self,
        function: Value,
        start: u32,
        count: u32,
        goal: Goal,
    ) -> Result<(), Fault> {
        let (code, captures) = match function {
            Value::Definition(code) => (code, None),
            Value::Closure(code, captures) => (code, Some(captures)),
            Value::Builtin(number)
                if self.unit.primitives[number as usize].arity() == count as usize =>
            {
                let value = self.primitive_of(number, start)?;
                return self.deliver(value, goal);
            }
            other => {
                let arguments = self.take_all(start, count).collect();
                return self.apply_values(other, arguments, goal);
            }
        };
        let arity = self.unit.codes[code as usize].arity;
        if arity == count {
            return match goal {
                Goal::Register(to) => self.enter_call(code, captures, start, to, Then::Store),
                Goal::Out => self.replace_call(code, captures, start),
            };
        }
        let arguments: Vec<Value> = self.take_all(start, count).collect();
        let function = match captures {
            Some(captures) => Value::Closure(code, captures),
            None => Value::Definition(code),
        };
        self.apply_values(function, arguments, goal)
    }

    /// Calls a value with arguments that stand nowhere.
    fn apply_values(
        &mut self,
        function: Value,
        mut arguments: Vec<Value>,
        goal: Goal,
    ) -> Result<(), Fault> {
        let mut function = function;
        if let Value::Partial(partial) = &function {
            let held = partial.arguments.values().iter().cloned();
            arguments.splice(0..0, held);
            let inner = partial.function.clone();
            function = inner;
        }
        let arity = match &function {
            Value::Definition(code) | Value::Closure(code, _) => {
                self.unit.codes[*code as usize].arity as usize
            }
            Value::Builtin(number) => self.unit.primitives[*number as usize].arity(),
            _ => return Err(crate::eval::primitive::mistyped()),
        };
        if arguments.len() < arity {
            let made = self.partial(function, arguments)?;
            return self.deliver(made, goal);
        }
        let rest = arguments.split_off(arity);
        let (code, captures) = match function {
            Value::Definition(code) => (code, None),
            Value::Closure(code, captures) => (code, Some(captures)),
            Value::Builtin(number) => {
                let primitive = self.unit.primitives[number as usize];
                let value = self.primitive(primitive, Arguments(arguments.iter_mut()))?;
                return if rest.is_empty() {
                    self.deliver(value, goal)
                } else {
                    self.apply_values(value, rest, goal)
                };
            }
            _ => return Err(crate::eval::primitive::mistyped()),
        };
        let (to, then) = match goal {
            Goal::Register(to) if rest.is_empty() => (to, Then::Store),
            Goal::Register(to) => (to, Then::Apply(rest)),
            Goal::Out if rest.is_empty() => {
                let base = self.current.base;
                self.place(base, arguments)?;
                return self.replace_call(code, captures, 0);
            }
            Goal::Out => (0, Then::TailApply(rest)),
        };
        // The arguments go behind the running frame.
        let start = self.registers();
        self.place(self.current.base + start as usize, arguments)?;
        self.enter_call(code, captures, start, to, then)
    }

    pub(super) fn partial(
        &mut self,
        function: Value,
        arguments: Vec<Value>,
    ) -> Result<Value, Fault> {
        self.meter.make(arguments.len())?;
        let arguments = Captures::from(arguments);
        Ok(Value::Partial(Rc::new(Partial {
            function,
            arguments,
        })))
    }

    fn deliver(&mut self, value: Value, goal: Goal) -> Result<(), Fault> {
        match goal {
            Goal::Register(to) => {
                self.set(to, value);
                Ok(())
            }
            // The instruction behind a call in tail position never runs, so the way out is taken here.
            Goal::Out => {
                self.outcome = self.leave(value)?;
                Ok(())
            }
        }
    }

    /// Ends the running frame with its value; gives it when no call waits.
    #[inline]
    pub(super) fn leave(&mut self, value: Value) -> Result<Option<Value>, Fault> {
        let Some(frame) = self.frames.pop() else {
            return Ok(Some(value));
        };
        let base = self.current.base;
        let end = base + self.registers() as usize;
        self.clear(base, end);
        self.current = frame.caller;
        match frame.then {
            Then::Store => self.set(frame.to, value),
            Then::Keep(code) => {
                self.globals[code as usize] = Some(value.clone());
                self.set(frame.to, value);
            }
            Then::Apply(arguments) => {
                self.apply_values(value, arguments, Goal::Register(frame.to))?;
            }
            Then::TailApply(arguments) => {
                self.apply_values(value, arguments, Goal::Out)?;
                return Ok(self.outcome.take());
            }
        }
        Ok(None)
    }
}
