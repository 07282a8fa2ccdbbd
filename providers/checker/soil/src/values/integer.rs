//! Ranges of fixed-width integers.

use super::Value;
use crate::environment::Number;

/// Gives the least and the largest value of a fixed width; none for `BigInt` and `F64`.
pub const fn bounds(number: Number) -> Option<(i128, i128)> {
    Some(match number {
        Number::I64 => (i64::MIN as i128, i64::MAX as i128),
        Number::U64 => (0, u64::MAX as i128),
        Number::I32 => (i32::MIN as i128, i32::MAX as i128),
        Number::U32 => (0, u32::MAX as i128),
        Number::I16 => (i16::MIN as i128, i16::MAX as i128),
        Number::U16 => (0, u16::MAX as i128),
        Number::I8 => (i8::MIN as i128, i8::MAX as i128),
        Number::U8 => (0, u8::MAX as i128),
        Number::BigInt | Number::F64 => return None,
    })
}

/// Makes the value of a fixed width, if the number is in its range.
pub fn fits(number: Number, value: i128) -> Option<Value> {
    let (min, max) = bounds(number)?;
    if value < min || value > max {
        return None;
    }
    if min < 0 {
        i64::try_from(value).ok().map(Value::Signed)
    } else {
        u64::try_from(value).ok().map(Value::Unsigned)
    }
}
