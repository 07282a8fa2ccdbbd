//! Running primitives.

use super::Machine;
use crate::eval::primitive::{Arguments, Builtin, Primitive, arithmetic, negate, run};
use crate::eval::raised::Fault;
use crate::values::{Value, compare, hash_text, write};

impl Machine<'_, '_> {
    /// Runs a primitive on as many arguments as it takes.
    pub(super) fn primitive(
        &mut self,
        primitive: Primitive,
        mut arguments: Arguments<'_>,
    ) -> Result<Value, Fault> {
        match primitive {
            Primitive::Builtin(builtin) => self.builtin(builtin, &mut arguments),
            Primitive::Equal => {
                let (left, right) = (arguments.next()?, arguments.next()?);
                let ordering = compare(&left, &right, &mut self.meter)?;
                Ok(Value::boolean(ordering.is_eq()))
            }
            Primitive::Compare => {
                let (left, right) = (arguments.next()?, arguments.next()?);
                let ordering = compare(&left, &right, &mut self.meter)?;
                Ok(Value::Signed(ordering as i64))
            }
            Primitive::Show(form) => {
                let value = arguments.next()?;
                let text = write(&mut self.forms, form, &value, &mut self.meter)?;
                self.meter.make_bytes(text.len())?;
                Ok(Value::text(text))
            }
            Primitive::Hash(form) => {
                let value = arguments.next()?;
                let text = write(&mut self.forms, form, &value, &mut self.meter)?;
                Ok(Value::Unsigned(hash_text(&text)))
            }
            Primitive::Arithmetic(operator, number) => {
                let (left, right) = (arguments.next()?, arguments.next()?);
                arithmetic(operator, number, &left, &right, &mut self.meter)
            }
            Primitive::Negate(number) => negate(number, &arguments.next()?, &mut self.meter),
        }
    }

    fn builtin(&mut self, builtin: Builtin, arguments: &mut Arguments<'_>) -> Result<Value, Fault> {
        use Builtin as B;
        match builtin {
            B::WorldFs | B::WorldClock | B::WorldRand => self.narrowed(),
            B::FsReadBytes => self.fs_read_bytes(arguments),
            B::ClockNow => self.clock_now(arguments),
            B::RandU64 => self.rand_u64(arguments),
            B::FakeFs | B::FakeClock | B::FakeRand => self.fake(builtin, arguments),
            pure => run(pure, arguments, &mut self.meter),
        }
    }
}
