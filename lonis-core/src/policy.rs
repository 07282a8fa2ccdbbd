//! Which tools may be called: rules of the configuration files, over ids and over what a contract declares.
//!
//! Each file decides by itself, by the first of its rules that fits, and the strictest answer of all files counts. So
//! a project file can forbid more than the user's, and never allow more. Nothing that a tool prints has a part in it.

use std::fmt;
use std::path::PathBuf;

use lonis_schema::{
    Determinism, ErrorKind, SideEffects, ToolContract, ToolError, VerificationTier,
};
use serde_json::json;

/// What a rule says about a call; a later one is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Answer {
    /// The call may be made.
    #[default]
    Allow,
    /// Somebody has to agree first.
    Ask,
    /// The call is not made.
    Deny,
}

impl Answer {
    /// Every answer with its word.
    pub(crate) const WORDS: &'static [(&'static str, Self)] = &[
        ("allow", Self::Allow),
        ("ask", Self::Ask),
        ("deny", Self::Deny),
    ];

    /// Returns the word in a file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A pattern over ids, in which `*` stands for any run of characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdPattern(String);

impl IdPattern {
    pub(crate) fn new(text: String) -> Self {
        Self(text)
    }

    /// Returns the pattern as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether an id is one that the pattern means.
    pub fn fits(&self, id: &str) -> bool {
        let mut parts = self.0.split('*');
        // A text splits into one part at least.
        let first = parts.next().unwrap_or_default();
        let Some(last) = parts.next_back() else {
            return id == self.0;
        };
        let Some(mut rest) = id.strip_prefix(first) else {
            return false;
        };
        // The leftmost place of each part leaves the most for those after it.
        for part in parts {
            let Some(at) = rest.find(part) else {
                return false;
            };
            rest = &rest[at + part.len()..];
        }
        rest.ends_with(last)
    }
}

/// One `[[policy]]` table; a list that is missing fits everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyRule {
    /// The ids that it is about.
    pub ids: Option<Vec<IdPattern>>,
    /// The side effects that it is about.
    pub side_effects: Option<Vec<SideEffects>>,
    /// How reproducible the tools are that it is about.
    pub determinism: Option<Vec<Determinism>>,
    /// How well verified the contracts are that it is about; `None` is a contract that nobody verified.
    pub verification: Option<Vec<Option<VerificationTier>>>,
    /// What it says.
    pub decide: Answer,
}

impl PolicyRule {
    fn fits(&self, id: &str, facts: &Facts) -> bool {
        fn has<T: PartialEq>(list: Option<&Vec<T>>, value: &T) -> bool {
            list.is_none_or(|list| list.contains(value))
        }
        let fits_id = |ids: &Vec<IdPattern>| ids.iter().any(|pattern| pattern.fits(id));
        self.ids.as_ref().is_none_or(fits_id)
            && has(self.side_effects.as_ref(), &facts.side_effects)
            && has(self.determinism.as_ref(), &facts.determinism)
            && has(self.verification.as_ref(), &facts.verification)
    }
}

impl fmt::Display for PolicyRule {
    /// Says what the rule is about, then what it says.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T>(items: &[T], word: impl Fn(&T) -> String) -> String {
            items.iter().map(word).collect::<Vec<_>>().join(" ")
        }
        let tier = |tier: &Option<VerificationTier>| {
            tier.map_or("none".to_owned(), |tier| tier.to_string())
        };
        let conditions = [
            (
                "ids",
                self.ids
                    .as_deref()
                    .map(|ids| list(ids, |id| id.as_str().to_owned())),
            ),
            (
                "side_effects",
                self.side_effects
                    .as_deref()
                    .map(|words| list(words, ToString::to_string)),
            ),
            (
                "determinism",
                self.determinism
                    .as_deref()
                    .map(|words| list(words, ToString::to_string)),
            ),
            (
                "verification",
                self.verification.as_deref().map(|tiers| list(tiers, tier)),
            ),
        ];
        formatter.write_str(self.decide.word())?;
        for (name, value) in conditions {
            if let Some(value) = value {
                write!(formatter, ", {name}: {value}")?;
            }
        }
        Ok(())
    }
}

/// What a contract declares, as far as rules ask for it.
struct Facts {
    side_effects: SideEffects,
    determinism: Determinism,
    verification: Option<VerificationTier>,
}

impl Facts {
    /// A tool whose contract is not known counts as one that promises nothing.
    fn of(contract: Option<&ToolContract>) -> Self {
        Self {
            side_effects: contract.map_or(SideEffects::MutatesExternal, ToolContract::side_effects),
            determinism: contract.map_or(Determinism::Nondeterministic, ToolContract::determinism),
            verification: contract
                .and_then(ToolContract::verification)
                .map(lonis_schema::Verification::tier),
        }
    }
}

/// Every rule in force.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    files: Vec<(PathBuf, Vec<PolicyRule>)>,
}

/// What the policy says about one call, and which rule says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The answer.
    pub answer: Answer,
    /// The file and the number of the rule in it, counted from 1; without one, nothing is said.
    pub rule: Option<(PathBuf, usize)>,
}

impl Policy {
    pub(crate) fn add(&mut self, file: PathBuf, rules: Vec<PolicyRule>) {
        if !rules.is_empty() {
            self.files.push((file, rules));
        }
    }

    /// Returns whether no file says anything.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns every rule with its file and its number in it, counted from 1.
    pub fn rules(&self) -> impl Iterator<Item = (&PathBuf, usize, &PolicyRule)> {
        self.files.iter().flat_map(|(file, rules)| {
            let numbered = rules.iter().enumerate();
            numbered.map(move |(at, rule)| (file, at + 1, rule))
        })
    }

    /// Decides about a call of a tool under its contract; without one it counts as a tool that promises nothing.
    pub fn decide(&self, id: &str, contract: Option<&ToolContract>) -> Decision {
        let facts = Facts::of(contract);
        let mut strictest = Decision::default();
        for (file, rules) in &self.files {
            let first = rules
                .iter()
                .enumerate()
                .find(|(_, rule)| rule.fits(id, &facts));
            if let Some((at, rule)) = first
                && (strictest.rule.is_none() || rule.decide > strictest.answer)
            {
                strictest = Decision {
                    answer: rule.decide,
                    rule: Some((file.clone(), at + 1)),
                };
            }
        }
        strictest
    }
}

impl Decision {
    /// Lets a call through, or says why not.
    ///
    /// # Errors
    /// `denied`; `confirmation_required` where nobody has confirmed the call.
    pub(crate) fn pass(&self, id: &str, is_confirmed: bool) -> Result<(), ToolError> {
        let refused = |kind, message: String| {
            let error = ToolError::new(kind, message);
            match &self.rule {
                Some((file, number)) => error.with_detail(
                    "policy",
                    json!({ "file": file.to_string_lossy(), "rule": number }),
                ),
                None => error,
            }
        };
        match self.answer {
            Answer::Deny => Err(refused(
                ErrorKind::Denied,
                format!("a policy forbids calls of `{id}`"),
            )),
            Answer::Ask if !is_confirmed => Err(refused(
                ErrorKind::ConfirmationRequired,
                format!("a policy asks for a confirmation of each call of `{id}`"),
            )
            .with_hint("`lonis call --yes` confirms the call")),
            Answer::Allow | Answer::Ask => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
