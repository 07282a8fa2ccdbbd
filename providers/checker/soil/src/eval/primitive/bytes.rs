//! Bytes.

use std::rc::Rc;

use super::list::outside;
use super::{Arguments, Builtin, mistyped, range, signed, take};
use crate::eval::raised::Fault;
use crate::values::{Meter, Value};

pub(super) fn run(
    builtin: Builtin,
    arguments: &mut Arguments<'_>,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    let mut bytes = take!(arguments, Bytes);
    match builtin {
        Builtin::BytesLen => Ok(signed(bytes.len())),
        Builtin::BytesGet => {
            let index = take!(arguments, Signed);
            meter.spend(1)?;
            let found = usize::try_from(index)
                .ok()
                .and_then(|index| bytes.get(index));
            let byte = found.ok_or_else(|| outside(index, bytes.len()))?;
            Ok(Value::Unsigned(u64::from(*byte)))
        }
        Builtin::BytesSlice => {
            let (start, end) = (take!(arguments, Signed), take!(arguments, Signed));
            let range = range(start, end, bytes.len())?;
            meter.make_bytes(range.len())?;
            Ok(Value::bytes(&bytes[range]))
        }
        Builtin::BytesConcat => {
            let other = take!(arguments, Bytes);
            meter.make_bytes(bytes.len() + other.len())?;
            Rc::make_mut(&mut bytes).extend_from_slice(&other);
            Ok(Value::Bytes(bytes))
        }
        _ => Err(mistyped()),
    }
}
