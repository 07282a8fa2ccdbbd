//! Calls and returns.

use std::rc::Rc;

use super::{Current, Machine, Then};
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
        self.wait(to, then);
        self.registers.base += start as usize;
        self.current = Current {
            code,
            position: 0,
            captures,
        };
        self.registers
            .widen(self.unit.codes[code as usize].registers)
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
        let end = self.register_count();
        if start != 0 {
            self.registers.bring(start, made.arity);
        }
        self.registers.clear(made.arity.min(end), end);
        self.current = Current {
            code,
            position: 0,
            captures,
        };
        self.registers.widen(made.registers)
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
                let arguments = self.registers.take_all(start, count).collect();
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
        let arguments: Vec<Value> = self.registers.take_all(start, count).collect();
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
            Goal::Register(to) => (to, Then::Apply),
            Goal::Out if rest.is_empty() => {
                self.registers.place(0, arguments)?;
                return self.replace_call(code, captures, 0);
            }
            Goal::Out => (0, Then::TailApply),
        };
        if then != Then::Store {
            self.waiting.push(rest);
        }
        // The arguments go behind the running frame.
        let start = self.register_count();
        self.registers.place(start, arguments)?;
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
                self.registers.set(to, value);
                Ok(())
            }
            // The instruction behind a call in tail position never runs, so the way out is taken here.
            Goal::Out => {
                self.outcome = self.leave(value)?;
                Ok(())
            }
        }
    }

    /// Says which register of the waiting function gets the value of the running one, where nothing else happens with it.
    #[inline]
    pub(super) fn plain_goal(&self) -> Option<u32> {
        let frame = self.frames.last()?;
        (frame.then == Then::Store).then_some(frame.to)
    }

    /// Ends the running frame and goes on with the one that waits.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "each return passes here")]
    pub(super) fn resume(&mut self) -> Option<(u32, Then)> {
        let frame = self.frames.pop()?;
        self.registers.clear(0, self.register_count());
        self.registers.base = frame.base;
        self.current.code = frame.code;
        self.current.position = frame.position;
        self.current.captures = self.held.pop().flatten();
        Some((frame.to, frame.then))
    }

    /// Ends the running frame with its value; gives it when no call waits.
    pub(super) fn leave(&mut self, value: Value) -> Result<Option<Value>, Fault> {
        let Some((to, then)) = self.resume() else {
            return Ok(Some(value));
        };
        match then {
            Then::Store => self.registers.set(to, value),
            Then::Keep(code) => {
                self.globals[code as usize] = Some(value.clone());
                self.registers.set(to, value);
            }
            Then::Apply => {
                let arguments = self.waiting.pop().unwrap_or_default();
                self.apply_values(value, arguments, Goal::Register(to))?;
            }
            Then::TailApply => {
                let arguments = self.waiting.pop().unwrap_or_default();
                self.apply_values(value, arguments, Goal::Out)?;
                return Ok(self.outcome.take());
            }
        }
        Ok(None)
    }
}
