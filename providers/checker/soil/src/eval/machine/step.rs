//! The loop.

use super::call::Goal;
use super::{Machine, Then};
use crate::environment::Number;
use crate::eval::code::{Instruction, Source, SourceKind};
use crate::eval::primitive::{Arguments, arithmetic, element, length, mistyped, negate, overflow};
use crate::eval::raised::Fault;
use crate::syntax::tree::ComparisonOperator;
use crate::values::{Captures, Value, compare};
use std::cmp::Ordering;
use std::rc::Rc;

impl Machine<'_, '_> {
    /// Runs until the outermost call has its value.
    pub(super) fn run(&mut self) -> Result<Value, Fault> {
        use Instruction as I;
        let unit = self.unit;
        loop {
            let step = unit.codes[self.current.code as usize].steps[self.current.position];
            self.current.position += 1;
            self.meter.spend(u64::from(step.cost))?;
            match step.instruction {
                I::Copy { to, from } => {
                    let value = self.read(from).clone();
                    self.set(to, value);
                }
                I::Take { to, from } => {
                    let value = self.take(from);
                    self.set(to, value);
                }
                I::AddSigned { to, left, right } => {
                    let (left, right) = self.signed(left, right)?;
                    let sum = left.checked_add(right);
                    let sum = sum.ok_or_else(|| overflow("+", Number::I64))?;
                    self.set(to, Value::Signed(sum));
                }
                I::SubtractSigned { to, left, right } => {
                    let (left, right) = self.signed(left, right)?;
                    let rest = left.checked_sub(right);
                    let rest = rest.ok_or_else(|| overflow("-", Number::I64))?;
                    self.set(to, Value::Signed(rest));
                }
                I::JumpCompare {
                    operator,
                    left,
                    right,
                    target,
                } => {
                    if self.holds(operator, left, right)? {
                        self.current.position = target as usize;
                    }
                }
                I::ListElement { to, list, index } => {
                    let mut meter = self.meter;
                    let value = element(self.read(list), self.read(index), &mut meter)?;
                    self.meter = meter;
                    self.set(to, value);
                }
                I::TailSibling { code, start } => {
                    let captures = self.current.captures.take();
                    self.replace_call(code, captures, start)?;
                }
                I::TailCall {
                    function,
                    start,
                    count,
                } => {
                    let function = self.read(function).clone();
                    self.apply(function, start, count, Goal::Out)?;
                    if let Some(value) = self.outcome.take() {
                        return Ok(value);
                    }
                }
                I::Return { from } => {
                    let value = self.result(from);
                    if let Some(value) = self.leave(value)? {
                        return Ok(value);
                    }
                }
                other => self.common(other)?,
            }
        }
    }

    /// Does what is asked for often, beside the loop.
    #[inline]
    fn common(&mut self, instruction: Instruction) -> Result<(), Fault> {
        use Instruction as I;
        match instruction {
            I::Spend => {}
            I::Jump { target } => self.current.position = target as usize,
            I::JumpIf {
                condition,
                is,
                target,
            } => {
                if matches!(self.read(condition), Value::Tag(0)) == is {
                    self.current.position = target as usize;
                }
            }
            I::ListLength { to, from } => {
                let value = length(self.read(from))?;
                self.set(to, value);
            }
            I::Primitive {
                to,
                primitive,
                start,
            } => self.primitive_at(to, primitive, start)?,
            I::CallSibling { to, code, start } => {
                let captures = self.current.captures.clone();
                self.enter_call(code, captures, start, to, Then::Store)?;
            }
            I::CallDefinition { to, code, start } => {
                self.enter_call(code, None, start, to, Then::Store)?;
            }
            I::TailDefinition { code, start } => self.replace_call(code, None, start)?,
            I::Call {
                to,
                function,
                start,
                count,
            } => {
                let function = self.read(function).clone();
                self.apply(function, start, count, Goal::Register(to))?;
            }
            other => self.rarer(other)?,
        }
        Ok(())
    }

