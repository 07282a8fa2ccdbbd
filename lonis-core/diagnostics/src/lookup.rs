//! Finding what the catalog says of a code, and a code by its text.

use std::fmt;
use std::str::FromStr;

use crate::catalog::{ENTRIES, Entry};
use crate::code::Code;

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

/// Returns the whole catalog, ascending by the bytes of the code.
pub fn entries() -> &'static [Entry] {
    ENTRIES
}

/// Returns the codes whose text is nearest to `text`, the nearest first.
pub fn nearest(text: &str, at_most: usize) -> Vec<&'static str> {
    let mut ranked: Vec<(usize, &str)> = ENTRIES
        .iter()
        .map(|entry| (distance(text, entry.text), entry.text))
        .collect();
    ranked.sort_unstable();
    ranked.truncate(at_most);
    ranked.into_iter().map(|(_, text)| text).collect()
}

/// Counts the letters to insert, remove or replace to make one text the other.
fn distance(from: &str, to: &str) -> usize {
    // A code is short; what is much longer is near to none.
    let from: Vec<char> = from.chars().take(128).collect();
    let mut row: Vec<usize> = (0..=from.len()).collect();
    for (line, wanted) in to.chars().enumerate() {
        let mut corner = row[0];
        row[0] = line + 1;
        for (at, letter) in from.iter().enumerate() {
            let replaced = corner + usize::from(*letter != wanted);
            corner = row[at + 1];
            row[at + 1] = replaced.min(corner + 1).min(row[at] + 1);
        }
    }
    row[from.len()]
}
