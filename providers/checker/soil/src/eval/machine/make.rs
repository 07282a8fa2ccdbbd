//! Instructions that make something, and those of guards.

use std::rc::Rc;

use super::Machine;
use crate::eval::code::{Instruction, Source};
use crate::eval::primitive::mistyped;
use crate::eval::raised::Fault;
use crate::values::{Captures, Value};

impl Machine<'_, '_> {
    /// Makes something.
    pub(super) fn make(&mut self, instruction: Instruction) -> Result<(), Fault> {
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
            I::Lambda { to, code } => {
                self.meter.make(0)?;
                self.registers.set(to, Value::Definition(code));
            }
            I::Group {
                to,
                members,
                start,
                count,
            } => {
                let unit = self.unit;
                let captures: Vec<Value> = self.registers.take_all(start, count).collect();
                let captures = (count > 0).then(|| Rc::new(Captures::from(captures)));
                for (offset, code) in (0..).zip(&unit.lists[members as usize]) {
                    self.meter.make(count as usize)?;
                    let value = lambda(*code, captures.clone());
                    self.registers.set(to + offset, value);
                }
            }
            I::Sibling { to, code } => {
                let value = lambda(code, self.current.captures.clone());
                self.registers.set(to, value);
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
}

/// Gives a lambda as a value; one that holds nothing is its code alone.
fn lambda(code: u32, captures: Option<Rc<Captures>>) -> Value {
    match captures {
        Some(captures) => Value::Closure(code, captures),
        None => Value::Definition(code),
    }
}
