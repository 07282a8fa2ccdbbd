//! Ranges of fixed-width integers.

use dashu_int::IBig;
use dashu_int::ops::BitTest;

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

/// Reads decimal digits, a minus before them or not; none where something else stands among them.
pub(crate) fn big_integer(text: &str) -> Option<IBig> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_read = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_read.then(|| text.parse().ok()).flatten()
}

/// Gives how many bits the digits of an integer take, the same on every machine.
pub(crate) fn big_bits(value: &IBig) -> u64 {
    u64::try_from(value.bit_len()).unwrap_or(u64::MAX)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read() {
        for length in [1_u32, 9, 19, 20, 39, 40, 5_000, 20_001] {
            let digits: String = (0..length)
                .map(|index| char::from(b'1' + u8::try_from(index * 7 % 9).expect("a digit")))
                .collect();
            for text in [digits.clone(), format!("-{digits}")] {
                let value = big_integer(&text).expect("it is an integer");
                assert_eq!(value.to_string(), text, "{length}");
            }
            let by_digit = digits.bytes().fold(IBig::ZERO, |value, digit| {
                value * IBig::from(10) + IBig::from(digit - b'0')
            });
            assert_eq!(big_integer(&digits), Some(by_digit), "{length}");
        }
        for text in ["", "-", "+1", "1_0", "--1", "1.0"] {
            assert_eq!(big_integer(text), None, "{text}");
        }
    }
}
