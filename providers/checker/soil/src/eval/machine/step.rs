//! The loop.

use super::call::Goal;
use super::{Machine, Then};
use crate::environment::Number;
use crate::eval::code::{Instruction, Source, SourceKind};
use crate::eval::primitive::{
    Arguments, append, arithmetic, element, entry, insert, length, mistyped, negate, overflow,
    signed_arithmetic,
};
use crate::eval::raised::Fault;
use crate::syntax::tree::ComparisonOperator;
use crate::values::{Captures, Value, compare};
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
                    I::JumpCompare {
                        operator,
                        left,
                        right,
                        target,
                    } => {
                        if self.holds(operator, left, right)? {
                            position = target as usize;
                        }
                    }
                    I::ListElement { to, list, index } => self.list_element(to, list, index)?,
                    I::ListAppend { to, start } => self.list_append(to, start)?,
                    I::Jump { .. }
                    | I::JumpIf { .. }
                    | I::JumpUnlessTag { .. }
                    | I::JumpUnlessEqual { .. }
                    | I::Switch { .. } => position = self.jump(step.instruction, position)?,
                    I::TailSibling { code, start } => {
                        let captures = self.current.captures.take();
                        self.replace_call(code, captures, start)?;
                        continue 'frame;
                    }
                    I::CallDefinition { to, code, start } => {
                        self.current.position = position;
                        self.enter_call(code, None, start, to, Then::Store)?;
                        continue 'frame;
                    }
                    I::Return { from } => {
                        if let Some(value) = self.give_back(from)? {
                            return Ok(value);
                        }
                        continue 'frame;
                    }
                    I::CallSibling { .. }
                    | I::TailDefinition { .. }
                    | I::Call { .. }
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

    /// Changes the running frame.
    fn transfer(&mut self, instruction: Instruction) -> Result<(), Fault> {
        use Instruction as I;
        match instruction {
            I::CallSibling { to, code, start } => {
                let captures = self.current.captures.clone();
                self.enter_call(code, captures, start, to, Then::Store)
            }
            I::TailDefinition { code, start } => self.replace_call(code, None, start),
            I::Call {
                to,
                function,
                start,
                count,
            } => {
                let function = self.read(function).clone();
                self.apply(function, start, count, Goal::Register(to))
            }
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

    /// Makes something.
    fn make(&mut self, instruction: Instruction) -> Result<(), Fault> {
        use Instruction as I;
        match instruction {
            I::Record { to, start, count } => {
                self.meter.make(count as usize)?;
                let value = Value::record(self.registers.take_all(start, count));
                self.registers.set(to, value);
            }
            I::Variant {
                to,
                tag,
                start,
                count,
            } => {
                self.meter.make(count as usize)?;
                let value = Value::variant(tag, self.registers.take_all(start, count));
                self.registers.set(to, value);
            }
            I::Update {
                to,
                from,
                start,
                fields,
            } => self.update(to, from, start, fields)?,
            I::Closure {
                to,
                code,
                start,
                count,
            } => {
                self.meter.make(count as usize)?;
                let captures: Vec<Value> = self.registers.take_all(start, count).collect();
                let value = Value::Closure(code, Rc::new(Captures::from(captures)));
                self.registers.set(to, value);
            }
            I::Group {
                to,
                members,
                start,
                count,
            } => {
                let unit = self.unit;
                let captures: Vec<Value> = self.registers.take_all(start, count).collect();
                let captures = Rc::new(Captures::from(captures));
                for (offset, code) in (0..).zip(&unit.lists[members as usize]) {
                    self.meter.make(count as usize)?;
                    self.registers
                        .set(to + offset, Value::Closure(*code, Rc::clone(&captures)));
                }
            }
            I::Sibling { to, code } => {
                let captures = self.current.captures.clone();
                let captures = captures.ok_or_else(mistyped)?;
                self.registers.set(to, Value::Closure(code, captures));
            }
            other => self.guard(other)?,
        }
        Ok(())
    }

    fn update(&mut self, to: u32, from: Source, start: u32, fields: u32) -> Result<(), Fault> {
        let unit = self.unit;
        let Value::Record(base) = self.read(from) else {
            return Err(mistyped());
        };
        let mut record = Rc::clone(base);
        self.meter.make(record.values().len())?;
        let values = Rc::make_mut(&mut record).values_mut();
        for (offset, field) in (0..).zip(&unit.lists[fields as usize]) {
            let value = self.registers.take(start + offset);
            if let Some(place) = values.get_mut(*field as usize) {
                *place = value;
            }
        }
        self.registers.set(to, Value::Record(record));
        Ok(())
    }

    /// Goes on with clauses, or ends where no code goes on.
    fn guard(&mut self, instruction: Instruction) -> Result<(), Fault> {
        use Instruction as I;
        match instruction {
            I::Hole => Err(Fault::internal("a hole or an error was reached")),
            I::Unmatched => Err(Fault::internal("no arm matches")),
            I::GuardEnter { clause } => {
                self.guarding.enter(clause);
                if let Some(count) = self.clause_counts.get_mut(clause as usize) {
                    *count += 1;
                }
                Ok(())
            }
            I::GuardCheck { from } => {
                let holds = self.registers.take(from);
                self.check_clause(&holds)
            }
            I::GuardEnd { code } => {
                self.guarding.end(code);
                Ok(())
            }
            _ => Err(Fault::internal("an instruction is not known")),
        }
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
        let (operands, meter) = self.operands();
        let ordering = match (operands.read(left), operands.read(right)) {
            (Value::Signed(left), Value::Signed(right)) => left.cmp(right),
            (Value::Unsigned(left), Value::Unsigned(right)) => left.cmp(right),
            (left, right) => compare(left, right, meter)?,
        };
        Ok(match operator {
            ComparisonOperator::Equal => ordering == Ordering::Equal,
            ComparisonOperator::NotEqual => ordering != Ordering::Equal,
            ComparisonOperator::Less => ordering == Ordering::Less,
            ComparisonOperator::LessEqual => ordering != Ordering::Greater,
            ComparisonOperator::Greater => ordering == Ordering::Greater,
            ComparisonOperator::GreaterEqual => ordering != Ordering::Less,
        })
    }
}