    #[inline]
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
            SourceKind::Register(register) => self.take(register),
            _ => self.read(from).clone(),
        }
    }

    /// Does what is asked for less often.
    fn rarer(&mut self, instruction: Instruction) -> Result<(), Fault> {
        use Instruction as I;
        match instruction {
            I::Arithmetic {
                operator,
                number,
                to,
                left,
                right,
            } => {
                let mut meter = self.meter;
                let (left, right) = (self.read(left), self.read(right));
                let value = arithmetic(operator, number, left, right, &mut meter)?;
                self.meter = meter;
                self.set(to, value);
            }
            I::Negate { number, to, from } => {
                let mut meter = self.meter;
                let value = negate(number, self.read(from), &mut meter)?;
                self.meter = meter;
                self.set(to, value);
            }
            I::Compare {
                operator,
                to,
                left,
                right,
            } => {
                let holds = self.holds(operator, left, right)?;
                self.set(to, Value::boolean(holds));
            }
            I::JumpUnlessTag { from, tag, target } => {
                if self.tag(from)? != tag {
                    self.current.position = target as usize;
                }
            }
            I::JumpUnlessEqual {
                from,
                constant,
                target,
            } => {
                if !self.holds(ComparisonOperator::Equal, from, constant)? {
                    self.current.position = target as usize;
                }
            }
            I::Switch { from, table } => {
                let tag = self.tag(from)?;
                let targets = &self.unit.switches[table as usize];
                self.current.position = targets
                    .get(tag as usize)
                    .map_or(0, |target| *target as usize);
            }
            I::Part { to, from, index } => {
                let value = match self.read(from) {
                    Value::Record(fields) | Value::Variant(_, fields) => {
                        fields.values().get(index as usize).cloned()
                    }
                    _ => None,
                };
                self.set(to, value.ok_or_else(mistyped)?);
            }
            I::Global { to, code } => {
                if let Some(Some(value)) = self.globals.get(code as usize) {
                    let value = value.clone();
                    self.set(to, value);
                } else {
                    let start = self.stack.len() - self.current.base;
                    let start = u32::try_from(start).unwrap_or(u32::MAX);
                    self.enter_call(code, None, start, to, Then::Keep(code))?;
                }
            }
            other => self.rarest(other)?,
        }
        Ok(())
    }

    /// Does what is asked for hardly ever.
    fn rarest(&mut self, instruction: Instruction) -> Result<(), Fault> {
        use Instruction as I;
        match instruction {
            I::Hole => return Err(Fault::internal("a hole or an error was reached")),
            I::Unmatched => return Err(Fault::internal("no arm matches")),
            I::GuardBegin { code, target } => {
                if !self.guarding.begin(code) {
                    self.current.position = target as usize;
                }
            }
            I::GuardEnter { clause } => self.guarding.enter(clause),
            I::GuardCheck { from } => {
                let holds = self.take(from);
                self.check_clause(&holds)?;
            }
            I::GuardEnd { code } => self.guarding.end(code),
            other => self.make(other)?,
        }
        Ok(())
    }

    /// Makes something.
    fn make(&mut self, instruction: Instruction) -> Result<(), Fault> {
        use Instruction as I;
        match instruction {
            I::Record { to, start, count } => {
                self.meter.make(count as usize)?;
                let value = Value::record(self.take_all(start, count));
                self.set(to, value);
            }
            I::Variant {
                to,
                tag,
                start,
                count,
            } => {
                self.meter.make(count as usize)?;
                let value = Value::variant(tag, self.take_all(start, count));
                self.set(to, value);
            }
            I::Update {
                to,
                from,
                start,
                fields,
            } => {
                let unit = self.unit;
                let Value::Record(base) = self.read(from) else {
                    return Err(mistyped());
                };
                let mut record = Rc::clone(base);
                self.meter.make(record.values().len())?;
                let values = Rc::make_mut(&mut record).values_mut();
                for (offset, field) in (0..).zip(&unit.lists[fields as usize]) {
                    let value = self.take(start + offset);
                    if let Some(place) = values.get_mut(*field as usize) {
                        *place = value;
                    }
                }
                self.set(to, Value::Record(record));
            }
            I::Closure {
                to,
                code,
                start,
                count,
            } => {
                self.meter.make(count as usize)?;
                let captures: Vec<Value> = self.take_all(start, count).collect();
                let value = Value::Closure(code, Rc::new(Captures::from(captures)));
                self.set(to, value);
            }
            I::Group {
                to,
                members,
                start,
                count,
            } => {
                let unit = self.unit;
                let captures: Vec<Value> = self.take_all(start, count).collect();
                let captures = Rc::new(Captures::from(captures));
                for (offset, code) in (0..).zip(&unit.lists[members as usize]) {
                    self.meter.make(count as usize)?;
                    self.set(to + offset, Value::Closure(*code, Rc::clone(&captures)));
                }
            }
            I::Sibling { to, code } => {
                let captures = self.current.captures.clone();
                let captures = captures.ok_or_else(mistyped)?;
                self.set(to, Value::Closure(code, captures));
            }
            _ => return Err(Fault::internal("an instruction is not known")),
        }
        Ok(())
    }

    fn primitive_at(&mut self, to: u32, primitive: u32, start: u32) -> Result<(), Fault> {
        /// The most arguments that any primitive takes.
        const MAX_ARITY: usize = 3;
        let primitive = self.unit.primitives[primitive as usize];
        let mut arguments = [Value::Unit, Value::Unit, Value::Unit];
        let taken = &mut arguments[..primitive.arity().min(MAX_ARITY)];
        for (offset, argument) in (0..).zip(taken) {
            *argument = self.take(start + offset);
        }
        let value = self.primitive(primitive, Arguments(arguments.iter_mut()))?;
        self.set(to, value);
        Ok(())
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
        let ordering = match (self.read(left), self.read(right)) {
            (Value::Signed(left), Value::Signed(right)) => left.cmp(right),
            (Value::Unsigned(left), Value::Unsigned(right)) => left.cmp(right),
            (left, right) => {
                let mut meter = self.meter;
                let ordering = compare(left, right, &mut meter)?;
                self.meter = meter;
                ordering
            }
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
