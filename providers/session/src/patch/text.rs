//! Edits of text: a quoted text is sought tier by tier, and replaced line by line.
//!
//! Bytes outside of the edit stay as they are, whatever their encoding; within it, lines that the quoted and the new
//! text have in common keep the bytes of the file.

mod closest;
mod indent;
mod range;
mod replacement;
mod search;

use std::ops::Range;

use serde_json::json;

use super::definition;
use super::document::{Occurrence, Op, ReplaceRange, ReplaceText, Tier};
use super::engine::Compiled;
use super::failure::{Failure, Match, ZERO_BYTE};
use super::line::Lines;
use super::outcome::Warning;
use super::retry;
use super::splice::{Splice, refine};
use super::work::WorkFile;
pub(crate) use closest::closest;
pub(crate) use replacement::end_above;
pub(crate) use search::Found;
pub(crate) use search::exact_ranges;
use search::{Search, search};

/// Places whose lines a report lists.
const MAX_LINES: usize = 20;
/// Places that a report describes.
const MAX_MATCHES: usize = 5;

/// Checks that a file is text which an op with these texts can edit.
pub(crate) fn check_text(file: &[u8], texts: &[&str]) -> Result<(), Failure> {
    if let Some(offset) = memchr::memchr(0, file) {
        return Err(Failure::NotText {
            offset,
            reason: ZERO_BYTE,
        });
    }
    if let Err(error) = std::str::from_utf8(file)
        && texts.iter().any(|text| !text.is_ascii())
    {
        let offset = error.valid_up_to();
        return Err(Failure::NotText {
            offset,
            reason: "a byte that is not UTF-8",
        });
    }
    Ok(())
}

/// Compiles the replacement of a quoted text.
pub(crate) fn compile(
    op: &Op,
    text: &ReplaceText,
    file: &[u8],
    scope: &Range<usize>,
) -> Result<Compiled, Failure> {
    let search = search(file, text, scope);
    let found = choose(op, text, file, scope, &search)?;
    let replace = if text.exact_newlines {
        text.replace.clone().into_bytes()
    } else {
        replacement::written(file, text, found)
    };
    let mut splices = Vec::new();
    refine(
        file,
        &Splice::new(found.range.clone(), replace.clone()),
        &mut splices,
    );
    let matched = String::from_utf8_lossy(&file[found.range.clone()]).into_owned();
    let all = exact_ranges(file, &matched, false, &(0..file.len()));
    let index = all
        .iter()
        .filter(|range| range.start <= found.range.start)
        .count()
        .max(1);
    let members = json!({
        "find": matched,
        "replace": String::from_utf8_lossy(&replace),
        "occurrence": Occurrence { index, of: all.len().max(index) },
    });
    let mut warnings = Vec::new();
    if found.tier != Tier::Exact {
        let line = Lines::of(file).at(found.range.start) + 1;
        warnings.push(Warning {
            name: "search-tier",
            path: op.path.clone(),
            detail: format!(
                "the text at line {line} was found at tier `{}`",
                found.tier.name()
            ),
        });
    }
    Ok(Compiled {
        splices,
        members,
        warnings,
        parsed: None,
    })
}

/// The place that is meant, or why none is.
fn choose<'s>(
    op: &Op,
    text: &ReplaceText,
    file: &[u8],
    scope: &Range<usize>,
    search: &'s Search,
) -> Result<&'s Found, Failure> {
    let count = search.found.len();
    match (text.occurrence, search.found.as_slice()) {
        (None, [found]) => Ok(found),
        (Some(wanted), found) if wanted.of == count => Ok(&found[wanted.index - 1]),
        (None, []) => Err(not_found(text, file, scope, search)),
        (Some(_), []) if scope.len() == file.len() && search.uneven.is_some() => {
            Err(not_found(text, file, scope, search))
        }
        (wanted, _) => {
            let lines = Lines::of(file);
            let places = search
                .found
                .iter()
                .map(|found| lines.at(found.range.start) + 1);
            let tier = search.tier.name();
            let matches = matches(op, text, file, search);
            let lines = places.take(MAX_LINES).collect();
            Err(match wanted {
                None => Failure::TextAmbiguous {
                    tier,
                    count,
                    lines,
                    matches,
                },
                Some(Occurrence { of: expected, .. }) => Failure::OccurrenceCount {
                    tier,
                    count,
                    expected,
                    lines,
                    matches,
                },
            })
        }
    }
}

fn matches(op: &Op, text: &ReplaceText, file: &[u8], search: &Search) -> Vec<Match> {
    let lines = Lines::of(file);
    let definitions = definition::outline(&op.path, file);
    let first = search.found.iter().take(MAX_MATCHES).enumerate();
    let place = |(index, found): (usize, &Found)| Match {
        line: lines.at(found.range.start) + 1,
        definition: definition::enclosing(&definitions, found.range.start),
        retry: retry::of_match(op, text, file, &lines, search.found.len(), index, found),
    };
    first.map(place).collect()
}

fn not_found(text: &ReplaceText, file: &[u8], scope: &Range<usize>, search: &Search) -> Failure {
    let scoped = &file[scope.clone()];
    let before = Lines::of(&file[..scope.start]).count();
    let mut closest = closest(scoped, text.find.as_bytes());
    let already_present = text.replace.trim().len() > 3
        && exact_ranges(file, &text.replace, text.exact_newlines, scope).len() == 1;
    if let Some(closest) = &mut closest {
        // A definition may start within a line: that line counts once.
        let shift = if scope.start > 0 && file[scope.start - 1] != b'\n' {
            before.saturating_sub(1)
        } else {
            before
        };
        closest.start_line += shift;
        closest.end_line += shift;
        closest.first_difference.line += shift;
        if already_present {
            closest.differs = "already-applied";
        } else if search.uneven.is_some() {
            closest.differs = "whitespace";
        }
    }
    Failure::TextNotFound {
        scope: if text.within.is_some() {
            "definition"
        } else {
            "file"
        },
        tier: search.tier.name(),
        closest: closest.map(Box::new),
        already_present,
    }
}

/// Compiles the replacement of lines that are named as they were before the patch.
pub(crate) fn compile_range(file: &WorkFile, edit: &ReplaceRange) -> Result<Compiled, Failure> {
    let range = range::find(&file.lines_of, edit)?;
    let located = file.edits.locate(range);
    let range = located.ok_or_else(|| Failure::RangeInvalid {
        line_count: Lines::of(&file.lines_of).count(),
        rule: format!(
            "an earlier op changed lines {} to {}",
            edit.start_line, edit.end_line
        ),
    })?;
    let text = range::written(&file.bytes, &range, edit);
    let lines = Lines::of(&file.bytes);
    let start = if range.start == file.bytes.len() {
        lines.count()
    } else {
        lines.at(range.start)
    };
    let count = edit.end_line + 1 - edit.start_line;
    let members = json!({
        "start_line": start + 1,
        "end_line": start + count,
        "text": String::from_utf8_lossy(&text),
    });
    let mut splices = Vec::new();
    refine(&file.bytes, &Splice::new(range, text), &mut splices);
    Ok(Compiled::plain(splices, members))
}
