//! Numbers that stand for keys.

use crate::values::{Fields, Value};

/// The highest bit, which puts negative integers below the others.
const SIGN: u64 = 1 << 63;

/// A number that orders keys as far as a number can: of two keys of one type the greater one never has the smaller number.
///
/// Searching a node by numbers that stand side by side reads far less memory than following a pointer for each key would.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rank {
    pub(super) number: u64,
    /// Whether other keys of the type have other numbers.
    pub(super) is_exact: bool,
}

impl Rank {
    #[inline]
    pub(super) fn of(key: &Value) -> Self {
        match key {
            Value::Signed(value) => Self::exact(value.cast_unsigned() ^ SIGN),
            other => Self::of_other(other),
        }
    }

    const fn exact(number: u64) -> Self {
        Self {
            number,
            is_exact: true,
        }
    }

    const fn rough(number: u64) -> Self {
        Self {
            number,
            is_exact: false,
        }
    }

    fn of_other(key: &Value) -> Self {
        match key {
            Value::Unsigned(value) => Self::exact(*value),
            Value::Float(value) => Self::exact(of_float(*value)),
            // A sum may have variants with a payload beside those without.
            Value::Tag(tag) | Value::Variant(tag, _) => Self::rough(u64::from(*tag)),
            Value::Text(text) => Self::rough(of_bytes(text.as_bytes())),
            Value::Bytes(bytes) => Self::rough(of_bytes(bytes)),
            Value::Record(fields) => Self::rough(of_first(fields)),
            // What is left is seldom a key, and is found by comparing.
            _ => Self::rough(0),
        }
    }
}

/// The first eight bytes, the first one highest; nothing stands below any byte.
fn of_bytes(bytes: &[u8]) -> u64 {
    let mut first = [0; 8];
    for (place, byte) in first.iter_mut().zip(bytes) {
        *place = *byte;
    }
    u64::from_be_bytes(first)
}

/// The total order of floats, all NaN being one and above all others.
fn of_float(value: f64) -> u64 {
    if value.is_nan() {
        return u64::MAX;
    }
    let bits = value.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The number of the first field, which decides unless it is equal.
fn of_first(fields: &Fields) -> u64 {
    match fields.values().first() {
        // One level is enough for what is written as a key, and keeps the host's stack flat.
        None | Some(Value::Record(_)) => 0,
        Some(first) => Rank::of(first).number,
    }
}
