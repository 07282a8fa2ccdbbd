//! `[[policy]]`: the rules about calls, as a file writes them.

use std::str::FromStr;

use lonis_schema::VerificationTier;

use super::ConfigError;
use super::document::{Section, Value};
use crate::policy::{Answer, IdPattern, PolicyRule};

/// What stands for a contract that nobody verified.
const UNVERIFIED: &str = "none";

pub(super) fn read(root: &mut Section<'_>) -> Result<Vec<PolicyRule>, ConfigError> {
    let Some(value) = root.get("policy") else {
        return Ok(Vec::new());
    };
    value.elements()?.into_iter().map(rule).collect()
}

fn rule(value: Value<'_>) -> Result<PolicyRule, ConfigError> {
    let mut section = value.section("policy")?;
    let rule = PolicyRule {
        ids: section.read("ids", |value| {
            list(value, |text| Ok(IdPattern::new(text.to_owned())))
        })?,
        side_effects: section.read("side_effects", |value| list(value, word))?,
        determinism: section.read("determinism", |value| list(value, word))?,
        verification: section.read("verification", |value| list(value, tier))?,
        decide: section.require("decide")?.word(Answer::WORDS)?,
    };
    section.finish()?;
    Ok(rule)
}

/// A list that names something: an empty one would fit nothing, which nobody means.
fn list<T>(
    value: Value<'_>,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, ConfigError> {
    let whole = value.place();
    let mut items = Vec::new();
    for element in value.elements()? {
        let place = element.place();
        items.push(read(&element.string()?).map_err(|message| place.error(&message))?);
    }
    if items.is_empty() {
        return Err(whole.error("an empty list fits no call; one that is left out fits all"));
    }
    Ok(items)
}

fn word<T: FromStr<Err: ToString>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn tier(text: &str) -> Result<Option<VerificationTier>, String> {
    if text == UNVERIFIED {
        return Ok(None);
    }
    word(text)
        .map(Some)
        .map_err(|message| format!("{message}, or `{UNVERIFIED}`"))
}
