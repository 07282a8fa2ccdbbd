//! The loop.

use super::call::Goal;
use super::{Machine, Then};
use crate::environment::Number;
use crate::eval::code::{Instruction, Source, SourceKind};
use crate::eval::primitive::{
    Arguments, append, arithmetic, element, entry, found, insert, length, mistyped, negate,
    overflow, signed_arithmetic,
};
use crate::eval::raised::Fault;
use crate::syntax::tree::ComparisonOperator;
use crate::values::{Value, compare};
use std::cmp::Ordering;
use std::mem::ManuallyDrop;
use std::rc::Rc;

impl Machine<'_, '_> {
    /// Runs until the outermost call has its value.
    pub(super) fn run(&mut self) -> Result<Value, Fault> {
        use Instruction as I;
        let unit = self.unit;
        'frame: loop {
            let steps = &unit.codes[self.current.code as usize].steps[..];
            let mut position = self.current.position;
            loop {
                let step = &steps[position];
                position += 1;
                self.meter.spend(u64::from(step.cost))?;
                match step.instruction {
                    I::Copy { to, from } => self.copy(to, from),
                    I::Take { to, from } => {
                        let value = self.registers.take(from);
                        self.registers.set(to, value);
                    }
                    I::AddSigned { to, left, right } => self.add(to, left, right)?,
                    I::SubtractSigned { to, left, right } => self.subtract(to, left, right)?,
                    I::JumpCompare { .. } => {
                        position = self.compared(step.instruction, position)?;
                    }
                    I::ListElement { to, list, index } => self.list_element(to, list, index)?,
                    I::ListAppend { to, start } => self.list_append(to, start)?,
                    I::Jump { .. }
                    | I::JumpIf { .. }
                    | I::JumpUnlessTag { .. }
                    | I::JumpUnlessEqual { .. }
                    | I::Switch { .. } => position = self.jump(step.instruction, position)?,
                    I::MapValue { .. } => position = self.map_value(step.instruction, position)?,
                    // A loop keeps its frame, and all that the frame knows.
                    I::Again { start, moved, .. } => {
                        self.again(start, moved);
                        position = 0;
                    }
                    I::TailSibling { code, start } => {
                        let captures = self.current.captures.take();
                        self.replace_call(code, captures, start)?;
                        continue 'frame;
                    }
                    I::CallDefinition { .. } | I::CallSibling { .. } | I::Call { .. } => {
                        self.current.position = position;
                        self.begin_call(step.instruction)?;
                        continue 'frame;
                    }
                    I::Return { from } => {
                        if let Some(value) = self.give_back(from)? {
                            return Ok(value);
                        }
                        continue 'frame;
                    }
                    I::TailDefinition { .. }
                    | I::TailCall { .. }
                    | I::Global { .. }
                    | I::GuardBegin { .. } => {
                        self.current.position = position;
                        self.transfer(step.instruction)?;
                        if let Some(value) = self.outcome.take() {
                            return Ok(value);
                        }
                        continue 'frame;
                    }
                    other => self.compute(other)?,
                }
            }
        }
    }

    /// Puts the arguments that change where the running function begins with them.
    #[inline]
    fn again(&mut self, start: u32, moved: u32) {
        let unit = self.unit;
        for (from, to) in (start..).zip(&unit.lists[moved as usize]) {
            let value = self.registers.take(from);
            self.registers.set(*to, value);
        }
        let code = &unit.codes[self.current.code as usize];
        self.registers.clear(code.arity, code.registers);
    }

    /// Finds where the code goes on after a comparison.
    #[inline]
    fn compared(&mut self, instruction: Instruction, next: usize) -> Result<usize, Fault> {
        let Instruction::JumpCompare {
            operator,
            left,
            right,
            target,
        } = instruction
        else {
            return Ok(next);
        };
        let holds = self.holds(operator, left, right)?;
        Ok(if holds { target as usize } else { next })
    }

    /// Finds where the code goes on.
    #[inline]
    fn jump(&mut self, instruction: Instruction, next: usize) -> Result<usize, Fault> {
        use Instruction as I;
        let (jumps, target) = match instruction {
            I::Jump { target } => (true, target),
            I::JumpIf {
                condition,
                is,
                target,
            } => (matches!(self.read(condition), Value::Tag(0)) == is, target),
            I::JumpUnlessTag { from, tag, target } => (self.tag(from)? != tag, target),
            I::JumpUnlessEqual {
                from,
                constant,
                target,
            } => (
                !self.holds(ComparisonOperator::Equal, from, constant)?,
                target,
            ),
            I::Switch { from, table } => {
                let tag = self.tag(from)?;
                let targets = &self.unit.switches[table as usize];
                let target = targets.get(tag as usize).copied();
                (true, target.ok_or_else(mistyped)?)
            }
            _ => (false, 0),
        };
        Ok(if jumps { target as usize } else { next })
    }

    /// Calls what is known, or a value.
    #[inline]
    fn begin_call(&mut self, instruction: Instruction) -> Result<(), Fault> {
        use Instruction as I;
        match instruction {
            I::CallDefinition { to, code, start } => {
                self.enter_call(code, None, start, to, Then::Store)
            }
            I::CallSibling { to, code, start } => {
                let captures = self.current.captures.clone();
                self.enter_call(code, captures, start, to, Then::Store)
            }
            I::Call {
                to,
                function,
                start,
                count,
            } => self.call_value(to, function, start, count),
            _ => Ok(()),
        }
    }

    /// Calls a value; one with as many arguments as it takes without going through all the kinds of functions.
    #[inline]
    fn call_value(
        &mut self,
        to: u32,
        function: Source,
        start: u32,
        count: u32,
    ) -> Result<(), Fault> {
        let arity = |code: u32| self.unit.codes[code as usize].arity;
        let (code, captures) = match self.read(function) {
            Value::Definition(code) if arity(*code) == count => (*code, None),
            Value::Closure(code, captures) if arity(*code) == count => {
                (*code, Some(Rc::clone(captures)))
            }
            other => {
                let function = other.clone();
                return self.apply(function, start, count, Goal::Register(to));
            }
        };
        self.enter_call(code, captures, start, to, Then::Store)
    }

    /// Changes the running frame.
    fn transfer(&mut self, instruction: Instruction) -> Result<(), Fault> {
        use Instruction as I;
        match instruction {
            I::TailDefinition { code, start } => self.replace_call(code, None, start),
            I::TailCall {
                function,
                start,
                count,
            } => {
                let function = self.read(function).clone();
                self.apply(function, start, count, Goal::Out)
            }
            I::Global { to, code } => {
                if let Some(Some(value)) = self.globals.get(code as usize) {
                    let value = value.clone();
                    self.registers.set(to, value);
                    return Ok(());
                }
                let start = self.register_count();
                self.enter_call(code, None, start, to, Then::Keep(code))
            }
            I::GuardBegin { code, target } => {
                if !self.guarding.begin(code) {
                    self.current.position = target as usize;
                }
                Ok(())
            }
            _ => Err(Fault::internal("an instruction is not known")),
        }
    }

    /// Computes a value in the running frame.
    #[inline]
    fn compute(&mut self, instruction: Instruction) -> Result<(), Fault> {
        use Instruction as I;
        match instruction {
            I::Spend => {}
            I::Arithmetic {
                operator,
                number,
                to,
                left,
                right,
            } => {
                let (operands, meter) = self.operands();
                let (first, second) = (operands.read(left), operands.read(right));
                let value = match (first, second) {
                    (Value::Signed(first), Value::Signed(second)) => {
                        signed_arithmetic(operator, number, *first, *second)?
                    }
                    (first, second) => arithmetic(operator, number, first, second, meter)?,
                };
                self.registers.set(to, value);
            }
            I::Part { to, from, index } => {
                let part = match self.read(from) {
                    Value::Record(fields) | Value::Variant(_, fields) => {
                        fields.values().get(index as usize)
                    }
                    _ => None,
                };
                let value = part.ok_or_else(mistyped)?.copied();
                self.registers.set(to, value);
            }
            I::ListLength { to, from } => {
                let value = length(self.read(from))?;
                self.registers.set(to, value);
            }
            I::MapEntry { to, map, key } => self.map_entry(to, map, key)?,
            I::Order { to, left, right } => {
                let ordering = self.order(left, right)?;
                self.registers.set(to, Value::Signed(ordering as i64));
            }
            I::MapInsert { to, start } => self.map_insert(to, start)?,
            I::Primitive {
                to,
                primitive,
                start,
            } => self.primitive_at(to, primitive, start)?,
            I::Compare {
                operator,
                to,
                left,
                right,
            } => {
                let holds = self.holds(operator, left, right)?;
                self.registers.set(to, Value::boolean(holds));
            }
            I::Negate { number, to, from } => {
                let (operands, meter) = self.operands();
                let value = negate(number, operands.read(from), meter)?;
                self.registers.set(to, value);
            }
            other => self.make(other)?,
        }
        Ok(())
    }

    #[inline]
    fn list_append(&mut self, to: u32, start: u32) -> Result<(), Fault> {
        let (list, value) = (self.registers.take(start), self.registers.take(start + 1));
        let list = append(list, value, &mut self.meter)?;
        self.registers.set(to, list);
        Ok(())
    }

    #[inline]
    fn map_entry(&mut self, to: u32, map: Source, key: Source) -> Result<(), Fault> {
        let (operands, meter) = self.operands();
        let value = entry(operands.read(map), operands.read(key), meter)?;
        self.registers.set(to, value);
        Ok(())
    }

    /// Takes the value of a key out of a map, or finds where the code goes on without one.
    #[inline]
    fn map_value(&mut self, instruction: Instruction, next: usize) -> Result<usize, Fault> {
        let Instruction::MapValue {
            to,
            map,
            key,
            target,
        } = instruction
        else {
            return Ok(next);
        };
        let (operands, meter) = self.operands();
        let Some(value) = found(operands.read(map), operands.read(key), meter)? else {
            return Ok(target as usize);
        };
        let value = value.copied();
        meter.make(1)?;
        self.registers.set(to, value);
        Ok(next)
    }

    #[inline]
    fn map_insert(&mut self, to: u32, start: u32) -> Result<(), Fault> {
        let map = self.registers.take(start);
        let (key, value) = (
            self.registers.take(start + 1),
            self.registers.take(start + 2),
        );
        let map = insert(map, key, value, &mut self.meter)?;
        self.registers.set(to, map);
        Ok(())
    }

    #[inline]
    fn copy(&mut self, to: u32, from: Source) {
        let value = self.read(from).copied();
        self.registers.set(to, value);
    }

    #[inline]
    fn add(&mut self, to: u32, left: Source, right: Source) -> Result<(), Fault> {
        let (left, right) = self.signed(left, right)?;
        let sum = left.checked_add(right);
        let sum = sum.ok_or_else(|| overflow("+", Number::I64))?;
        self.registers.set(to, Value::Signed(sum));
        Ok(())
    }

    #[inline]
    fn subtract(&mut self, to: u32, left: Source, right: Source) -> Result<(), Fault> {
        let (left, right) = self.signed(left, right)?;
        let rest = left.checked_sub(right);
        let rest = rest.ok_or_else(|| overflow("-", Number::I64))?;
        self.registers.set(to, Value::Signed(rest));
        Ok(())
    }

    #[inline]
    fn list_element(&mut self, to: u32, list: Source, index: Source) -> Result<(), Fault> {
        let (operands, meter) = self.operands();
        let value = element(operands.read(list), operands.read(index), meter)?.copied();
        self.registers.set(to, value);
        Ok(())
    }

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "two numbers in registers, or a pair of them in memory"
    )]
    fn signed(&self, left: Source, right: Source) -> Result<(i64, i64), Fault> {
        match (self.read(left), self.read(right)) {
            (Value::Signed(left), Value::Signed(right)) => Ok((*left, *right)),
            _ => Err(mistyped()),
        }
    }

    /// Takes the value of a frame that ends.
    #[inline]
    fn result(&mut self, from: Source) -> Value {
        match from.kind() {
            SourceKind::Register(register) => self.registers.take(register),
            _ => self.read(from).copied(),
        }
    }

    /// Ends the running frame with its value; gives it when no call waits.
    #[inline]
    fn give_back(&mut self, from: Source) -> Result<Option<Value>, Fault> {
        // Free of clean-up until it is stored, as registers are moved.
        let value = ManuallyDrop::new(self.result(from));
        let Some(to) = self.plain_goal() else {
            return self.leave(ManuallyDrop::into_inner(value));
        };
        self.resume();
        self.registers.set(to, ManuallyDrop::into_inner(value));
        Ok(None)
    }

    #[inline]
    fn primitive_at(&mut self, to: u32, primitive: u32, start: u32) -> Result<(), Fault> {
        let value = self.primitive_of(primitive, start)?;
        self.registers.set(to, value);
        Ok(())
    }

    /// Runs a primitive on arguments that stand side by side.
    pub(super) fn primitive_of(&mut self, primitive: u32, start: u32) -> Result<Value, Fault> {
        /// The most arguments that any primitive takes.
        const MAX_ARITY: usize = 3;
        let primitive = self.unit.primitives[primitive as usize];
        let mut arguments = [Value::Unit, Value::Unit, Value::Unit];
        let taken = &mut arguments[..primitive.arity().min(MAX_ARITY)];
        for (offset, argument) in (0..).zip(taken) {
            *argument = self.registers.take(start + offset);
        }
        self.primitive(primitive, Arguments(arguments.iter_mut()))
    }

    fn tag(&self, from: Source) -> Result<u32, Fault> {
        match self.read(from) {
            Value::Tag(tag) | Value::Variant(tag, _) => Ok(*tag),
            _ => Err(mistyped()),
        }
    }

    #[inline]
    fn holds(
        &mut self,
        operator: ComparisonOperator,
        left: Source,
        right: Source,
    ) -> Result<bool, Fault> {
        let ordering = self.order(left, right)?;
        Ok(accepts(operator, ordering))
    }

    /// Compares two values, the commonest kind without a call.
    #[inline]
    fn order(&mut self, left: Source, right: Source) -> Result<Ordering, Fault> {
        match (self.read(left), self.read(right)) {
            (Value::Signed(left), Value::Signed(right)) => Ok(left.cmp(right)),
            _ => self.order_of_others(left, right),
        }
    }

    #[inline(never)]
    fn order_of_others(&mut self, left: Source, right: Source) -> Result<Ordering, Fault> {
        let (operands, meter) = self.operands();
        Ok(compare(operands.read(left), operands.read(right), meter)?)
    }
}

/// Says whether an order of two values is what an operator asks for.
#[inline]
const fn accepts(operator: ComparisonOperator, ordering: Ordering) -> bool {
    // A bit for each order, from less to greater, so that no jump depends on the operator.
    let orders = match operator {
        ComparisonOperator::Equal => 0b010,
        ComparisonOperator::NotEqual => 0b101,
        ComparisonOperator::Less => 0b001,
        ComparisonOperator::LessEqual => 0b011,
        ComparisonOperator::Greater => 0b100,
        ComparisonOperator::GreaterEqual => 0b110,
    };
    orders >> (ordering as i8 + 1) & 1 == 1
}
