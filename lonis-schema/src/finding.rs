//! What a received document breaks without losing its shape.

use std::fmt;

/// One limit, grammar or format that a document breaks where its shape is right.
///
/// A finding never drops a block that was received. In what is built here, the same breach is an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pointer: String,
    breach: Breach,
}

/// The rule that a [`Finding`] is about.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Breach {
    /// A string is too long.
    #[error("has {seen} characters, the limit is {limit}")]
    Length {
        /// Unicode scalar values allowed.
        limit: usize,
        /// Unicode scalar values seen.
        seen: usize,
    },
    /// A list has too many items.
    #[error("has {seen} items, the limit is {limit}")]
    Items {
        /// Items allowed.
        limit: usize,
        /// Items seen.
        seen: usize,
    },
    /// A number is too small or too large.
    #[error("is {seen}, allowed is {range}")]
    Range {
        /// The numbers allowed, such as `0 to 1`.
        range: &'static str,
        /// The number seen.
        seen: String,
    },
    /// A member of a contract is no JSON object, so that it was dropped.
    #[error("is no object and was dropped")]
    NoObject,
    /// An identifier breaks its grammar.
    #[error("breaks the grammar: {0}")]
    Grammar(String),
    /// A time is not written as RFC 3339 says.
    #[error("is not RFC 3339")]
    Timestamp,
    /// An inline JSON Schema cannot be used, so that it was dropped.
    #[error("{0}, and was dropped")]
    InlineSchema(String),
    /// A bound that the block declares for itself does not hold.
    #[error("declares `{bound}` {limit}, seen {seen}")]
    Bound {
        /// The name of the bound.
        bound: &'static str,
        /// The value declared.
        limit: u64,
        /// The value seen.
        seen: u64,
    },
}

impl Finding {
    /// Makes a finding on what a JSON Pointer leads to.
    pub fn new(pointer: impl Into<String>, breach: Breach) -> Self {
        Self {
            pointer: pointer.into(),
            breach,
        }
    }

    /// Returns the JSON Pointer to what breaks the rule.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the rule that is broken.
    pub fn breach(&self) -> &Breach {
        &self.breach
    }

    /// Returns whether the rule is a length or value limit: one that the JSON Schemas state too.
    ///
    /// A document is read without such a finding exactly when its schema accepts it.
    pub fn is_limit(&self) -> bool {
        matches!(
            self.breach,
            Breach::Length { .. } | Breach::Items { .. } | Breach::Range { .. } | Breach::NoObject
        )
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` {}", self.pointer, self.breach)
    }
}

/// Walks a typed value and collects what breaks a limit.
///
/// A rule names the key alone; where the object stands is added on the way out, so that nothing is spent on a value that
/// breaks nothing.
#[derive(Debug, Default)]
pub struct Checker {
    findings: Vec<Finding>,
}

impl Checker {
    /// Starts at the root of a document.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns what was found.
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    /// Adds a finding on the member `key`.
    pub fn add(&mut self, key: &'static str, breach: Breach) {
        self.findings.push(Finding::new(format!("/{key}"), breach));
    }

    /// Adds a finding on what is being looked at.
    pub fn add_here(&mut self, breach: Breach) {
        self.findings.push(Finding::new("", breach));
    }

    /// Adds what was found before.
    pub(crate) fn extend(&mut self, findings: Vec<Finding>) {
        self.findings.extend(findings);
    }

    /// Looks into the member `key`.
    pub fn inside(&mut self, key: &str, look: impl FnOnce(&mut Self)) {
        self.below(key, look);
    }

    /// Puts a step before the pointers of what `look` finds.
    fn below(&mut self, step: impl fmt::Display, look: impl FnOnce(&mut Self)) {
        let before = self.findings.len();
        look(self);
        for finding in &mut self.findings[before..] {
            finding.pointer.insert_str(0, &format!("/{step}"));
        }
    }

    /// Checks a string member, if it is there, against a limit in Unicode scalar values.
    pub fn text<'a>(&mut self, key: &'static str, text: impl Into<Option<&'a str>>, limit: usize) {
        if let Some(seen) = text.into().and_then(|text| excess_length(text, limit)) {
            self.add(key, Breach::Length { limit, seen });
        }
    }

    /// Checks a list member against a limit in items, and each item in its own way.
    pub fn list<T>(
        &mut self,
        key: &'static str,
        items: &[T],
        limit: usize,
        mut look: impl FnMut(&mut Self, &T),
    ) {
        if items.len() > limit {
            let seen = items.len();
            self.add(key, Breach::Items { limit, seen });
        }
        self.below(key, |checker| {
            for (index, item) in items.iter().enumerate() {
                checker.below(index, |checker| look(checker, item));
            }
        });
    }

    /// Checks a list of strings against a limit in items and one in Unicode scalar values for each.
    pub fn texts(
        &mut self,
        key: &'static str,
        items: &[String],
        limit: usize,
        length_limit: usize,
    ) {
        self.list(key, items, limit, |checker, text| {
            if let Some(seen) = excess_length(text, length_limit) {
                checker.add_here(Breach::Length {
                    limit: length_limit,
                    seen,
                });
            }
        });
    }
}

/// Counts the characters of a text that is too long.
fn excess_length(text: &str, limit: usize) -> Option<usize> {
    // A character has at least one byte, so that most texts need no counting.
    if text.len() <= limit {
        return None;
    }
    let length = text.chars().count();
    (length > limit).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::{Breach, Checker};

    #[test]
    fn a_finding_says_where_and_what() {
        let mut checker = Checker::new();
        checker.text("short", "é", 1);
        checker.text("absent", None, 1);
        checker.text("long", "éé", 1);
        checker.texts("words", &["a".into(), "bcd".into()], 1, 2);
        checker.inside("outer", |checker| checker.add("inner", Breach::Timestamp));
        let found: Vec<String> = checker
            .into_findings()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            found,
            [
                "`/long` has 2 characters, the limit is 1",
                "`/words` has 2 items, the limit is 1",
                "`/words/1` has 3 characters, the limit is 2",
                "`/outer/inner` is not RFC 3339",
            ]
        );
    }
}
