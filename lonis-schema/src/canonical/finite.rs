//! Finds a NaN or infinity in what a value serializes to; `serde_json` would write it as `null`.

use std::fmt;

use serde::ser::{self, Serialize, Serializer};

use super::CanonicalError;
use super::failure::Failure;
use crate::number::Number;

/// Checks that every double of `value` is finite.
pub(super) fn check<T: Serialize + ?Sized>(value: &T) -> Result<(), CanonicalError> {
    value.serialize(FiniteCheck).map_err(|Failure(error)| error)
}

/// Looks at doubles and passes over everything else.
#[derive(Clone, Copy)]
struct FiniteCheck;

type Checked = Result<(), Failure>;

/// Scalars that are always finite.
macro_rules! pass {
    ($($name:ident($kind:ty)),+ $(,)?) => { $(fn $name(self, _: $kind) -> Checked { Ok(()) })+ };
}

impl Serializer for FiniteCheck {
    type Ok = ();
    type Error = Failure;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    pass! {
        serialize_bool(bool), serialize_char(char), serialize_str(&str), serialize_bytes(&[u8]),
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64), serialize_i128(i128),
        serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64), serialize_u128(u128),
        serialize_unit_struct(&'static str),
    }

    fn serialize_f32(self, value: f32) -> Checked {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Checked {
        match Number::try_from(value) {
            Ok(_) => Ok(()),
            Err(error) => Err(Failure(error.into())),
        }
    }

    fn serialize_none(self) -> Checked {
        Ok(())
    }

    fn serialize_unit(self) -> Checked {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Checked {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Checked {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Checked {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Checked {
        value.serialize(self)
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, _: &T) -> Checked {
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Failure> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Failure> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Failure> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Failure> {
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Failure> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Failure> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Failure> {
        Ok(self)
    }
}

/// The compound forms differ in the name of the method that takes a member, and in whether it has a key.
macro_rules! compound {
    ($($form:ident::$method:ident($($key:ty)?)),+ $(,)?) => {
        $(impl ser::$form for FiniteCheck {
            type Ok = ();
            type Error = Failure;

            fn $method<T: Serialize + ?Sized>(&mut self, $(_: $key,)? value: &T) -> Checked {
                value.serialize(*self)
            }

            fn end(self) -> Checked {
                Ok(())
            }
        })+
    };
}

compound! {
    SerializeSeq::serialize_element(),
    SerializeTuple::serialize_element(),
    SerializeTupleStruct::serialize_field(),
    SerializeTupleVariant::serialize_field(),
    SerializeStruct::serialize_field(&'static str),
    SerializeStructVariant::serialize_field(&'static str),
}

impl ser::SerializeMap for FiniteCheck {
    type Ok = ();
    type Error = Failure;

    /// Keys are strings in the end, and `serde_json` itself refuses those that are not finite.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Checked {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Checked {
        value.serialize(*self)
    }

    fn end(self) -> Checked {
        Ok(())
    }
}
