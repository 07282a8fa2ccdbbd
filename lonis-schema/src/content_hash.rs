//! The content hash: SHA-256 of a canonical text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::canonical::{self, CanonicalError};

/// Hexadecimal digits of a SHA-256.
const LENGTH: usize = 64;

/// SHA-256 of a canonical text, in lowercase hexadecimal.
///
/// # Wire shape
/// ```
/// use lonis_schema::json_content_hash;
///
/// let hash = json_content_hash(&serde_json::json!({ "a": 1 }));
/// assert_eq!(hash.as_str(), "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; LENGTH]);

/// A text that is not a content hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a content hash: expected 64 lowercase hexadecimal digits")]
pub struct ContentHashError(String);

/// Hashes any JSON value by its canonical text.
///
/// Gives one hash in every build, whichever features of `serde_json` are on. A number beyond the doubles, which no reader
/// of Lonis accepts and which a value holds only in a build with `arbitrary_precision`, counts by its text;
/// [`ContentHash::of`] refuses it.
pub fn json_content_hash(value: &Value) -> ContentHash {
    ContentHash::of_canonical(&canonical::of_value(value))
}

impl ContentHash {
    /// Hashes the canonical text of what `value` serializes to.
    ///
    /// # Errors
    /// As [`canonical::text`].
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, CanonicalError> {
        Ok(Self::of_canonical(&canonical::bytes(value)?))
    }

    /// Hashes bytes as they are: of a file, or of a text that is canonical already.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::of_canonical(bytes)
    }

    pub(crate) fn of_canonical(text: &[u8]) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hexadecimal = [0; LENGTH];
        for (pair, byte) in hexadecimal
            .as_chunks_mut::<2>()
            .0
            .iter_mut()
            .zip(Sha256::digest(text))
        {
            *pair = [
                DIGITS[usize::from(byte >> 4)],
                DIGITS[usize::from(byte & 0xf)],
            ];
        }
        Self(hexadecimal)
    }

    /// Returns the 64 digits.
    #[expect(clippy::missing_panics_doc, reason = "held digits are ASCII")]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("hexadecimal digits are ASCII")
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> Self {
        hash.as_str().to_owned()
    }
}

impl FromStr for ContentHash {
    type Err = ContentHashError;

    fn from_str(text: &str) -> Result<Self, ContentHashError> {
        let digits: Option<[u8; LENGTH]> = text.as_bytes().try_into().ok();
        digits
            .filter(|digits| {
                digits
                    .iter()
                    .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
            })
            .map(Self)
            .ok_or_else(|| ContentHashError(text.chars().take(LENGTH + 1).collect()))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ContentHash({})", self.as_str())
    }
}

impl Serialize for ContentHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ContentHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lowercase_digits_are_a_hash() {
        let text = "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b";
        let hash: ContentHash = text.parse().unwrap();
        assert_eq!(hash, json_content_hash(&Value::Null));
        assert_eq!(serde_json::to_string(&hash).unwrap(), format!("\"{text}\""));
        assert_eq!(
            serde_json::from_str::<ContentHash>(&format!("\"{text}\"")).unwrap(),
            hash
        );
        for bad in [
            &text[1..],
            &text.to_uppercase(),
            &format!("{text}0"),
            "",
            &"g".repeat(64),
            &"é".repeat(32),
        ] {
            assert!(bad.parse::<ContentHash>().is_err(), "{bad}");
            assert!(
                serde_json::from_value::<ContentHash>(bad.to_owned().into()).is_err(),
                "{bad}"
            );
        }
    }
}
