//! `lonis-session.toml` as it is written: closed, and an error knows its place.

use std::collections::BTreeMap;
use std::ops::Range;

use lonis::ToolId;
use lonis_diagnostics::Span;
use serde::Deserialize;

use super::obligation::Obligation;
use super::{Files, MAX_OBLIGATIONS, Policy, Redact, SessionRules};
use crate::file_set::POLICY_FILE;
use crate::patch::definition::Language;

/// A policy file that cannot be used (`session/config-invalid`).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` of `{POLICY_FILE}`: expected {expected}, received {received}")]
pub struct PolicyError {
    /// The key, with those of the tables around it.
    pub key: String,
    /// What stands there in a file that can be used.
    pub expected: String,
    /// What stands there.
    pub received: String,
    /// Where it stands.
    pub span: Option<Box<Span>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u64,
    #[serde(default)]
    files: Files,
    #[serde(default)]
    session: SessionRules,
    #[serde(default)]
    redact: Redact,
    #[serde(default)]
    languages: BTreeMap<String, String>,
    #[serde(default)]
    obligation: Vec<Obligation>,
}

/// Reads the file.
pub(super) fn parse(text: &str) -> Result<Policy, PolicyError> {
    let document: Document = toml::from_str(text).map_err(|error| refused(text, &error))?;
    if document.version != 1 {
        return Err(at(text, "version", "`1`", &document.version.to_string()));
    }
    if document.obligation.len() > MAX_OBLIGATIONS {
        let count = document.obligation.len().to_string();
        return Err(at(text, "obligation", "at most 64 obligations", &count));
    }
    for (language, tool) in &document.languages {
        let key = format!("languages.{language}");
        if Language::named(language).is_some() {
            return Err(at(
                text,
                &key,
                "a language without a grammar here",
                language,
            ));
        }
        if ToolId::new(tool.as_str()).is_err() {
            return Err(at(text, &key, "the id of a tool", tool));
        }
    }
    for (index, obligation) in document.obligation.iter().enumerate() {
        if let Err((key, expected, received)) = obligation.check() {
            return Err(at(
                text,
                &format!("obligation.{index}.{key}"),
                expected,
                &received,
            ));
        }
        let is_twice = document.obligation[..index]
            .iter()
            .any(|earlier| earlier.name == obligation.name);
        if is_twice {
            let key = format!("obligation.{index}.name");
            return Err(at(
                text,
                &key,
                "a name that no other obligation has",
                &obligation.name,
            ));
        }
    }
    Ok(Policy {
        files: document.files,
        session: document.session,
        redact: document.redact,
        languages: document.languages,
        obligations: document.obligation,
    })
}

/// An error of the reader: the span is its own, the key is the one that stands there.
fn refused(text: &str, error: &toml::de::Error) -> PolicyError {
    let span = error.span();
    let key = span.as_ref().and_then(|span| key_at(text, span));
    let seen = span
        .clone()
        .and_then(|span| text.get(span))
        .unwrap_or_default();
    let seen = seen.lines().next().unwrap_or_default();
    let received: String = seen.chars().take(80).collect();
    PolicyError {
        key: key.unwrap_or_else(|| "version".to_owned()),
        expected: expectation(error.message()),
        received: if received.is_empty() {
            "nothing".to_owned()
        } else {
            format!("`{received}`")
        },
        span: span.map(|span| Box::new(Span::of_bytes(POLICY_FILE, text, span))),
    }
}

/// What the reader wanted, without what it saw: that is told by the text of the file.
fn expectation(message: &str) -> String {
    let words: Vec<&str> = message.split_whitespace().collect();
    let message = words.join(" ");
    if let Some((seen, expected)) = message.split_once(", expected ") {
        return match meant(seen, expected) {
            Some(name) => format!("perhaps `{name}`, {expected}"),
            None => expected.to_owned(),
        };
    }
    match message.strip_prefix("missing field ") {
        Some(key) => format!("the key {key}"),
        None => message,
    }
}

/// The name among those that are known which an unknown one may have been meant for.
fn meant<'e>(seen: &str, expected: &'e str) -> Option<&'e str> {
    let quoted = |text: &'e str| text.split('`').skip(1).step_by(2);
    let unknown = seen.strip_prefix("unknown ")?.split('`').nth(1)?;
    let ranked = quoted(expected).map(|name| (strsim::damerau_levenshtein(unknown, name), name));
    let (distance, name) = ranked.min_by_key(|(distance, _)| *distance)?;
    // Of a short name every second letter may be another one by chance.
    (distance <= 1.max(name.len() / 3)).then_some(name)
}

/// An error about a key that was read.
fn at(text: &str, key: &str, expected: &str, received: &str) -> PolicyError {
    let span = span_of(text, key);
    PolicyError {
        key: key.to_owned(),
        expected: expected.to_owned(),
        received: format!("`{}`", received.chars().take(80).collect::<String>()),
        span: span.map(|span| Box::new(Span::of_bytes(POLICY_FILE, text, span))),
    }
}

/// Every key of the file with where it and its value stand, the outer ones first.
fn places(text: &str) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    if let Ok(document) = toml_edit::Document::parse(text) {
        table_places(document.as_table(), "", &mut found);
    }
    found
}

fn table_places(
    table: &dyn toml_edit::TableLike,
    prefix: &str,
    found: &mut Vec<(String, Range<usize>)>,
) {
    for (name, item) in table.iter() {
        let key = if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}.{name}")
        };
        let own = table.key(name).and_then(toml_edit::Key::span);
        let value = item.span();
        let span = match (own, value) {
            (Some(own), Some(value)) => Some(own.start.min(value.start)..own.end.max(value.end)),
            (own, value) => own.or(value),
        };
        if let Some(span) = span {
            found.push((key.clone(), span));
        }
        if let Some(tables) = item.as_array_of_tables() {
            for (index, table) in tables.iter().enumerate() {
                let key = format!("{key}.{index}");
                if let Some(span) = table.span() {
                    found.push((key.clone(), span));
                }
                table_places(table, &key, found);
            }
        } else if let Some(inner) = item.as_table_like() {
            table_places(inner, &key, found);
        }
    }
}

/// The innermost key around a span.
fn key_at(text: &str, span: &Range<usize>) -> Option<String> {
    let all = places(text);
    let around = all
        .into_iter()
        .filter(|(_, place)| place.start <= span.start && span.end <= place.end);
    around
        .min_by_key(|(_, place)| place.len())
        .map(|(key, _)| key)
}

/// Where a key stands, or the nearest table around it that is there.
fn span_of(text: &str, key: &str) -> Option<Range<usize>> {
    let all = places(text);
    let mut wanted = key;
    loop {
        if let Some((_, span)) = all.iter().find(|(place, _)| place == wanted) {
            return Some(span.clone());
        }
        wanted = wanted.rsplit_once('.')?.0;
    }
}
