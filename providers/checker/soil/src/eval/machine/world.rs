//! Capabilities.

use std::rc::Rc;

use super::Machine;
use crate::eval::primitive::{Arguments, Builtin, mistyped, take};
use crate::eval::raised::Fault;
use crate::eval::world::{Capability, ReadFailure};
use crate::values::{SplitMix64, Value};

impl Machine<'_, '_> {
    /// Makes a capability out of the whole world, which is never a fake one.
    pub(super) fn narrowed(&mut self) -> Result<Value, Fault> {
        self.capability(Capability::Real)
    }

    pub(super) fn fake(
        &mut self,
        builtin: Builtin,
        arguments: &mut Arguments<'_>,
    ) -> Result<Value, Fault> {
        let capability = match builtin {
            Builtin::FakeFs => Capability::FakeFs(take!(arguments, Map)),
            Builtin::FakeClock => Capability::FakeClock(take!(arguments, Signed)),
            _ => Capability::FakeRand(SplitMix64::new(take!(arguments, Unsigned))),
        };
        self.capability(capability)
    }

    pub(super) fn clock_now(&mut self, arguments: &mut Arguments<'_>) -> Result<Value, Fault> {
        let number = take!(arguments, Handle);
        match self.handles.get(number as usize) {
            Some(Capability::FakeClock(seconds)) => Ok(Value::Signed(*seconds)),
            Some(Capability::Real) => Ok(Value::Signed(self.world()?.seconds())),
            _ => Err(mistyped()),
        }
    }

    pub(super) fn rand_u64(&mut self, arguments: &mut Arguments<'_>) -> Result<Value, Fault> {
        let number = take!(arguments, Handle);
        match self.handles.get_mut(number as usize) {
            Some(Capability::FakeRand(random)) => Ok(Value::Unsigned(random.next())),
            Some(Capability::Real) => Ok(Value::Unsigned(self.world()?.random())),
            _ => Err(mistyped()),
        }
    }

    pub(super) fn fs_read_bytes(&mut self, arguments: &mut Arguments<'_>) -> Result<Value, Fault> {
        let number = take!(arguments, Handle);
        let path = take!(arguments, Text);
        let read = match self.handles.get(number as usize) {
            Some(Capability::FakeFs(files)) => match files.get(&Value::Text(Rc::clone(&path))) {
                Some(Value::Text(text)) => {
                    let text = Rc::clone(text);
                    self.meter.make_bytes(text.len())?;
                    Ok(text.as_bytes().to_vec())
                }
                _ => Err(ReadFailure::NotFound),
            },
            Some(Capability::Real) => {
                let read = self.world()?.read_file(&path);
                if let Ok(bytes) = &read {
                    self.meter.make_bytes(bytes.len())?;
                }
                read
            }
            _ => return Err(mistyped()),
        };
        self.meter.make(1)?;
        let path = Value::Text(path);
        Ok(match read {
            Ok(bytes) => Value::variant(0, [Value::bytes(bytes)]),
            Err(failure) => {
                self.meter.make(2)?;
                let error = match failure {
                    ReadFailure::NotFound => Value::variant(0, [path]),
                    ReadFailure::Failed(message) => Value::variant(1, [path, Value::text(message)]),
                };
                Value::variant(1, [error])
            }
        })
    }
}
