//! The canonical text of anything that serializes.
//!
//! Gives a value the shape that `serde_json` gives it, and the canonical spelling.

use serde::ser::{self, Serialize, Serializer};

use super::failure::Failure;
use super::writer::Writer;
use super::{CanonicalError, Overflow, events};
use crate::json::raw_name::raw_name;
use crate::number::Number;

/// Writes the canonical text of a value.
pub(super) fn write<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    let mut writer = Writer::new();
    value
        .serialize(Canonical::new(&mut writer))
        .map_err(|Failure(error)| error)?;
    Ok(writer.into_bytes())
}

/// Writes one value.
struct Canonical<'a> {
    writer: &'a mut Writer,
    /// Whether a string is the text of a value, to be written in its place.
    is_text: bool,
}

/// Writes the members of a value that has some.
struct Members<'a> {
    writer: &'a mut Writer,
    shape: Shape,
}

#[derive(Clone, Copy)]
enum Shape {
    Array,
    Object,
    /// The array or object that is the one member of an object, named after its variant.
    ArrayOfVariant,
    ObjectOfVariant,
    /// The text of a value in place of the value.
    Text,
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "serde asks for a result of each call"
)]
impl Canonical<'_> {
    fn token(self, text: &str) -> Result<(), Failure> {
        self.writer.token(text);
        Ok(())
    }

    fn number(self, number: impl Into<Number>) -> Result<(), Failure> {
        self.writer.number(number.into());
        Ok(())
    }

    /// Writes a number, or a whole value, from its text.
    fn text(self, text: &str) -> Result<(), Failure> {
        events::write(text, Overflow::Refuse, self.writer)?;
        Ok(())
    }
}

impl<'a> Canonical<'a> {
    fn new(writer: &'a mut Writer) -> Self {
        Self {
            writer,
            is_text: false,
        }
    }

    fn array(self) -> Members<'a> {
        self.writer.begin_array();
        Members {
            writer: self.writer,
            shape: Shape::Array,
        }
    }

    fn object(self) -> Members<'a> {
        self.writer.begin_object();
        Members {
            writer: self.writer,
            shape: Shape::Object,
        }
    }
}

impl<'a> Serializer for Canonical<'a> {
    type Ok = ();
    type Error = Failure;
    type SerializeSeq = Members<'a>;
    type SerializeTuple = Members<'a>;
    type SerializeTupleStruct = Members<'a>;
    type SerializeTupleVariant = Members<'a>;
    type SerializeMap = Members<'a>;
    type SerializeStruct = Members<'a>;
    type SerializeStructVariant = Members<'a>;

    fn serialize_bool(self, value: bool) -> Result<(), Failure> {
        self.token(if value { "true" } else { "false" })
    }

    fn serialize_i8(self, value: i8) -> Result<(), Failure> {
        self.number(i64::from(value))
    }

    fn serialize_i16(self, value: i16) -> Result<(), Failure> {
        self.number(i64::from(value))
    }

    fn serialize_i32(self, value: i32) -> Result<(), Failure> {
        self.number(i64::from(value))
    }

    fn serialize_i64(self, value: i64) -> Result<(), Failure> {
        self.number(value)
    }

    fn serialize_i128(self, value: i128) -> Result<(), Failure> {
        self.text(&value.to_string())
    }

    fn serialize_u8(self, value: u8) -> Result<(), Failure> {
        self.number(u64::from(value))
    }

    fn serialize_u16(self, value: u16) -> Result<(), Failure> {
        self.number(u64::from(value))
    }

    fn serialize_u32(self, value: u32) -> Result<(), Failure> {
        self.number(u64::from(value))
    }

    fn serialize_u64(self, value: u64) -> Result<(), Failure> {
        self.number(value)
    }

