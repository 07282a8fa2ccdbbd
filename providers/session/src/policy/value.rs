//! Values of the policy file that are checked as they are read.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::file_set::Globs;

/// A number from 1 to `MAX`; where `CONTRACT` is not 0, the word `contract` stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Limit<const MAX: u64, const CONTRACT: u64>(u64);

impl<const MAX: u64, const CONTRACT: u64> Limit<MAX, CONTRACT> {
    /// Takes a number that is within the bounds.
    pub(crate) const fn of(number: u64) -> Self {
        assert!(
            number >= 1 && number <= MAX,
            "a default is within its bounds"
        );
        Self(number)
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

struct LimitVisitor<const MAX: u64, const CONTRACT: u64>;

impl<const MAX: u64, const CONTRACT: u64> Visitor<'_> for LimitVisitor<MAX, CONTRACT> {
    type Value = Limit<MAX, CONTRACT>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a whole number from 1 to {MAX}")?;
        match CONTRACT {
            0 => Ok(()),
            _ => write!(formatter, ", or `contract`"),
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        if (1..=MAX).contains(&number) {
            return Ok(Limit(number));
        }
        Err(E::invalid_value(Unexpected::Unsigned(number), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Self::Value, E> {
        if CONTRACT != 0 && word == "contract" {
            return Ok(Limit(CONTRACT));
        }
        Err(E::invalid_value(Unexpected::Str(word), &self))
    }
}

impl<'de, const MAX: u64, const CONTRACT: u64> Deserialize<'de> for Limit<MAX, CONTRACT> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LimitVisitor)
    }
}

/// Globs, each of which can be read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct GlobList(Vec<String>);

impl GlobList {
    pub(crate) fn of(globs: &[&str]) -> Self {
        Self(globs.iter().map(|glob| (*glob).to_owned()).collect())
    }

    /// The globs as they are written.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl TryFrom<Vec<String>> for GlobList {
    type Error = String;

    fn try_from(globs: Vec<String>) -> Result<Self, String> {
        match Globs::new(&globs) {
            Ok(_) => Ok(Self(globs)),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Regular expressions, each of which can be read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Patterns(Vec<String>);

impl Patterns {
    /// The expressions as they are written.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl TryFrom<Vec<String>> for Patterns {
    type Error = String;

    fn try_from(patterns: Vec<String>) -> Result<Self, String> {
        for pattern in &patterns {
            if regex::Regex::new(pattern).is_err() {
                return Err(format!("`{pattern}` is not a regular expression"));
            }
        }
        Ok(Self(patterns))
    }
}
