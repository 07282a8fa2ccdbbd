//! The codes of the catalog as an enum, so that a code which the catalog does not hold cannot be emitted.

use std::fmt;
use std::str::FromStr;

use crate::catalog::{ENTRIES, Entry};

include!("generated/codes.in");

/// A text that is no code of the catalog.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the catalog holds no code `{0}`")]
pub struct UnknownCode(pub String);

impl Code {
    /// Returns what the catalog says of the code.
    pub fn entry(self) -> &'static Entry {
        &ENTRIES[self as usize]
    }

    /// Returns the code as it stands on the wire, `family/name`.
    pub fn as_str(self) -> &'static str {
        self.entry().text
    }

    /// Returns the family, which is the part in front of the slash.
    pub fn family(self) -> &'static str {
        let text = self.as_str();
        text.split_once('/').map_or(text, |(family, _)| family)
    }

    /// Returns the code that stands for a kind of error that `lonis` itself reports.
    pub fn of_wire_kind(kind: &str) -> Option<Self> {
        let entry = ENTRIES.iter().find(|entry| entry.wire.contains(&kind));
        entry.map(|entry| entry.code)
    }
}

impl FromStr for Code {
    type Err = UnknownCode;

    /// Looks a code up: exact, case-sensitive, by binary search.
    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        let found = ENTRIES.binary_search_by(|entry| entry.text.as_bytes().cmp(text.as_bytes()));
        match found {
            Ok(at) => Ok(ENTRIES[at].code),
            Err(_) => Err(UnknownCode(text.to_owned())),
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}
