//! The name that a provider gives to one of its tools, and the registry id made from it.
//!
//! The two spellings stay apart: argv always carries the native name, byte for byte, and the registry holds the
//! id. Nothing else in this crate turns one into the other.

use std::fmt;

use lonis_schema::{ToolId, ToolIdError};
use thiserror::Error;

/// What stands before a name that has a single segment.
const LONE_SEGMENT_PREFIX: &str = "provider:";

/// The name of a tool in its provider's own spelling, such as `acme.kv.get`.
///
/// A held name can be given to the provider as an argument and has a registry id.
///
/// # Example
/// ```
/// use lonis_core::NativeName;
///
/// let name = NativeName::parse("acme.kv.get")?;
/// assert_eq!(name.as_str(), "acme.kv.get");
/// assert_eq!(name.id().as_str(), "acme:kv:get");
/// assert_eq!(NativeName::parse("bare")?.id().as_str(), "provider:bare");
/// # Ok::<(), lonis_core::NativeNameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NativeName {
    text: String,
    id: ToolId,
}

impl NativeName {
    /// Checks a name as a provider spells it.
    ///
    /// # Errors
    /// When the name is empty, begins with `-`, has an empty segment or a control character, or makes an id that is
    /// too long. Such a tool cannot be called.
    pub fn parse(text: &str) -> Result<Self, NativeNameError> {
        if text.is_empty() {
            return Err(NativeNameError::Empty);
        }
        if text.starts_with('-') {
            return Err(NativeNameError::LeadingDash {
                name: text.escape_debug().to_string(),
            });
        }
        let id = ToolId::new(mangled(text)).map_err(|reason| NativeNameError::Id {
            name: text.escape_debug().to_string(),
            reason,
        })?;
        Ok(Self {
            text: text.to_owned(),
            id,
        })
    }

    /// Returns the name as the provider spells it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the registry id that follows from the name.
    pub fn id(&self) -> &ToolId {
        &self.id
    }
}

impl fmt::Display for NativeName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// Why a provider's name for a tool cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NativeNameError {
    /// Nothing between the quotes.
    #[error("tool name is empty")]
    Empty,
    /// The provider would read it as an option.
    #[error("tool name `{name}` begins with `-`")]
    LeadingDash {
        /// The name, escaped.
        name: String,
    },
    /// No registry id follows from it.
    #[error("tool name `{name}` makes no tool id: {reason}")]
    Id {
        /// The name, escaped.
        name: String,
        /// Which rule of an id it breaks.
        reason: ToolIdError,
    },
}

fn mangled(text: &str) -> String {
    let id = text.replace('.', ":");
    if id.contains(':') {
        id
    } else {
        format!("{LONE_SEGMENT_PREFIX}{id}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_follows_from_the_name() {
        for (name, id) in [
            ("mock.echo", "mock:echo"),
            ("bare", "provider:bare"),
            ("a:b", "a:b"),
            ("a.b:c", "a:b:c"),
            ("übung.größe", "übung:größe"),
        ] {
            let parsed = NativeName::parse(name).unwrap();
            assert_eq!((parsed.as_str(), parsed.id().as_str()), (name, id));
        }
    }

    #[test]
    fn unusable_names_are_refused() {
        let long = "n".repeat(1016);
        for name in [
            "",
            "a..b",
            ".a",
            "a.",
            "a:",
            ":",
            ".",
            "-x",
            "--help",
            "a.b\n",
            "a.\0",
            "a.\u{85}b",
            &long,
        ] {
            assert!(NativeName::parse(name).is_err(), "{name:?}");
        }
    }
}
