//! JSON as it is written: numbers keep their text, members their order, and a key that comes twice is an error.
//!
//! Inputs are read through [`At`], which knows its place and refuses what it was not asked for.

mod at;

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use thiserror::Error;

pub use at::{At, Malformed, Members, Variant};

/// The deepest nesting of arrays and objects that is read.
///
/// # Units and bounds
/// Levels: 127.
pub const MAX_NESTING: usize = 127;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number, as it is written.
    Number(String),
    /// A string, its escapes resolved.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object, its members in the order of the text, no key twice.
    Object(Vec<(String, Json)>),
}

/// A text that is no JSON value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JsonError {
    /// The text breaks the grammar.
    #[error("the text is not JSON: {0}")]
    Syntax(String),
    /// An object names a key twice.
    #[error("the key `{0}` stands twice in an object")]
    DuplicateKey(String),
    /// Arrays and objects nest too deeply.
    #[error("arrays and objects nest deeper than {MAX_NESTING} levels")]
    TooDeep,
}

impl Json {
    /// Reads one value and nothing behind it.
    ///
    /// # Errors
    /// When the text breaks the grammar, an object has a key twice, or values nest too deeply.
    pub fn read(bytes: &[u8]) -> Result<Self, JsonError> {
        // Values are cut out level by level, so that what nests too deeply has to be found before.
        check_depth(depth(bytes))?;
        let raw: &RawValue = serde_json::from_slice(bytes).map_err(syntax)?;
        Self::from_raw(raw.get())
    }

    fn from_raw(raw: &str) -> Result<Self, JsonError> {
        match raw.as_bytes().first() {
            Some(b'{') => Self::object(raw),
            Some(b'[') => Self::array(raw),
            Some(b'"') => Ok(Self::Text(serde_json::from_str(raw).map_err(syntax)?)),
            Some(b'n') => Ok(Self::Null),
            Some(b't') => Ok(Self::Boolean(true)),
            Some(b'f') => Ok(Self::Boolean(false)),
            _ => Ok(Self::Number(raw.to_owned())),
        }
    }

    fn array(raw: &str) -> Result<Self, JsonError> {
        let entries: Entries<'_> = serde_json::from_str(raw).map_err(syntax)?;
        let values = entries.0.into_iter();
        let values = values.map(|entry| Self::from_raw(entry.get()));
        Ok(Self::Array(values.collect::<Result<_, _>>()?))
    }

    fn object(raw: &str) -> Result<Self, JsonError> {
        let fields: Fields<'_> = serde_json::from_str(raw).map_err(syntax)?;
        let mut keys: Vec<&str> = fields.0.iter().map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable();
        if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(JsonError::DuplicateKey(pair[0].to_owned()));
        }
        let members = fields.0.into_iter().map(|(key, value)| {
            let value = Self::from_raw(value.get())?;
            Ok((key, value))
        });
        Ok(Self::Object(members.collect::<Result<_, _>>()?))
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "`map_err` hands the error over"
)]
fn syntax(error: serde_json::Error) -> JsonError {
    JsonError::Syntax(error.to_string())
}

/// Gives how deeply brackets outside strings nest.
fn depth(bytes: &[u8]) -> usize {
    let (mut deepest, mut open) = (0_usize, 0_usize);
    let mut is_string = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if is_string => at += 1,
            b'"' => is_string = !is_string,
            b'[' | b'{' if !is_string => open += 1,
            b']' | b'}' if !is_string => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
        at += 1;
    }
    deepest
}

fn check_depth(depth: usize) -> Result<(), JsonError> {
    if depth > MAX_NESTING {
        return Err(JsonError::TooDeep);
    }
    Ok(())
}

/// The entries of an array, unread.
struct Entries<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Entries<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = access.next_element()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_seq(All)
    }
}

/// The members of an object in order, their values unread.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Fields<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = access.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(All)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_text_and_members_their_order() {
        let value = Json::read(br#" {"b":1.0,"a":[-0,1e400,"\u00e9",null,true]} "#);
        let number = |text: &str| Json::Number(text.to_owned());
        let array = Json::Array(vec![
            number("-0"),
            number("1e400"),
            Json::Text("é".to_owned()),
            Json::Null,
            Json::Boolean(true),
        ]);
        let members = vec![("b".to_owned(), number("1.0")), ("a".to_owned(), array)];
        assert_eq!(value, Ok(Json::Object(members)));
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in ["", "{", "[1,]", "nul", "01", "\"\\x\"", "1 2", "{\"a\":1,}"] {
            let result = Json::read(text.as_bytes());
            assert!(matches!(result, Err(JsonError::Syntax(_))), "{text}");
        }
        let twice = Json::read(br#"{"a":1,"b":2,"a":3}"#);
        assert_eq!(twice, Err(JsonError::DuplicateKey("a".to_owned())));
    }

    #[test]
    fn nesting_ends_at_its_bound() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Json::read(nested(MAX_NESTING).as_bytes()).is_ok());
        let deep = Json::read(nested(MAX_NESTING + 1).as_bytes());
        assert_eq!(deep, Err(JsonError::TooDeep));
        // A million brackets must not reach the stack either.
        assert!(Json::read(nested(1_000_000).as_bytes()).is_err());
    }
}
