//! Choosing the definition that a target names.

use super::language::Language;
use super::outline::{Definition, Outline, span};
use crate::identity::{Domain, Identity};
use crate::patch::document::Target;
use crate::patch::failure::{Candidate, Elsewhere, Failure};
use crate::patch::files::{Files, PathState};
use crate::patch::line::{self, Lines};
use crate::patch::report::clipped;
use crate::path::WorkspacePath;

/// Names that are offered.
const MAX_NEAREST: usize = 5;
/// Bytes of a name that are compared with others.
const MAX_COMPARED_BYTES: usize = 80;
/// Candidates that a report lists.
const MAX_CANDIDATES: usize = 20;
/// Files that are looked at for the same name.
const MAX_FILES: usize = 32;

/// The definition that a target names, held to its `old` or `blob`.
pub(super) fn select<'o>(
    outline: &'o Outline,
    text: &[u8],
    target: &Target,
    elsewhere: impl FnOnce() -> Vec<Elsewhere>,
) -> Result<&'o Definition, Failure> {
    let fits = |definition: &&Definition| {
        definition.path.is(&target.path)
            && target
                .kind
                .as_deref()
                .is_none_or(|kind| kind == definition.kind)
    };
    let found: Vec<&Definition> = outline.definitions.iter().filter(fits).collect();
    let definition = match (target.occurrence, found.as_slice()) {
        (_, []) => {
            return Err(Failure::DefinitionMissing {
                target: target.label(),
                nearest: nearest(outline, text, target),
                elsewhere: elsewhere(),
            });
        }
        (None, [definition]) => definition,
        (Some(wanted), found) if wanted.of == found.len() => found[wanted.index - 1],
        (_, found) => {
            let lines = Lines::of(text);
            let candidate = |(index, definition): (usize, &&Definition)| Candidate {
                occurrence: Some(crate::patch::document::Occurrence {
                    index: index + 1,
                    of: found.len(),
                }),
                ..outline.candidate(&lines, definition)
            };
            return Err(Failure::DefinitionAmbiguous {
                target: target.label(),
                candidates: found
                    .iter()
                    .enumerate()
                    .take(MAX_CANDIDATES)
                    .map(candidate)
                    .collect(),
            });
        }
    };
    let overlapping = |error: &&std::ops::Range<usize>| {
        error.start < definition.range.end && error.end > definition.range.start
    };
    let before: Vec<_> = outline
        .errors
        .iter()
        .filter(overlapping)
        .take(MAX_CANDIDATES)
        .map(|error| span(text, error))
        .collect();
    if !before.is_empty() {
        return Err(Failure::DefinitionUnparsable {
            target: target.label(),
            before,
            unpaired: outline.unpaired(text),
        });
    }
    check_old(definition, text, target)?;
    Ok(definition)
}

fn check_old(definition: &Definition, text: &[u8], target: &Target) -> Result<(), Failure> {
    let standing = &text[definition.range.clone()];
    let blob = Identity::of(Domain::Blob, standing);
    let mismatch = |expected: String, observed: String| {
        Err(Failure::PreImage {
            what: "definition",
            expected,
            observed,
            moved_to: None,
        })
    };
    if let Some(old) = &target.old
        && line::without_carriage_returns(standing)
            != line::without_carriage_returns(old.trim_end_matches(['\r', '\n']).as_bytes())
    {
        return mismatch(
            clipped(old, 400),
            clipped(&String::from_utf8_lossy(standing), 400),
        );
    }
    match target.blob {
        Some(expected) if expected != blob => {
            mismatch(format!("blob:{expected}"), format!("blob:{blob}"))
        }
        _ => Ok(()),
    }
}

fn nearest(outline: &Outline, text: &[u8], target: &Target) -> Vec<Candidate> {
    let wanted = target.label();
    let last = compared(target.path.last().map_or("", String::as_str));
    let wanted = compared(&wanted);
    let distance = |definition: &Definition| {
        let whole = definition.path.to_string();
        let whole = strsim::normalized_damerau_levenshtein(wanted, compared(&whole));
        let name = compared(definition.path.last());
        whole.max(strsim::normalized_damerau_levenshtein(last, name))
    };
    let mut scored: Vec<(f64, &Definition)> = outline
        .definitions
        .iter()
        .take(5000)
        .map(|definition| (distance(definition), definition))
        .collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0));
    let nearest = scored
        .into_iter()
        .filter(|(similar, _)| *similar > 0.2)
        .take(MAX_NEAREST);
    let lines = Lines::of(text);
    nearest
        .map(|(_, definition)| outline.candidate(&lines, definition))
        .collect()
}

/// The end of a text that is compared with others: the cost is the product of both lengths.
fn compared(text: &str) -> &str {
    let from = text.len().saturating_sub(MAX_COMPARED_BYTES);
    &text[text.ceil_char_boundary(from)..]
}

/// Definitions of the same name in files of the same language beside this one.
pub(super) fn elsewhere<F: Files>(
    files: &F,
    path: &WorkspacePath,
    target: &Target,
) -> Vec<Elsewhere> {
    let Some(language) = Language::of_path(path) else {
        return Vec::new();
    };
    let last = target.path.last().map_or("", String::as_str);
    let directory = path.parent();
    let mut found = Vec::new();
    // What cannot be read is only missing from a hint.
    for name in files
        .names(directory.as_ref())
        .unwrap_or_default()
        .iter()
        .take(MAX_FILES)
    {
        let beside = directory.as_ref().map_or_else(
            || WorkspacePath::new(name),
            |directory| directory.join(name),
        );
        let Ok(beside) = beside else { continue };
        if beside == *path || Language::of_path(&beside) != Some(language) {
            continue;
        }
        let Ok(PathState::Leaf(entry)) = files.state(&beside) else {
            continue;
        };
        let Ok(text) = files.blob(&entry.blob()) else {
            continue;
        };
        if entry.is_link() || memchr::memmem::find(&text, last.as_bytes()).is_none() {
            continue;
        }
        let Ok(outline) = Outline::of(language, &text) else {
            continue;
        };
        let lines = Lines::of(&text);
        let same = outline
            .definitions
            .iter()
            .filter(|definition| definition.path.last() == last);
        found.extend(same.map(|definition| Elsewhere {
            file: beside.to_string(),
            line: lines.at(definition.range.start) + 1,
        }));
    }
    found.truncate(MAX_NEAREST);
    found
}
