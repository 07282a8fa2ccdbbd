//! The reader as serde sees it.

use std::borrow::Cow;

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, MapDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};

use super::key_set::{Key, KeySet};
use super::{Reader, Refusal, SLICE_OF_VALUE, TEXT_OF_VALUE};
use crate::json::compact;
use crate::json::raw_name::raw_name;

impl<'de> Reader<'de> {
    fn any<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Refusal> {
        match self.peek() {
            Some(b'"') => match self.string()? {
                Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                Cow::Owned(text) => visitor.visit_string(text),
            },
            Some(b'{') => self.object(&[], |members| visitor.visit_map(members)),
            Some(b'[') => self.array(visitor),
            Some(b'-' | b'0'..=b'9') => self.any_number(visitor),
            Some(b't') => {
                self.word("true")?;
                visitor.visit_bool(true)
            }
            Some(b'f') => {
                self.word("false")?;
                visitor.visit_bool(false)
            }
            Some(b'n') => {
                self.word("null")?;
                visitor.visit_unit()
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    /// Gives an integer literal exactly where 64 bits hold it, and any other number as the nearest double.
    fn any_number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Refusal> {
        let (text, is_integer) = self.number()?;
        if is_integer && text != "-0" {
            if let Ok(value) = text.parse::<u64>() {
                return visitor.visit_u64(value);
            }
            if let Ok(value) = text.parse::<i64>() {
                return visitor.visit_i64(value);
            }
        }
        visitor.visit_f64(double(text))
    }

    /// Reads an object, in which a key of `fields` that stands twice is for the visitor to find.
    fn object<T>(
        &mut self,
        fields: &'static [&'static str],
        visit: impl FnOnce(&mut Members<'_, 'de>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.open()?;
        let mut members = Members {
            reader: self,
            keys: None,
            fields,
            is_first: true,
            has_ended: false,
        };
        let value = visit(&mut members)?;
        members.finish()?;
        Ok(value)
    }

    fn array<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Refusal> {
        self.open()?;
        let mut elements = Elements {
            reader: self,
            is_first: true,
            has_ended: false,
        };
        let value = visitor.visit_seq(&mut elements)?;
        elements.finish()?;
        Ok(value)
    }
}

/// The nearest double of a number that was read.
fn double(text: &str) -> f64 {
    text.parse()
        .expect("every JSON number is one to the standard parser")
}

/// Makes the methods that have nothing of their own to do.
macro_rules! any {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
            self.deserialize_any(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.peek();
        let start = self.position;
        self.any(visitor).map_err(|refusal| refusal.at(start))
    }

    any! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64 deserialize_f64 deserialize_char deserialize_str deserialize_string
        deserialize_bytes deserialize_byte_buf deserialize_unit deserialize_seq deserialize_map deserialize_identifier
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.wide_integer(visitor)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.wide_integer(visitor)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => {
                let start = self.position;
                let (text, _) = self.number()?;
                // Rounding a double again would not always give the nearest single.
                let value: f32 = text
                    .parse()
                    .expect("every JSON number is one to the standard parser");
                let value = if value.is_finite() {
                    visitor.visit_f32(value)
                } else {
                    Err(Refusal::custom(format_args!(
                        "`{text}` is beyond the largest single"
                    )))
                };
                value.map_err(|refusal: Refusal| refusal.at(start))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        if self.peek() == Some(b'n') {
            self.word("null")?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        match name {
            TEXT_OF_VALUE => self.text_of_value(visitor),
            SLICE_OF_VALUE => visitor.visit_borrowed_str(self.skip_value()?),
            // Payloads may hold raw values of the library.
            name if name == raw_name() => {
                let text = self.skip_value()?;
                visitor.visit_map(MapDeserializer::new(std::iter::once((name, text))))
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.deserialize_any(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        if self.peek() != Some(b'{') {
            return self.deserialize_any(visitor);
        }
        let start = self.position;
        self.object(fields, |members| visitor.visit_map(members))
            .map_err(|refusal| refusal.at(start))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        let first = self.peek();
        let start = self.position;
        let value = match first {
            Some(b'"') => {
                let word = self.string()?;
                visitor.visit_enum(IntoDeserializer::<Refusal>::into_deserializer(&*word))
            }
            Some(b'{') => self.object(&[], |members| {
                visitor.visit_enum(MapAccessDeserializer::new(members))
            }),
            _ => Err(Refusal::custom(
                "invalid type: expected a variant, a string or an object with one key",
            )),
        };
        value.map_err(|refusal| refusal.at(start))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.skip_value()?;
        visitor.visit_unit()
    }
}

impl<'de> Reader<'de> {
    /// Gives the text of a value without whitespace between tokens: borrowed where there was none.
    fn text_of_value<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Refusal> {
        if self.is_known && !self.is_spaced && self.position == 0 {
            self.position = self.text.len();
            return visitor.visit_borrowed_str(self.text);
        }
        self.peek();
        let before = std::mem::take(&mut self.has_whitespace);
        let text = self.skip_value()?;
        let inside = std::mem::replace(&mut self.has_whitespace, before);
        self.has_whitespace |= inside;
        if inside || (self.is_known && self.is_spaced) {
            return visitor.visit_string(compact(text));
        }
        visitor.visit_borrowed_str(text)
    }

    /// Gives an integer literal of up to 128 bits exactly.
    fn wide_integer<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Refusal> {
        let start = match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.position,
            _ => return self.deserialize_any(visitor),
        };
        let (text, is_integer) = self.number()?;
        let value = match (text.parse::<u128>(), text.parse::<i128>()) {
            (Ok(value), _) if is_integer => visitor.visit_u128(value),
            (_, Ok(value)) if is_integer => visitor.visit_i128(value),
            _ => visitor.visit_f64(double(text)),
        };
        value.map_err(|refusal: Refusal| refusal.at(start))
    }
}

/// The members of an object, one after the other.
struct Members<'r, 'de> {
    reader: &'r mut Reader<'de>,
    /// Made for the first key that the visitor may not know.
    keys: Option<KeySet<'de>>,
    fields: &'static [&'static str],
    is_first: bool,
    has_ended: bool,
}

impl Members<'_, '_> {
    /// Reads the next key, which the reader gives then, unless the object has ended.
    fn next(&mut self) -> Result<bool, Refusal> {
        if self.has_ended {
            return Ok(false);
        }
        if !self.reader.next_key(self.is_first)? {
            self.has_ended = true;
            return Ok(false);
        }
        self.is_first = false;
        let key = self.reader.key();
        let is_checked = self.reader.is_known || self.fields.contains(&key.inside);
        if !is_checked
            && !self
                .keys
                .get_or_insert_default()
                .insert(self.reader.text, key)
        {
            return Err(self.reader.duplicate_key());
        }
        self.reader.colon()?;
        Ok(true)
    }

    /// Refuses members that the visitor left unread.
    fn finish(&mut self) -> Result<(), Refusal> {
        if self.next()? {
            let Key { inside, start, .. } = self.reader.key();
            return Err(Refusal::custom(format_args!("unexpected member `{inside}`")).at(start));
        }
        Ok(())
    }
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Refusal;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refusal> {
        if !self.next()? {
            return Ok(None);
        }
        let key = self.reader.key();
        let read = if key.is_escaped {
            seed.deserialize(key.characters().into_owned().into_deserializer())
        } else {
            seed.deserialize(BorrowedStrDeserializer::new(key.inside))
        };
        read.map(Some)
            .map_err(|refusal: Refusal| refusal.at(key.start))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Refusal> {
        seed.deserialize(&mut *self.reader)
    }
}

/// The elements of an array, one after the other.
struct Elements<'r, 'de> {
    reader: &'r mut Reader<'de>,
    is_first: bool,
    has_ended: bool,
}

impl Elements<'_, '_> {
    fn advance(&mut self) -> Result<bool, Refusal> {
        if !self.has_ended {
            self.has_ended = !self.reader.next_element(self.is_first)?;
            self.is_first = false;
        }
        Ok(!self.has_ended)
    }

    /// Refuses elements that the visitor left unread.
    fn finish(&mut self) -> Result<(), Refusal> {
        let before = self.reader.position;
        if self.advance()? {
            return Err(Refusal::custom("more elements than expected").at(before));
        }
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Refusal;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Refusal> {
        if !self.advance()? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }
}
