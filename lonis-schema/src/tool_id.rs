//! The name of a tool in a registry.

use crate::text_type::{made_from_text, read_as_text, shown_as_text};
use serde::Serialize;

/// Longest text of a [`ToolId`], in Unicode scalar values.
pub const MAX_TOOL_ID_LENGTH: usize = 1024;

/// The name of a tool: two or more segments joined by `:`, such as `acme:kv:get`.
///
/// # Wire shape
/// ```
/// let id: lonis_schema::ToolId = serde_json::from_str(r#""acme:kv:get""#)?;
/// assert_eq!(id.segments().collect::<Vec<_>>(), ["acme", "kv", "get"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Units and bounds
/// At most 1024 Unicode scalar values; no segment is empty, no character a control character.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ToolId(Box<str>);

/// Why a text is no [`ToolId`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolIdError {
    /// There is no `:` that parts two segments.
    #[error("tool id `{0}` has one segment, expected two or more joined by `:`")]
    OneSegment(String),
    /// Two colons follow each other, or one stands at an end.
    #[error("tool id `{0}` has an empty segment")]
    EmptySegment(String),
    /// A character below U+0020, DEL or one of C1.
    #[error("tool id {0:?} has a control character")]
    ControlCharacter(String),
    /// More than [`MAX_TOOL_ID_LENGTH`] characters.
    #[error("tool id of {0} characters is longer than 1024")]
    TooLong(usize),
}

impl ToolId {
    /// Checks a text and takes it as an id.
    ///
    /// # Errors
    /// [`ToolIdError`], where the text breaks the grammar.
    pub fn new(text: impl Into<Box<str>>) -> Result<Self, ToolIdError> {
        let text = text.into();
        check_segments(&text)?;
        Ok(Self(text))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Iterates over the segments between the colons.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split(':')
    }
}

/// Checks the grammar that tool ids and qualified participants share.
pub(crate) fn check_segments(text: &str) -> Result<(), ToolIdError> {
    let length = text.chars().count();
    if length > MAX_TOOL_ID_LENGTH {
        return Err(ToolIdError::TooLong(length));
    }
    if text.chars().any(char::is_control) {
        return Err(ToolIdError::ControlCharacter(text.to_owned()));
    }
    if text.split(':').any(str::is_empty) {
        return Err(ToolIdError::EmptySegment(text.to_owned()));
    }
    if !text.contains(':') {
        return Err(ToolIdError::OneSegment(text.to_owned()));
    }
    Ok(())
}

shown_as_text!(ToolId);
made_from_text!(ToolId, ToolIdError);
read_as_text!(ToolId);

#[cfg(test)]
mod tests {
    use super::{ToolId, ToolIdError};

    #[test]
    fn text_is_taken_exactly_when_it_keeps_the_grammar() {
        let long = format!("a:{}", "é".repeat(1022));
        for good in ["a:b", "acme:kv:get", "a b:c", "é:ü", long.as_str()] {
            assert_eq!(
                ToolId::new(good).map(|id| id.as_str().to_owned()),
                Ok(good.to_owned())
            );
        }
        let too_long = format!("a:{}", "é".repeat(1023));
        let bad: &[(&str, ToolIdError)] = &[
            ("", ToolIdError::EmptySegment(String::new())),
            ("bad", ToolIdError::OneSegment("bad".into())),
            ("a::b", ToolIdError::EmptySegment("a::b".into())),
            (":a", ToolIdError::EmptySegment(":a".into())),
            ("a:", ToolIdError::EmptySegment("a:".into())),
            ("a:\u{7}", ToolIdError::ControlCharacter("a:\u{7}".into())),
            ("a:\u{85}", ToolIdError::ControlCharacter("a:\u{85}".into())),
            (&too_long, ToolIdError::TooLong(1025)),
        ];
        for (text, error) in bad {
            assert_eq!(ToolId::new(*text), Err(error.clone()));
        }
    }

    #[test]
    fn reading_goes_through_the_same_check() {
        assert!(serde_json::from_str::<ToolId>(r#""a:b""#).is_ok());
        let error = serde_json::from_str::<ToolId>(r#""bad""#).expect_err("one segment");
        assert!(
            error
                .to_string()
                .starts_with("tool id `bad` has one segment"),
            "{error}"
        );
    }
}
