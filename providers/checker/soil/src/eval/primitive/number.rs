//! Numbers.

use std::rc::Rc;

use dashu_int::IBig;
use dashu_int::ops::DivRem;

use super::{Arguments, Builtin, mistyped, some, take};
use crate::environment::Number;
use crate::eval::raised::{Fault, RaiseKind};
use crate::syntax::tree::ArithmeticOperator;
use crate::values::{Meter, Value, big_bits, bounds};

/// Computes `left operator right`.
#[inline]
pub(in crate::eval) fn arithmetic(
    operator: ArithmeticOperator,
    number: Number,
    left: &Value,
    right: &Value,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    match (left, right) {
        (Value::Signed(left), Value::Signed(right)) => {
            signed_arithmetic(operator, number, *left, *right)
        }
        (Value::Unsigned(left), Value::Unsigned(right)) => {
            let result = unsigned(operator, *left, *right)?;
            let fits = |result: &u64| number == Number::U64 || in_range(number, (*result).into());
            let result = result.filter(fits);
            result
                .map(Value::Unsigned)
                .ok_or_else(|| overflow(operator.text(), number))
        }
        (Value::Float(left), Value::Float(right)) => {
            Ok(Value::Float(float(operator, *left, *right)))
        }
        (Value::Big(left), Value::Big(right)) => big(operator, left, right, meter),
        _ => Err(mistyped()),
    }
}

/// Computes `left operator right` for integers of a signed width.
#[inline]
pub(in crate::eval) fn signed_arithmetic(
    operator: ArithmeticOperator,
    number: Number,
    left: i64,
    right: i64,
) -> Result<Value, Fault> {
    let result = signed(operator, left, right)?;
    let fits = |result: &i64| number == Number::I64 || in_range(number, (*result).into());
    let result = result.filter(fits);
    result
        .map(Value::Signed)
        .ok_or_else(|| overflow(operator.text(), number))
}

/// Computes `-value`.
pub(in crate::eval) fn negate(
    number: Number,
    value: &Value,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    match value {
        Value::Signed(value) => {
            let result = value.checked_neg();
            let result = result.filter(|result| in_range(number, i128::from(*result)));
            result
                .map(Value::Signed)
                .ok_or_else(|| overflow("-", number))
        }
        Value::Unsigned(0) => Ok(Value::Unsigned(0)),
        Value::Unsigned(_) => Err(overflow("-", number)),
        Value::Float(value) => Ok(Value::Float(-value)),
        Value::Big(value) => {
            pay(big_bytes(value), meter)?;
            Ok(Value::Big(Rc::new(-&**value)))
        }
        _ => Err(mistyped()),
    }
}

/// Converts between fixed widths and floats; `Some` only when the value stays the same.
pub(super) fn convert(
    builtin: Builtin,
    arguments: &mut Arguments<'_>,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    let value = match builtin {
        Builtin::I64ToU64 => u64::try_from(take!(arguments, Signed))
            .ok()
            .map(Value::Unsigned),
        Builtin::U64ToI64 => i64::try_from(take!(arguments, Unsigned))
            .ok()
            .map(Value::Signed),
        Builtin::I64ToF64 => exact_float(i128::from(take!(arguments, Signed))),
        Builtin::U64ToF64 => exact_float(i128::from(take!(arguments, Unsigned))),
        _ => {
            let value = take!(arguments, Float);
            let whole = exact_integer(value);
            if builtin == Builtin::F64ToI64 {
                let value = whole.and_then(|whole| i64::try_from(whole).ok());
                value.map(Value::Signed)
            } else {
                let value = whole.and_then(|whole| u64::try_from(whole).ok());
                value.map(Value::Unsigned)
            }
        }
    };
    match value {
        Some(value) => some(value, meter),
        None => Ok(Value::option(None)),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "whether something was lost is looked at"
)]
fn exact_float(value: i128) -> Option<Value> {
    let float = value as f64;
    (exact_integer(float) == Some(value)).then_some(Value::Float(float))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "only whole numbers of a magnitude that fits are cast"
)]
fn exact_integer(value: f64) -> Option<i128> {
    let fits = value.abs() < 1e20;
    (fits && value.fract() == 0.0).then_some(value as i128)
}

fn in_range(number: Number, value: i128) -> bool {
    bounds(number).is_some_and(|(min, max)| value >= min && value <= max)
}

#[cold]
pub(in crate::eval) fn overflow(operator: &str, number: Number) -> Fault {
    let message = format!("the result of `{operator}` is no {number:?}");
    Fault::new(RaiseKind::Overflow, message)
}

#[cold]
fn zero_divisor(operator: ArithmeticOperator) -> Fault {
    let message = format!("the right side of `{}` is 0", operator.text());
    Fault::new(RaiseKind::DivideByZero, message)
}

#[inline]
fn signed(operator: ArithmeticOperator, left: i64, right: i64) -> Result<Option<i64>, Fault> {
    Ok(match operator {
        ArithmeticOperator::Add => left.checked_add(right),
        ArithmeticOperator::Subtract => left.checked_sub(right),
        ArithmeticOperator::Multiply => left.checked_mul(right),
        ArithmeticOperator::Divide | ArithmeticOperator::Modulo if right == 0 => {
            return Err(zero_divisor(operator));
        }
        ArithmeticOperator::Divide => left.checked_div(right).map(|quotient| {
            // Rounds toward minus infinity where the host rounds toward zero.
            let is_inexact = left % right != 0 && (left < 0) != (right < 0);
            quotient - i64::from(is_inexact)
        }),
        ArithmeticOperator::Modulo => {
            let rest = left.wrapping_rem(right);
            let has_other_sign = rest != 0 && (rest < 0) != (right < 0);
            Some(if has_other_sign { rest + right } else { rest })
        }
    })
}

