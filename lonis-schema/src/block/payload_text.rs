//! The two members of a payload, its data kept as text.

use crate::canonical::CanonicalError;
use crate::object_only::ObjectOnly;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A payload whose data is not read yet.
#[derive(Debug, Clone)]
pub(super) struct PayloadText<'a> {
    pub(super) kind: Cow<'a, str>,
    pub(super) data: &'a RawValue,
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
    data: &'a RawValue,
}

impl<'de: 'a, 'a> Deserialize<'de> for PayloadText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Members { kind, data } = Members::deserialize(ObjectOnly(deserializer))?;
        Ok(Self { kind, data })
    }
}

impl<'a> PayloadText<'a> {
    /// Takes the text apart that a payload was written to.
    pub(super) fn read(payload: &'a str) -> Result<Self, CanonicalError> {
        serde_json::from_str(payload).map_err(|error| CanonicalError::Serialize(error.to_string()))
    }

    /// Makes the typed payload.
    pub(super) fn typed<P: Deserialize<'a>>(&self) -> Result<P, serde_json::Error> {
        P::deserialize(self)
    }
}

/// Hands out the kind first, whatever the order was, so that a typed reader knows what the data has to be.
struct Entries<'s, 'a> {
    payload: &'s PayloadText<'a>,
    next: Option<&'static str>,
}

impl<'de> Deserializer<'de> for &PayloadText<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_map(Entries {
            payload: self,
            next: Some("kind"),
        })
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'a> MapAccess<'a> for Entries<'_, 'a> {
    type Error = serde_json::Error;

    fn next_key_seed<K: DeserializeSeed<'a>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Self::Error> {
        self.next
            .map(|key| seed.deserialize(BorrowedStrDeserializer::new(key)))
            .transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, Self::Error> {
        if self.next == Some("kind") {
            self.next = Some("data");
            return match &self.payload.kind {
                Cow::Borrowed(kind) => seed.deserialize(BorrowedStrDeserializer::new(kind)),
                Cow::Owned(kind) => seed.deserialize(kind.as_str().into_deserializer()),
            };
        }
        self.next = None;
        seed.deserialize(&mut serde_json::Deserializer::from_str(
            self.payload.data.get(),
        ))
    }
}
