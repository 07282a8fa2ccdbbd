//! The one order of values.

use std::cmp::Ordering;

use super::{Exhausted, Items, Meter, Value, big_bits};

/// Compares two values of one type.
///
/// The order is total: floats have −0.0 below 0.0 and all NaN equal to each other above infinity; texts and bytes compare by
/// bytes, records by field, sums by position and then by payload, lists and maps element by element and then by length.
/// Opaque values are equal when they are the same one.
///
/// # Errors
/// When the meter is used up: each element compared takes a step, and so do 16 bytes of a text.
pub fn compare(left: &Value, right: &Value, meter: &mut Meter) -> Result<Ordering, Exhausted> {
    let ordering = shallow(left, right, meter)?;
    if left.is_plain() {
        return Ok(ordering);
    }
    let (Some(lefts), Some(rights)) = (Items::of(left), Items::of(right)) else {
        return Ok(ordering);
    };
    if ordering.is_ne() {
        return Ok(ordering);
    }
    let mut open = vec![(lefts, rights)];
    loop {
        let Some((lefts, rights)) = open.last_mut() else {
            return Ok(Ordering::Equal);
        };
        let (left, right) = match (lefts.next(), rights.next()) {
            (Some(left), Some(right)) => (left, right),
            (None, None) => {
                open.pop();
                continue;
            }
            (None, Some(_)) => return Ok(Ordering::Less),
            (Some(_), None) => return Ok(Ordering::Greater),
        };
        meter.spend(1)?;
        let ordering = shallow(left, right, meter)?;
        if ordering.is_ne() {
            return Ok(ordering);
        }
        if let (Some(lefts), Some(rights)) = (Items::of(left), Items::of(right)) {
            open.push((lefts, rights));
        }
    }
}

/// Compares without a meter.
pub(super) fn order(left: &Value, right: &Value) -> Ordering {
    if let (Value::Text(left), Value::Text(right)) = (left, right) {
        return left.as_bytes().cmp(right.as_bytes());
    }
    compare(left, right, &mut Meter::UNBOUNDED.clone())
        .expect("a meter that cannot be used up never is")
}

/// Compares what two values are, without their parts.
#[inline]
fn shallow(left: &Value, right: &Value, meter: &mut Meter) -> Result<Ordering, Exhausted> {
    Ok(match (left, right) {
        (Value::Signed(left), Value::Signed(right)) => left.cmp(right),
        (Value::Unsigned(left), Value::Unsigned(right)) => left.cmp(right),
        (Value::Float(left), Value::Float(right)) => floats(*left, *right),
        (Value::Text(left), Value::Text(right)) => {
            meter.spend_bytes(left.len().min(right.len()))?;
            left.as_bytes().cmp(right.as_bytes())
        }
        (Value::Bytes(left), Value::Bytes(right)) => {
            meter.spend_bytes(left.len().min(right.len()))?;
            left.cmp(right)
        }
        (Value::Big(left), Value::Big(right)) => {
            meter.spend(big_bits(left).min(big_bits(right)) / 128)?;
            left.cmp(right)
        }
        (
            Value::Tag(left) | Value::Variant(left, _) | Value::Handle(left),
            Value::Tag(right) | Value::Variant(right, _) | Value::Handle(right),
        ) => left.cmp(right),
        // Values of one type that are left are the only one of it, or compare by their parts.
        _ => Ordering::Equal,
    })
}

fn floats(left: f64, right: f64) -> Ordering {
    match (left.is_nan(), right.is_nan()) {
        (false, false) => left.total_cmp(&right),
        (left, right) => left.cmp(&right),
    }
}

/// Counts the elements and 16-byte pieces of a value: what comparing it with an equal one takes.
///
/// # Errors
/// When it takes more than the meter has; the steps of the count itself are not taken.
#[inline]
pub fn measure(value: &Value, meter: &Meter) -> Result<u64, Exhausted> {
    if value.is_plain() {
        return Ok(0);
    }
    if let Value::Text(text) = value {
        let mut left = *meter;
        left.spend_bytes(text.len())?;
        return Ok(meter.fuel - left.fuel);
    }
    let mut left = Meter {
        fuel: meter.fuel,
        cells: 0,
    };
    compare(value, value, &mut left)?;
    Ok(meter.fuel - left.fuel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn values_have_one_order() {
        let text = Value::text;
        let list =
            |values: &[i64]| Value::list(values.iter().copied().map(Value::Signed).collect());
        let ascending = [
            vec![
                Value::Float(f64::NEG_INFINITY),
                Value::Float(-1.0),
                Value::Float(-0.0),
                Value::Float(0.0),
                Value::Float(5e-324),
                Value::Float(f64::INFINITY),
                Value::Float(f64::NAN),
            ],
            vec![
                text(""),
                text("Z"),
                text("a"),
                text("aa"),
                text("é"),
                text("中"),
            ],
            vec![
                list(&[]),
                list(&[1]),
                list(&[1, 0]),
                list(&[2]),
                list(&[2; 40]),
            ],
            vec![
                Value::Tag(0),
                Value::variant(1, [Value::Signed(1)]),
                Value::variant(1, [Value::Signed(2)]),
                Value::Tag(2),
            ],
            vec![Value::Unsigned(1), Value::Unsigned(u64::MAX)],
        ];
        for values in ascending {
            for (left, first) in values.iter().enumerate() {
                for (right, second) in values.iter().enumerate() {
                    assert_eq!(
                        order(first, second),
                        left.cmp(&right),
                        "{first:?} {second:?}"
                    );
                }
            }
        }
        let negative_nan = Value::Float(f64::from_bits(f64::NAN.to_bits() | 1 << 63));
        assert_eq!(
            order(&Value::Float(f64::NAN), &negative_nan),
            Ordering::Equal
        );
    }

    #[test]
    fn shared_values_are_paid_for_as_often_as_they_are_seen() {
        let mut value = Value::Signed(0);
        for _ in 0..64 {
            value = Value::record([value.clone(), value]);
        }
        let mut meter = Meter {
            fuel: 10_000,
            cells: 0,
        };
        assert_eq!(compare(&value, &value, &mut meter), Err(Exhausted::Fuel));
    }

    #[test]
    fn maps_compare_by_keys_and_values() {
        let map = |entries: &[(i64, i64)]| {
            let mut map = super::super::Map::default();
            for (key, value) in entries {
                map.insert(Value::Signed(*key), Value::Signed(*value));
            }
            Value::Map(Rc::new(map))
        };
        let first = map(&[(1, 1), (2, 0)]);
        assert_eq!(order(&first, &map(&[(2, 0), (1, 1)])), Ordering::Equal);
        assert_eq!(order(&first, &map(&[(1, 2)])), Ordering::Less);
        assert_eq!(order(&first, &map(&[(1, 1)])), Ordering::Greater);
        let meter = Meter::UNBOUNDED;
        assert_eq!(measure(&first, &meter), Ok(4));
    }
}
