//! Canonical JSON: one text for one value, whoever wrote it.
//!
//! Owns the order of keys, the escapes of strings and (with [`number`]) the spelling of numbers; nothing in
//! it depends on the version or the features of `serde_json`. [`ContentHash`](crate::ContentHash) is made from it.

mod events;
mod failure;
mod finite;
mod serializer;
mod value;
mod writer;

use serde::Serialize;

use crate::json::JsonError;
use crate::number::{self, Number, NumberError};
use writer::Writer;

pub(crate) use events::of_text;
pub(crate) use value::of_value;

/// Why a value has no canonical text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CanonicalError {
    /// A number is NaN or infinite.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// One object was given a key twice.
    #[error("duplicate key `{0}`")]
    DuplicateKey(String),
    /// An escape in a raw JSON text names no character.
    #[error(transparent)]
    Escape(#[from] JsonError),
    /// The value's own `Serialize` failed, or gave a key that is no string.
    #[error("the value cannot be serialized: {0}")]
    Serialize(String),
}

/// Writes the canonical text of what `value` serializes to.
///
/// # Errors
/// A NaN or infinity anywhere: it is never written as `null`. A value that `serde_json` cannot serialize, and an object that
/// is given one key twice, are errors too; neither occurs in the types of this crate.
///
/// # Example
/// ```
/// let text = lonis_schema::canonical::text(&serde_json::json!({ "b": 1e16, "a": [100.0, "\u{1f}"] }))?;
/// assert_eq!(text, r#"{"a":[100,"\u001f"],"b":1e+16}"#);
/// # Ok::<(), lonis_schema::canonical::CanonicalError>(())
/// ```
#[expect(clippy::missing_panics_doc, reason = "strings alone are written")]
pub fn text<T: Serialize + ?Sized>(value: &T) -> Result<String, CanonicalError> {
    let bytes = bytes(value)?;
    Ok(String::from_utf8(bytes).expect("the canonical text is made from strings"))
}

/// The canonical text as bytes, for the hash.
pub(crate) fn bytes<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    serializer::write(value)
}

/// Serializes to compact JSON, refusing NaN and infinity where `serde_json` would write `null`.
///
/// # Errors
/// A NaN or infinity anywhere; a value that `serde_json` cannot serialize.
pub fn compact_text<T: Serialize + ?Sized>(value: &T) -> Result<String, CanonicalError> {
    finite::check(value)?;
    serde_json::to_string(value).map_err(|error| CanonicalError::Serialize(error.to_string()))
}

/// Refuses what JSON cannot carry: a NaN or infinity anywhere in the value.
pub(crate) fn check_finite<T: Serialize + ?Sized>(value: &T) -> Result<(), CanonicalError> {
    finite::check(value)
}

/// What to do with a number beyond the doubles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overflow {
    Refuse,
    /// Write it as it is spelled: only values built in Rust hold one, and their hash has no way to fail.
    KeepText,
}

impl Overflow {
    fn write(self, text: &str, writer: &mut Writer) -> Result<(), CanonicalError> {
        if number::is_plain_integer(text) {
            writer.token(text);
            return Ok(());
        }
        match Number::read(text) {
            Ok(number) => writer.number(number),
            Err(NumberError::Overflow(_)) if self == Self::KeepText => writer.token(text),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
