//! Who speaks: the identity in an attribution.

use crate::text_type::shown_as_text;
use crate::tool_id::{ToolIdError, check_segments};
use serde::{Deserialize, Serialize};

/// First segments that name a sort of participant.
const RESERVED_SOURCES: &[&str] = &["persona", "agent", "tool", "human", "lonis"];

/// The identity of a participant, such as `agent:reviewer` or `karpal-discovery`.
///
/// Any text is kept when it is received; the constructors are stricter.
///
/// # Example
/// ```
/// use lonis_schema::ParticipantId;
///
/// let reviewer = ParticipantId::qualified("agent:reviewer:1")?;
/// assert_eq!((reviewer.source(), reviewer.rest()), ("agent", Some("reviewer:1")));
/// assert!(ParticipantId::qualified("karpal-discovery").is_err());
/// assert_eq!(ParticipantId::unqualified("karpal-discovery")?.as_str(), "karpal-discovery");
/// # Ok::<(), lonis_schema::ParticipantIdError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ParticipantId(String);

/// Why a text is no [`ParticipantId`] of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParticipantIdError {
    /// There is nothing in it.
    #[error("participant id is empty")]
    Empty,
    /// It is not two or more segments joined by `:`.
    #[error("participant id is not qualified: {0}")]
    NotQualified(ToolIdError),
}

impl ParticipantId {
    /// Takes a qualified id: two or more segments joined by `:`, with the grammar of a [`ToolId`](crate::ToolId).
    ///
    /// # Errors
    /// [`ParticipantIdError::NotQualified`], where the text breaks that grammar.
    pub fn qualified(text: impl Into<String>) -> Result<Self, ParticipantIdError> {
        let text = text.into();
        check_segments(&text).map_err(ParticipantIdError::NotQualified)?;
        Ok(Self(text))
    }

    /// Takes any text but the empty one.
    ///
    /// # Errors
    /// [`ParticipantIdError::Empty`].
    pub fn unqualified(text: impl Into<String>) -> Result<Self, ParticipantIdError> {
        let text = text.into();
        if text.is_empty() {
            Err(ParticipantIdError::Empty)
        } else {
            Ok(Self(text))
        }
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the first segment.
    pub fn source(&self) -> &str {
        self.0
            .split_once(':')
            .map_or(&*self.0, |(source, _)| source)
    }

    /// Returns what follows the first segment; nothing for a single segment.
    pub fn rest(&self) -> Option<&str> {
        self.0.split_once(':').map(|(_, rest)| rest)
    }

    /// Returns whether the source is one of `persona`, `agent`, `tool`, `human` and `lonis`.
    pub fn has_reserved_source(&self) -> bool {
        RESERVED_SOURCES.contains(&self.source())
    }
}

impl From<&str> for ParticipantId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for ParticipantId {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&crate::ToolId> for ParticipantId {
    fn from(id: &crate::ToolId) -> Self {
        Self(id.as_str().to_owned())
    }
}

shown_as_text!(ParticipantId);

#[cfg(test)]
mod tests {
    use super::{ParticipantId, ParticipantIdError};

    #[test]
    fn a_received_id_is_any_text() {
        for text in ["", "karpal-discovery", "a::b", "human:ada"] {
            let id: ParticipantId = serde_json::from_str(&format!("{text:?}")).expect("any string");
            assert_eq!(id.as_str(), text);
        }
    }

    #[test]
    fn the_constructors_are_strict() {
        assert!(ParticipantId::qualified("agent:reviewer").is_ok());
        for text in ["", "agent", "a::b", "a:\n"] {
            assert!(ParticipantId::qualified(text).is_err(), "{text:?}");
        }
        assert!(ParticipantId::unqualified("agent").is_ok());
        assert_eq!(
            ParticipantId::unqualified(""),
            Err(ParticipantIdError::Empty)
        );
    }

    #[test]
    fn the_source_is_the_first_segment() {
        let cases = [
            ("human:ada:desk", "human", Some("ada:desk"), true),
            ("acme:kv", "acme", Some("kv"), false),
            ("lonis", "lonis", None, true),
            ("", "", None, false),
        ];
        for (text, source, rest, reserved) in cases {
            let id = ParticipantId::from(text);
            assert_eq!(
                (id.source(), id.rest(), id.has_reserved_source()),
                (source, rest, reserved)
            );
        }
    }
}
