//! How numbers of typed fields are read and written.
//!
//! A count takes any spelling whose value is integral and in range (`64`, `64.0`, `6.4e1`) and is written plainly. A
//! measure is a finite double; NaN and infinity are errors, never `null`.

use serde::de::{Deserializer, Error, Unexpected, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// 2^64 as a double, the first value that no count can hold.
const COUNT_END: f64 = 18_446_744_073_709_551_616.0;

/// Reads a required count.
pub(crate) fn count<'de, T: TryFrom<u64>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_u64(CountVisitor(PhantomData))
}

/// Reads an optional count; `null` is absent.
pub(crate) fn optional_count<'de, T: TryFrom<u64>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    deserializer.deserialize_option(OptionalVisitor(PhantomData))
}

/// Writes an optional measure, refusing NaN and infinity.
#[expect(
    clippy::ref_option,
    reason = "serde hands `serialize_with` a reference to the field"
)]
pub(crate) fn write_measure<S: serde::Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(number) => finite(number, serializer),
        None => serializer.serialize_none(),
    }
}

/// Writes a measure, refusing NaN and infinity.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands `serialize_with` a reference to the field"
)]
pub(crate) fn finite<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if !value.is_finite() {
        return Err(serde::ser::Error::custom(format_args!(
            "`{value}` is not a finite number"
        )));
    }
    serializer.serialize_f64(*value)
}

struct CountVisitor<T>(PhantomData<T>);

impl<T: TryFrom<u64>> Visitor<'_> for CountVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "an integer of {} bits without a sign",
            8 * size_of::<T>()
        )
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<T, E> {
        T::try_from(value).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<T, E> {
        match u64::try_from(value) {
            Ok(value) => self.visit_u64(value),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(value), &self)),
        }
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<T, E> {
        if (0.0..COUNT_END).contains(&value) && value.fract() == 0.0 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "integral and in range"
            )]
            return self.visit_u64(value as u64);
        }
        Err(E::invalid_value(Unexpected::Float(value), &self))
    }
}

struct OptionalVisitor<T>(PhantomData<T>);

impl<'de, T: TryFrom<u64>> Visitor<'de> for OptionalVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        CountVisitor::<T>(PhantomData).expecting(formatter)
    }

    fn visit_none<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        count(deserializer).map(Some)
    }
}
