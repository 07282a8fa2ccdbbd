//! The name that a client gives a session.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The most characters of an id.
const MAX_CHARACTERS: usize = 64;

/// 1 to 64 of `A-Z`, `a-z`, `0-9`, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionId(String);

/// A text that is no session id (`session/invalid-id`).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{received}` is no session id: expected 1 to {MAX_CHARACTERS} of A-Z, a-z, 0-9, `_` and `-`"
)]
pub struct SessionIdError {
    /// What was given, cut where it is long.
    pub received: String,
}

impl SessionId {
    /// Checks a text.
    ///
    /// # Errors
    /// What is not in the grammar.
    pub fn new(text: &str) -> Result<Self, SessionIdError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if (1..=MAX_CHARACTERS).contains(&text.len()) && text.bytes().all(plain) {
            return Ok(Self(text.to_owned()));
        }
        let shown = text.chars().take(MAX_CHARACTERS + 1);
        Err(SessionIdError {
            received: shown.flat_map(char::escape_debug).collect(),
        })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl FromStr for SessionId {
    type Err = SessionIdError;

    fn from_str(text: &str) -> Result<Self, SessionIdError> {
        Self::new(text)
    }
}

impl TryFrom<String> for SessionId {
    type Error = SessionIdError;

    fn try_from(text: String) -> Result<Self, SessionIdError> {
        Self::new(&text)
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_short_and_plain() {
        for good in ["a", "Fix_42-b", &"x".repeat(64)] {
            assert_eq!(SessionId::new(good).unwrap().as_str(), good);
        }
        for bad in ["", " ", "a b", "a/b", "..", "ä", "a\n", &"x".repeat(65)] {
            let refused = SessionId::new(bad).unwrap_err();
            assert!(!refused.received.contains('\n'), "{bad:?}");
        }
    }
}
