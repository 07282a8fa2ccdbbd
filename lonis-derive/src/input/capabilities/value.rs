//! What one key of `#[lonis(…)]` may be.

use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitInt, LitStr, Token, parenthesized};

use crate::attr::{self, Value};
use crate::check::{self, MAX_CAPABILITIES, MAX_NAME_CHARS, MAX_REFERENCE_CHARS};
use crate::mistakes::alternatives;

/// Words of the wire, each with the variant that stands for it.
pub(super) type Words = &'static [(&'static str, &'static str)];
const FORMATS: Words = &[("human", "Human"), ("json", "Json"), ("ndjson", "Ndjson")];
pub(super) const DETERMINISM: Words = &[
    ("deterministic", "Deterministic"),
    ("bounded-nondeterministic", "BoundedNondeterministic"),
    ("nondeterministic", "Nondeterministic"),
];
pub(super) const SIDE_EFFECTS: Words = &[
    ("none", "None"),
    ("read-only", "ReadOnly"),
    ("writes-filesystem", "WritesFilesystem"),
    ("mutates-external", "MutatesExternal"),
    ("network", "Network"),
    ("destructive", "Destructive"),
];
pub(super) const COST: Words = &[("low", "Low"), ("medium", "Medium"), ("high", "High")];

pub(super) fn tool_id(value: Value<'_>) -> Option<LitStr> {
    value.checked_string(check::is_tool_id, |text| {
        format!(
            "`{text}` is not a tool id: two or more segments joined by `:`, none empty, no control character, \
             at most {MAX_REFERENCE_CHARS} characters"
        )
    })
}

pub(super) fn schema_version(value: Value<'_>) -> Option<LitStr> {
    value.checked_string(check::is_schema_version, |text| {
        format!(
            "`{text}` is not a schema version: `<name>/v<N>`, the name of `[a-z0-9._-]`, N from 1 without a leading zero"
        )
    })
}

/// A text that is not empty and has at most so many characters.
pub(super) fn text(value: Value<'_>, limit: usize) -> Option<LitStr> {
    let name = value.key.name;
    value.checked_string(
        |text| !text.is_empty() && check::fits(text, limit),
        |text| {
            let seen = text.chars().count();
            format!("`{name}` has 1 to {limit} characters, here {seen}")
        },
    )
}

/// One of the words of the wire, as the variant that stands for it.
pub(super) fn word(value: Value<'_>, words: Words) -> Option<Ident> {
    let name = value.key.name;
    let text = value.checked_string(
        |text| words.iter().any(|(word, _)| *word == text),
        |text| format!("`{name}` is {}, not `{text}`", offer(words)),
    )?;
    variant(words, &text.value(), text.span())
}

fn variant(words: Words, text: &str, at: Span) -> Option<Ident> {
    let (_, variant) = words.iter().find(|(word, _)| *word == text)?;
    Some(Ident::new(variant, at))
}

fn offer(words: Words) -> String {
    let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    alternatives(&words)
}

pub(super) fn formats(value: Value<'_>) -> Option<Vec<Ident>> {
    let at = value.at();
    let (words, mistakes) = value.list(Ident::parse)?;
    if words.is_empty() {
        mistakes.add(
            at,
            format!("`formats` has at least one of {}", offer(FORMATS)),
        );
    }
    let mut seen: Vec<Ident> = Vec::new();
    for word in words {
        let written = word.to_string();
        let Some(format) = variant(FORMATS, &written, word.span()) else {
            mistakes.add(
                &word,
                format!("a format is {}, not `{written}`", offer(FORMATS)),
            );
            continue;
        };
        if seen.contains(&format) {
            mistakes.add(&word, format!("format `{written}` is given twice"));
        } else {
            seen.push(format);
        }
    }
    Some(seen)
}

pub(super) fn exit_codes(value: Value<'_>) -> Option<Vec<(LitStr, u8)>> {
    let (pairs, mistakes) = value.list(exit_code)?;
    let mut codes: Vec<(LitStr, u8)> = Vec::new();
    for (name, code) in pairs {
        if codes.iter().any(|(before, _)| *before == name) {
            mistakes.add(
                &name,
                format!("exit code `{}` is given twice", name.value()),
            );
            continue;
        }
        if name.value().is_empty() {
            mistakes.add(&name, "an exit code has the name of an error kind");
            continue;
        }
        match code.base10_parse::<u8>() {
            Ok(number) => codes.push((name, number)),
            Err(_) => mistakes.add(&code, format!("an exit code is 0 to 255, not `{code}`")),
        }
    }
    Some(codes)
}

fn exit_code(input: ParseStream<'_>) -> syn::Result<(LitStr, LitInt)> {
    let content;
    parenthesized!(content in input);
    attr::drained(&content, |content| {
        let name = content.parse()?;
        content.parse::<Token![,]>()?;
        let code = content.parse()?;
        content.parse::<Option<Token![,]>>()?;
        Ok((name, code))
    })
}

pub(super) fn capabilities(value: Value<'_>) -> Option<Vec<LitStr>> {
    let at = value.at();
    let (words, mistakes) = value.list(<LitStr as Parse>::parse)?;
    if words.len() > MAX_CAPABILITIES {
        let seen = words.len();
        mistakes.add(
            at,
            format!("a contract has at most {MAX_CAPABILITIES} capabilities, here {seen}"),
        );
    }
    for word in &words {
        if !check::fits(&word.value(), MAX_NAME_CHARS) {
            mistakes.add(
                word,
                format!("a capability has at most {MAX_NAME_CHARS} characters"),
            );
        }
    }
    Some(words)
}