    fn serialize_u128(self, value: u128) -> Result<(), Failure> {
        self.text(&value.to_string())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Failure> {
        if !value.is_finite() {
            return self.serialize_f64(f64::from(value));
        }
        // A short double is written on the wire in its own shortest digits, and what is hashed is what is written.
        self.text(ryu::Buffer::new().format_finite(value))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Failure> {
        self.number(Number::try_from(value)?)
    }

    fn serialize_char(self, value: char) -> Result<(), Failure> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Failure> {
        if self.is_text {
            return self.text(value);
        }
        self.writer.string(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Failure> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), Failure> {
        self.token("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Failure> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Failure> {
        self.token("null")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Failure> {
        self.token("null")
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Failure> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Failure> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Failure> {
        let mut object = self.object();
        object.member(variant, value)?;
        object.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Members<'a>, Failure> {
        Ok(self.array())
    }

    fn serialize_tuple(self, _: usize) -> Result<Members<'a>, Failure> {
        Ok(self.array())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Members<'a>, Failure> {
        Ok(self.array())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'a>, Failure> {
        let object = self.object();
        object.writer.key(variant);
        object.writer.begin_array();
        Ok(Members {
            shape: Shape::ArrayOfVariant,
            ..object
        })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Members<'a>, Failure> {
        Ok(self.object())
    }

    /// Takes the texts that `serde_json` passes through serde as structs with a name that no Rust type has: raw values,
    /// and numbers in a build that keeps their text.
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Members<'a>, Failure> {
        if name.starts_with('$') || name == raw_name() {
            return Ok(Members {
                writer: self.writer,
                shape: Shape::Text,
            });
        }
        Ok(self.object())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Members<'a>, Failure> {
        let object = self.object();
        object.writer.key(variant);
        object.writer.begin_object();
        Ok(Members {
            shape: Shape::ObjectOfVariant,
            ..object
        })
    }
}

impl Members<'_> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        value.serialize(Canonical::new(self.writer))
    }

    fn member<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), Failure> {
        if let Shape::Text = self.shape {
            return value.serialize(Canonical {
                writer: self.writer,
                is_text: true,
            });
        }
        self.writer.key(key);
        self.element(value)
    }

    fn finish(self) -> Result<(), Failure> {
        match self.shape {
            Shape::Text => {}
            Shape::Array => self.writer.end_array(),
            Shape::Object => self.writer.end_object()?,
            Shape::ArrayOfVariant => {
                self.writer.end_array();
                self.writer.end_object()?;
            }
            Shape::ObjectOfVariant => {
                self.writer.end_object()?;
                self.writer.end_object()?;
            }
        }
        Ok(())
    }
}

/// The compound forms differ in the name of the method that takes a member, and in whether that has a key.
macro_rules! members {
    ($($form:ident::$method:ident => $take:ident($($key:ident: $kind:ty)?)),+ $(,)?) => {
        $(impl ser::$form for Members<'_> {
            type Ok = ();
            type Error = Failure;

            fn $method<T: Serialize + ?Sized>(&mut self, $($key: $kind,)? value: &T) -> Result<(), Failure> {
                self.$take($($key,)? value)
            }

            fn end(self) -> Result<(), Failure> {
                self.finish()
            }
        })+
    };
}

members! {
    SerializeSeq::serialize_element => element(),
    SerializeTuple::serialize_element => element(),
    SerializeTupleStruct::serialize_field => element(),
    SerializeTupleVariant::serialize_field => element(),
    SerializeStruct::serialize_field => member(key: &'static str),
    SerializeStructVariant::serialize_field => member(key: &'static str),
}

impl ser::SerializeMap for Members<'_> {
    type Ok = ();
    type Error = Failure;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failure> {
        let object =
            serde_json::to_string(&OneKey(key)).map_err(<Failure as ser::Error>::custom)?;
        let inside = object
            .strip_prefix("{\"")
            .and_then(|rest| rest.strip_suffix("\":null}"));
        Ok(self.writer.raw_key(inside.unwrap_or_default())?)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        self.element(value)
    }

    fn end(self) -> Result<(), Failure> {
        self.finish()
    }
}

/// A map of one key, so that `serde_json` says which keys are strings and how numbers become some.
struct OneKey<'a, T: ?Sized>(&'a T);

impl<T: Serialize + ?Sized> Serialize for OneKey<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.0, ())])
    }
}
