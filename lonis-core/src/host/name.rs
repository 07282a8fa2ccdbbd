//! The name of a provider, as it stands in a configuration file and after `lonis-` in a provider folder.

use std::fmt;

/// Bytes that a provider's name may have.
pub const MAX_NAME_BYTES: usize = 64;

/// The name of a registered provider.
///
/// # Wire shape
/// `[a-z0-9][a-z0-9_-]{0,63}`
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderName(String);

/// A text that is no provider name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no provider name: it has 1 to {MAX_NAME_BYTES} of `a-z0-9_-` and begins with a letter or a digit"
)]
pub struct InvalidProviderName(String);

impl ProviderName {
    /// Takes a text as a provider name.
    ///
    /// # Errors
    /// When the text breaks the grammar.
    pub fn new(text: &str) -> Result<Self, InvalidProviderName> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let fits = text.bytes().next().is_some_and(plain)
            && text
                .bytes()
                .all(|byte| plain(byte) || byte == b'_' || byte == b'-')
            && text.len() <= MAX_NAME_BYTES;
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidProviderName(text.chars().take(128).collect()))
        }
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProviderName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar() {
        for good in ["a", "0", "karpal", "my-tool_2", &"a".repeat(64)] {
            assert!(ProviderName::new(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", "_a", "A", "a.b", "é", "a b", &"a".repeat(65)] {
            assert!(ProviderName::new(bad).is_err(), "{bad}");
        }
    }
}
