//! The two members of a payload, its data kept as text.

use crate::canonical::CanonicalError;
use crate::json::reader::{Reader, Refusal, SLICE_OF_VALUE};
use crate::object_only::ObjectOnly;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// A payload whose data is not read yet.
#[derive(Debug, Clone)]
pub(super) struct PayloadText<'a> {
    pub(super) kind: Cow<'a, str>,
    pub(super) data: &'a str,
}

/// A payload as it is written again, its data as it was received.
#[derive(Serialize)]
pub(super) struct Written<'a, D> {
    pub(super) kind: &'a str,
    pub(super) data: D,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    data: Slice<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for PayloadText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Members { kind, data } = Members::deserialize(ObjectOnly(deserializer))?;
        Ok(Self { kind, data: data.0 })
    }
}

impl<'a> PayloadText<'a> {
    /// Takes the text apart that a payload was written to.
    pub(super) fn read(payload: &'a str) -> Result<Self, CanonicalError> {
        Self::deserialize(&mut Reader::new(payload))
            .map_err(|refusal| CanonicalError::Serialize(refusal.to_string()))
    }

    /// Makes the typed payload.
    pub(super) fn typed<P: Deserialize<'a>>(&self, has_whitespace: bool) -> Result<P, Refusal> {
        P::deserialize(Entries::new(
            &self.kind,
            &mut Reader::again(self.data, has_whitespace),
        ))
    }

    /// Lets go of the text, of which this is a part.
    pub(super) fn detach(self, text: &str) -> DetachedPayload {
        let place = |part: &str| {
            let start = part.as_ptr() as usize - text.as_ptr() as usize;
            start..start + part.len()
        };
        DetachedPayload {
            kind: match self.kind {
                Cow::Borrowed(kind) => Ok(place(kind)),
                Cow::Owned(kind) => Err(kind),
            },
            data: place(self.data),
        }
    }
}

/// A payload that says where its parts stand in a text.
#[derive(Debug)]
pub(super) struct DetachedPayload {
    /// Its place, or the kind itself where that is spelled with escapes.
    kind: Result<Range<usize>, String>,
    data: Range<usize>,
}

impl DetachedPayload {
    /// Takes hold of the text again.
    pub(super) fn in_text(self, text: &str) -> Option<PayloadText<'_>> {
        let kind = match self.kind {
            Ok(place) => Cow::Borrowed(text.get(place)?),
            Err(kind) => Cow::Owned(kind),
        };
        let data = text.get(self.data)?;
        Some(PayloadText { kind, data })
    }
}

/// The part of a text that is one value, whitespace included.
struct Slice<'a>(&'a str);

impl<'de: 'a, 'a> Deserialize<'de> for Slice<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(SLICE_OF_VALUE, SliceVisitor)
    }
}

struct SliceVisitor;

impl<'de> Visitor<'de> for SliceVisitor {
    type Value = Slice<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value whose text is at hand")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Slice<'de>, E> {
        Ok(Slice(text))
    }
}

/// Hands out the kind first, whatever the order was, so that a typed reader knows what the data has to be.
pub(super) struct Entries<'s, 'de> {
    kind: &'s Cow<'de, str>,
    /// Stands before the data.
    data: &'s mut Reader<'de>,
    next: Option<&'static str>,
}

impl<'s, 'de> Entries<'s, 'de> {
    pub(super) fn new(kind: &'s Cow<'de, str>, data: &'s mut Reader<'de>) -> Self {
        Self {
            kind,
            data,
            next: Some("kind"),
        }
    }
}

impl<'de> Deserializer<'de> for Entries<'_, 'de> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_map(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Refusal;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Refusal> {
        self.next
            .map(|key| seed.deserialize(BorrowedStrDeserializer::new(key)))
            .transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refusal> {
        if self.next == Some("kind") {
            self.next = Some("data");
            return match self.kind {
                Cow::Borrowed(kind) => seed.deserialize(BorrowedStrDeserializer::new(kind)),
                Cow::Owned(kind) => seed.deserialize(kind.as_str().into_deserializer()),
            };
        }
        self.next = None;
        seed.deserialize(&mut *self.data)
    }
}
