//! Reading `{"kind": …, "data": …}`: two keys, in either order, each once.
//!
//! It never looks into `data`; what that is follows from the kind.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::Json;
use crate::object_only::ObjectOnly;

const KEYS: &[&str] = &["kind", "data"];

/// A payload whose kind says what its data is.
pub trait Tagged: Sized {
    /// Reads the data of a kind, or refuses the kind.
    ///
    /// # Errors
    /// That of the source, where the kind is unknown or the data is not what the kind has.
    fn read_data<'de, S: DataSource<'de>>(kind: &str, source: S) -> Result<Self, S::Error>;
}

/// Where the data comes from: the value that follows in an object, or the text that stood before the kind.
pub trait DataSource<'de> {
    /// Why it cannot be read.
    type Error: Error;

    /// Reads the data.
    ///
    /// # Errors
    /// Where it is not a `T`.
    fn read<T: DeserializeOwned>(self) -> Result<T, Self::Error>;
}

/// The data of a variant with fields: an object, and never an array with the fields by position.
#[derive(Debug)]
pub struct Object<T>(pub T);

/// The data of a variant without fields: `null`, and nothing else.
#[derive(Debug)]
pub struct Null;

/// Reads a payload.
///
/// # Errors
/// Another key than the two, one of them twice or not at all, and what [`Tagged::read_data`] refuses.
pub fn read_tagged<'de, T: Tagged, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(TaggedVisitor(PhantomData))
}

/// Refuses a kind that a closed payload does not have.
pub fn unknown_kind<E: Error>(kind: &str, known: &[&str]) -> E {
    let known = known.join("`, `");
    E::custom(format_args!(
        "unknown kind `{kind}`, expected one of `{known}`"
    ))
}

struct TaggedVisitor<T>(PhantomData<T>);

impl<'de, T: Tagged> Visitor<'de> for TaggedVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with `kind` and `data`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let (mut kind, mut early_data, mut payload) = (None::<Word>, None::<Json>, None::<T>);
        while let Some(Word(key)) = map.next_key()? {
            match (&*key, &kind) {
                ("kind", Some(_)) => return Err(A::Error::duplicate_field("kind")),
                ("kind", None) => kind = Some(map.next_value()?),
                ("data", _) if payload.is_some() || early_data.is_some() => {
                    return Err(A::Error::duplicate_field("data"));
                }
                ("data", Some(Word(kind))) => {
                    payload = Some(T::read_data(kind, NextValue(&mut map))?);
                }
                ("data", None) => early_data = Some(map.next_value()?),
                (other, _) => return Err(A::Error::unknown_field(other, KEYS)),
            }
        }
        let Word(kind) = kind.ok_or_else(|| A::Error::missing_field("kind"))?;
        match (payload, early_data) {
            (Some(payload), _) => Ok(payload),
            (None, Some(data)) => T::read_data(&kind, KeptText(data)).map_err(A::Error::custom),
            (None, None) => Err(A::Error::missing_field("data")),
        }
    }
}

/// A text that is only looked at: borrowed where it was read from a text without escapes.
struct Word<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Word<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(WordVisitor)
    }
}

struct WordVisitor;

impl<'de> Visitor<'de> for WordVisitor {
    type Value = Word<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Word<'de>, E> {
        Ok(Word(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Word<'de>, E> {
        Ok(Word(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Word<'de>, E> {
        Ok(Word(Cow::Owned(text)))
    }
}

struct NextValue<'a, A>(&'a mut A);

impl<'de, A: MapAccess<'de>> DataSource<'de> for NextValue<'_, A> {
    type Error = A::Error;

    fn read<T: DeserializeOwned>(self) -> Result<T, A::Error> {
        self.0.next_value()
    }
}

struct KeptText(Json);

impl DataSource<'_> for KeptText {
    type Error = serde_json::Error;

    fn read<T: DeserializeOwned>(self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0.text())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(ObjectOnly(deserializer)).map(Self)
    }
}

impl<'de> Deserialize<'de> for Null {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_unit(NullVisitor)
    }
}

struct NullVisitor;

impl Visitor<'_> for NullVisitor {
    type Value = Null;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("`null`, the data of a kind without fields")
    }

    fn visit_unit<E: Error>(self) -> Result<Null, E> {
        Ok(Null)
    }
}
