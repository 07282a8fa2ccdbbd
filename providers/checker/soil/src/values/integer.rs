//! Ranges of fixed-width integers.

use num_bigint::BigInt;

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

/// How many digits are read at once; what takes the square of their number is cheap up to here.
const MAX_DIGITS_AT_ONCE: usize = 1_000;

/// Reads decimal digits, a minus before them or not; none where something else stands among them.
pub(crate) fn big_integer(text: &str) -> Option<BigInt> {
    match text.strip_prefix('-') {
        Some(digits) => Some(-natural(digits)?),
        None => natural(text),
    }
}

/// Reads digits by halves, so that a literal of a megabyte does not take the square of its length.
fn natural(digits: &str) -> Option<BigInt> {
    let is_read = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_read || digits.len() <= MAX_DIGITS_AT_ONCE {
        return is_read.then(|| digits.parse().ok()).flatten();
    }
    let (mut parts, mut width) = (Vec::new(), MAX_DIGITS_AT_ONCE);
    let mut end = digits.len();
    while end > 0 {
        let start = end.saturating_sub(width);
        parts.push(digits[start..end].parse::<BigInt>().ok()?);
        end = start;
    }
    // Each round joins two neighbours, the lower one first.
    while parts.len() > 1 {
        let scale = BigInt::from(10).pow(u32::try_from(width).ok()?);
        let joined = parts.chunks(2).map(|pair| match pair {
            [low, high] => high * &scale + low,
            _ => pair[0].clone(),
        });
        parts = joined.collect();
        width *= 2;
    }
    parts.pop()
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
    fn digits_read_the_same_by_halves() {
        for length in [1_u32, 9, 999, 1_000, 1_001, 2_000, 2_500, 4_999, 7_001] {
            let digits: String = (0..length)
                .map(|index| char::from(b'0' + u8::try_from(index * 7 % 10).expect("a digit")))
                .collect();
            let expected: BigInt = digits.parse().expect("they are digits");
            assert_eq!(big_integer(&digits), Some(expected.clone()), "{length}");
            assert_eq!(
                big_integer(&format!("-{digits}")),
                Some(-expected),
                "{length}"
            );
        }
        for text in ["", "-", "+1", "1_0", "--1", "1.0"] {
            assert_eq!(big_integer(text), None, "{text}");
        }
    }
}