fn unsigned(operator: ArithmeticOperator, left: u64, right: u64) -> Result<Option<u64>, Fault> {
    Ok(match operator {
        ArithmeticOperator::Add => left.checked_add(right),
        ArithmeticOperator::Subtract => left.checked_sub(right),
        ArithmeticOperator::Multiply => left.checked_mul(right),
        ArithmeticOperator::Divide | ArithmeticOperator::Modulo if right == 0 => {
            return Err(zero_divisor(operator));
        }
        ArithmeticOperator::Divide => Some(left / right),
        ArithmeticOperator::Modulo => Some(left % right),
    })
}

fn float(operator: ArithmeticOperator, left: f64, right: f64) -> f64 {
    match operator {
        ArithmeticOperator::Add => left + right,
        ArithmeticOperator::Subtract => left - right,
        ArithmeticOperator::Multiply => left * right,
        ArithmeticOperator::Divide => left / right,
        ArithmeticOperator::Modulo => left - right * (left / right).floor(),
    }
}

fn big(
    operator: ArithmeticOperator,
    left: &IBig,
    right: &IBig,
    meter: &mut Meter,
) -> Result<Value, Fault> {
    use ArithmeticOperator as A;
    if matches!(operator, A::Divide | A::Modulo) && right.is_zero() {
        return Err(zero_divisor(operator));
    }
    let (left_len, right_len) = (big_bytes(left), big_bytes(right));
    // Every operation takes little more time than its operands are long, so that what is read and made is its price.
    meter.spend((big_bits(left) / 128).saturating_add(big_bits(right) / 128))?;
    let made = match operator {
        A::Multiply => left_len.saturating_add(right_len),
        _ => left_len.max(right_len) + 1,
    };
    pay(made, meter)?;
    let result = match operator {
        A::Add => left + right,
        A::Subtract => left - right,
        A::Multiply => left * right,
        // The rest of the host has the sign of the left side.
        A::Divide => {
            let (quotient, rest) = left.div_rem(right);
            let is_inexact = !rest.is_zero() && rest.sign() != right.sign();
            quotient - IBig::from(is_inexact)
        }
        A::Modulo => {
            let rest = left % right;
            let has_other_sign = !rest.is_zero() && rest.sign() != right.sign();
            if has_other_sign { rest + right } else { rest }
        }
    };
    Ok(Value::Big(Rc::new(result)))
}

fn big_bytes(value: &IBig) -> usize {
    usize::try_from(big_bits(value) / 8 + 1).unwrap_or(usize::MAX)
}

/// Takes what an integer of any size costs; it is made as bytes are.
fn pay(len: usize, meter: &mut Meter) -> Result<(), Fault> {
    meter.make_bytes(len)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Makes a long integer of some words, the lowest first.
    fn long(words: &[u64], is_negative: bool) -> IBig {
        let value = words
            .iter()
            .rev()
            .fold(IBig::ZERO, |value, word| (value << 64) + IBig::from(*word));
        if is_negative { -value } else { value }
    }

    proptest! {
        #[test]
        fn long_integers_divide_toward_minus_infinity(
            left in prop::collection::vec(any::<u64>(), 1..200),
            right in prop::collection::vec(any::<u64>(), 1..120),
            signs: (bool, bool),
        ) {
            use ArithmeticOperator as A;
            let (left, right) = (long(&left, signs.0), long(&right, signs.1));
            prop_assume!(!right.is_zero());
            let compute = |operator| {
                let mut meter = Meter::UNBOUNDED;
                match big(operator, &left, &right, &mut meter) {
                    Ok(Value::Big(value)) => IBig::clone(&value),
                    _ => unreachable!("nothing is too long"),
                }
            };
            let (quotient, rest) = (compute(A::Divide), compute(A::Modulo));
            prop_assert_eq!(&quotient * &right + &rest, left);
            prop_assert!(rest.is_zero() || rest.sign() == right.sign());
            // Its magnitude is below that of the divisor.
            let distance = if rest.sign() == dashu_int::Sign::Negative { &rest - &right } else { &right - &rest };
            prop_assert!(distance.sign() == dashu_int::Sign::Positive && !distance.is_zero());
        }

        #[test]
        fn fixed_widths_agree_with_wider_arithmetic(left: i64, right: i64, small in -3_i64..4) {
            use ArithmeticOperator as A;
            for right in [right, small] {
                let (wide_left, wide_right) = (i128::from(left), i128::from(right));
                for operator in [A::Add, A::Subtract, A::Multiply, A::Divide, A::Modulo] {
                    let floor = || wide_left.div_euclid(wide_right)
                        - i128::from(wide_right < 0 && wide_left.rem_euclid(wide_right) != 0);
                    let expected = match operator {
                        A::Add => Some(wide_left + wide_right),
                        A::Subtract => Some(wide_left - wide_right),
                        A::Multiply => Some(wide_left * wide_right),
                        _ if right == 0 => None,
                        A::Divide => Some(floor()),
                        A::Modulo => Some(wide_left - wide_right * floor()),
                    };
                    let expected = expected.and_then(|value| i64::try_from(value).ok());
                    let mut meter = Meter::UNBOUNDED;
                    let (left, right) = (Value::Signed(left), Value::Signed(right));
                    let found = arithmetic(operator, Number::I64, &left, &right, &mut meter);
                    let found = match found {
                        Ok(Value::Signed(value)) => Some(value),
                        _ => None,
                    };
                    prop_assert_eq!(found, expected, "{:?}", operator);
                }
            }
        }
    }
}
