//! JSON values that keep their text, and the one reader that every JSON text goes through.
//!
//! Owns the strictness of reading ([`Scanner`] for a text that arrives, a reader of typed values for a whole one,
//! [`document`]) and the faithfulness of passing on ([`Json`]). The canonical form and the hash are in [`canonical`].

mod error;
pub(crate) mod events;
pub(crate) mod raw_name;
pub(crate) mod reader;
pub(crate) mod scan;
mod value;

pub use error::{Found, JsonError, JsonErrorReason};
pub use scan::{MAX_DEPTH, Scan, Scanned, Scanner};

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::de::{Error, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::canonical;
use crate::content_hash::ContentHash;
use raw_name::raw_name;
use reader::TEXT_OF_VALUE;

/// The one mark that may precede a document.
pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Any JSON value, kept as its text.
///
/// Key order, number spelling and string escapes stay as they were received; whitespace between tokens goes. Two values
/// are equal when their canonical texts are: `{"a":1,"b":2}` equals `{"b":2.0,"a":1}`, and a number outside of the exact
/// integers equals every other spelling of its nearest double.
///
/// # Wire shape
/// ```
/// use lonis_schema::json::Json;
///
/// let json = Json::parse(r#" {"n": 12345678901234567890123, "s": "\u0061"} "#)?;
/// assert_eq!(json.text(), r#"{"n":12345678901234567890123,"s":"\u0061"}"#);
/// assert_eq!(serde_json::to_string(&json).unwrap(), json.text());
/// # Ok::<(), lonis_schema::json::JsonError>(())
/// ```
#[derive(Clone)]
pub struct Json(Box<str>);

impl Json {
    /// Reads a text that holds exactly one value, whitespace around it allowed.
    ///
    /// # Errors
    /// The first byte that breaks a rule of reading: grammar, a key that stands twice, more than [`MAX_DEPTH`] levels, a
    /// number that no double can hold, a lone surrogate.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        Ok(Self::from(scan_text(text)?))
    }

    /// Takes a part of a text that was scanned.
    pub(crate) fn from_scanned(value: &str, has_whitespace: bool) -> Self {
        Self(if has_whitespace {
            compact(value).into()
        } else {
            value.into()
        })
    }

    /// Returns the text of the value, without whitespace between tokens.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Builds the value, numbers correctly rounded.
    pub fn to_value(&self) -> Value {
        value::build(self.text())
    }

    /// Returns SHA-256 of the canonical text.
    pub fn content_hash(&self) -> ContentHash {
        ContentHash::of_canonical(&canonical::of_text(self.text()))
    }
}

/// Finds the one value of a document: UTF-8, one byte order mark and whitespace around the value allowed.
///
/// # Errors
/// The first byte that breaks a rule, as [`Json::parse`], or that is not UTF-8.
pub fn document(bytes: &[u8]) -> Result<Scanned<'_>, JsonError> {
    let first = bytes.utf8_chunks().next();
    let text = first.as_ref().map_or("", |chunk| chunk.valid());
    let bad_byte = first.and_then(|chunk| chunk.invalid().first().copied());
    match (scan_document(text), bad_byte) {
        (Err(error), Some(_)) if !error.is_truncation() => Err(error),
        (_, Some(byte)) => Err(JsonError::new(text.len(), JsonErrorReason::NotUtf8(byte))),
        (scanned, None) => scanned,
    }
}

/// Finds the one value of a text, with a byte order mark and whitespace around it allowed.
pub(crate) fn scan_document(text: &str) -> Result<Scanned<'_>, JsonError> {
    let value = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let base = text.len() - value.len();
    match scan_text(value) {
        Ok(scanned) => Ok(scanned.shifted(base)),
        Err(error) => Err(error.shifted(base)),
    }
}

fn scan_text(text: &str) -> Result<Scanned<'_>, JsonError> {
    let bytes = text.as_bytes();
    let mut scanner = Scanner::new();
    let end = scanner.finish(bytes)?;
    let trailing = end + skip_whitespace(&bytes[end..]);
    if trailing < bytes.len() {
        return Err(JsonError::unexpected(bytes, trailing, "the end"));
    }
    Ok(scanner.scanned(text).expect("the value is whole"))
}

fn skip_whitespace(text: &[u8]) -> usize {
    text.iter()
        .position(|&byte| !scan::is_whitespace(byte))
        .unwrap_or(text.len())
}

/// Drops whitespace between tokens of a scanned text.
pub(crate) fn compact(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut compacted = String::with_capacity(text.len());
    let mut kept_from = 0;
    let mut position = 0;
    while let Some(&byte) = bytes.get(position) {
        if byte == b'"' {
            position = scan::skip_string(bytes, position);
        } else if scan::is_whitespace(byte) {
            compacted.push_str(&text[kept_from..position]);
            position += skip_whitespace(&bytes[position..]);
            kept_from = position;
        } else {
            position += 1;
        }
    }
    compacted.push_str(&text[kept_from..]);
    compacted
}

impl From<Scanned<'_>> for Json {
    fn from(scanned: Scanned<'_>) -> Self {
        Self::from_scanned(scanned.text(), scanned.has_whitespace())
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self::from(&value)
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        Self(value.to_string().into())
    }
}

impl FromStr for Json {
    type Err = JsonError;

    fn from_str(text: &str) -> Result<Self, JsonError> {
        Self::parse(text)
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
            || canonical::of_text(self.text()) == canonical::of_text(other.text())
    }
}

impl Eq for Json {}

impl Hash for Json {
    fn hash<H: Hasher>(&self, state: &mut H) {
        canonical::of_text(self.text()).hash(state);
    }
}

impl fmt::Display for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Json")
            .field(&format_args!("{}", self.text()))
            .finish()
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // As `RawValue` writes itself, without reading the text once more.
        let mut raw = serializer.serialize_struct(raw_name(), 1)?;
        raw.serialize_field(raw_name(), self.text())?;
        raw.end()
    }
}

impl<'de> Deserialize<'de> for Json {
    /// Reads from `serde_json` and the readers of this crate: no other format hands out the text of a value.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(TEXT_OF_VALUE, JsonVisitor)
    }
}

/// Takes the compact text that a reader of ours hands out, and parses what any other deserializer has.
struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json, E> {
        Ok(Json(text.into()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Json, E> {
        Ok(Json(text.into()))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Json::parse(raw.get()).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests;
