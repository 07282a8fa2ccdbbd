//! Digests of parts.

mod program;

use std::fmt;

use sha2::{Digest as _, Sha256};
use thiserror::Error;

pub use program::{HashedDefinition, TypeHashes, soil_hash_with, soil_hashes};

/// A SHA-256 digest.
///
/// # Wire shape
/// `sha256:` and 64 lowercase hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A text that is no digest.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not `sha256:` and 64 lowercase hex digits")]
pub struct DigestError {
    text: String,
}

impl Digest {
    /// Hashes parts: for each its length as 8 bytes, lowest first, and its bytes.
    ///
    /// # Example
    /// ```
    /// let digest = soil::hash::Digest::of(["soil-hash/1", "…"]);
    /// assert!(digest.to_string().starts_with("sha256:"));
    /// ```
    pub fn of<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            let bytes = part.as_ref();
            hasher.update((bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        }
        Self(hasher.finalize().into())
    }

    /// Reads a digest in its written form.
    ///
    /// # Errors
    /// When the text is anything else.
    pub fn parse(text: &str) -> Result<Self, DigestError> {
        let error = || DigestError {
            text: text.chars().take(80).collect(),
        };
        let digits = text.strip_prefix("sha256:").ok_or_else(error)?.as_bytes();
        if digits.len() != 64 {
            return Err(error());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let high = hex_value(pair[0]).ok_or_else(error)?;
            let low = hex_value(pair[1]).ok_or_else(error)?;
            *byte = high << 4 | low;
        }
        Ok(Self(bytes))
    }

    /// Gives the bytes.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

const fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("sha256:")?;
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// What a definition's hash says of one thing that its text refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The name as written.
    pub name: String,
    /// What the name stands for: a digest, or the version word of the builtins.
    pub referent: String,
}

/// The referent of base builtins and of `T::…` operations.
pub const BASE_BUILTIN: &str = "soil0-builtin/1";

/// The referent of extended builtins.
pub const EXTENDED_BUILTIN: &str = "lonis-builtin/1";

/// Gives the hash of a definition from its hash form and its edges, which are sorted here by name.
pub fn soil_hash(hash_form: &str, edges: &[Edge]) -> Digest {
    let mut lines: Vec<String> = edges
        .iter()
        .map(|edge| format!("{}\0{}\n", edge.name, edge.referent))
        .collect();
    lines.sort_unstable();
    Digest::of(["soil-hash/1", hash_form, &lines.concat()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_keep_parts_apart() {
        assert_ne!(Digest::of(["ab", "c"]), Digest::of(["a", "bc"]));
        assert_ne!(Digest::of(["ab"]), Digest::of(["ab", ""]));
    }

    #[test]
    fn written_form_reads_back() {
        let digest = Digest::of(["x"]);
        assert_eq!(Digest::parse(&digest.to_string()), Ok(digest));
        for text in [
            "",
            "sha256:",
            "sha256:00",
            &digest.to_string().to_uppercase(),
        ] {
            assert!(Digest::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn edges_are_sorted_by_name() {
        let edge = |name: &str| Edge {
            name: name.to_owned(),
            referent: BASE_BUILTIN.to_owned(),
        };
        let forward = soil_hash("f", &[edge("a"), edge("b")]);
        assert_eq!(soil_hash("f", &[edge("b"), edge("a")]), forward);
        assert_ne!(soil_hash("f", &[edge("a")]), forward);
    }
}
