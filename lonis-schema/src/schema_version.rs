//! Versioned names of schemas and protocols.

use crate::text_type::{made_from_text, read_as_text, shown_as_text};
use serde::Serialize;
use std::borrow::Cow;

/// A schema or protocol marker `<name>/v<N>`, such as `lonis.tool/v1`.
///
/// # Wire shape
/// ```
/// let version: lonis_schema::SchemaVersion = serde_json::from_str(r#""acme.kv/v12""#)?;
/// assert_eq!((version.name(), version.number()), ("acme.kv", "12"));
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Units and bounds
/// The name is one or more of `[a-z0-9._-]`. The number is decimal digits without a leading zero, at least 1, of any
/// length, so it is text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SchemaVersion(Cow<'static, str>);

/// Why a text is no [`SchemaVersion`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaVersionError {
    /// The last `/` is missing, or `v` does not follow it.
    #[error("schema version `{0}` is not `<name>/v<N>`")]
    Form(String),
    /// The name is empty or has other characters than `[a-z0-9._-]`.
    #[error("schema version `{0}` has a name outside `[a-z0-9._-]`")]
    Name(String),
    /// The number is not a positive decimal number without leading zeros.
    #[error("schema version `{0}` has a number that is not 1, 2, 3 and so on")]
    Number(String),
}

impl SchemaVersion {
    /// The marker of every block: `lonis.block/v1`.
    pub const BLOCK_V1: Self = Self(Cow::Borrowed("lonis.block/v1"));
    /// The default version of a tool: `lonis.tool/v1`.
    pub const TOOL_V1: Self = Self(Cow::Borrowed("lonis.tool/v1"));
    /// The protocol of our own providers: `lonis.provider/v1`.
    pub const PROVIDER_V1: Self = Self(Cow::Borrowed("lonis.provider/v1"));

    /// Checks a text and takes it as a version.
    ///
    /// # Errors
    /// [`SchemaVersionError`], where the text breaks the grammar.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Result<Self, SchemaVersionError> {
        let text = text.into();
        let Some((name, number)) = text
            .rsplit_once('/')
            .and_then(|(name, rest)| Some((name, rest.strip_prefix('v')?)))
        else {
            return Err(SchemaVersionError::Form(text.into_owned()));
        };
        let in_name =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
        if name.is_empty() || !name.bytes().all(in_name) {
            return Err(SchemaVersionError::Name(text.into_owned()));
        }
        if number.is_empty()
            || number.starts_with('0')
            || !number.bytes().all(|byte| byte.is_ascii_digit())
        {
            return Err(SchemaVersionError::Number(text.into_owned()));
        }
        Ok(Self(text))
    }

    /// Returns the version as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns what stands before `/v`.
    pub fn name(&self) -> &str {
        self.parts().0
    }

    /// Returns the digits after `/v`.
    pub fn number(&self) -> &str {
        self.parts().1
    }

    fn parts(&self) -> (&str, &str) {
        self.0
            .rsplit_once("/v")
            .expect("the constructor has checked the form")
    }
}

shown_as_text!(SchemaVersion);
made_from_text!(SchemaVersion, SchemaVersionError);
read_as_text!(SchemaVersion);

#[cfg(test)]
mod tests {
    use super::{SchemaVersion, SchemaVersionError};

    #[test]
    fn text_is_taken_exactly_when_it_keeps_the_grammar() {
        for good in [
            "lonis.block/v1",
            "a/v1",
            "a-b_c.9/v120",
            "0/v99999999999999999999999",
        ] {
            assert_eq!(
                SchemaVersion::new(good).map(|version| version.to_string()),
                Ok(good.to_owned())
            );
        }
        let form: fn(String) -> SchemaVersionError = SchemaVersionError::Form;
        let cases = [
            ("", form),
            ("lonis.block", form),
            ("lonis.block/1", form),
            ("a/v1/", form),
            ("/v1", SchemaVersionError::Name),
            ("A/v1", SchemaVersionError::Name),
            ("a/b/v1", SchemaVersionError::Name),
            ("a b/v1", SchemaVersionError::Name),
            ("a/v", SchemaVersionError::Number),
            ("a/v0", SchemaVersionError::Number),
            ("a/v01", SchemaVersionError::Number),
            ("a/v1x", SchemaVersionError::Number),
            ("a/v-1", SchemaVersionError::Number),
        ];
        for (text, error) in cases {
            assert_eq!(SchemaVersion::new(text), Err(error(text.to_owned())));
        }
    }

    #[test]
    fn the_constants_keep_the_grammar() {
        for version in [
            SchemaVersion::BLOCK_V1,
            SchemaVersion::TOOL_V1,
            SchemaVersion::PROVIDER_V1,
        ] {
            assert_eq!(SchemaVersion::new(version.to_string()), Ok(version));
        }
    }
}
