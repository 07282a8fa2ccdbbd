//! Retries: the op that was refused, as it would apply at the place that was meant.

use serde_json::{Value, json};

use super::document::{Action, Occurrence, Op, ReplaceText, Tier};
use super::failure::Failure;
use super::line::Lines;
use super::report;
use super::text::{Found, exact_ranges};

/// The largest file in which a longer text is sought that is unique.
const MAX_SOUGHT_BYTES: usize = 1 << 20;
/// How many lines a longer text takes in on each side.
const MAX_CONTEXT_LINES: usize = 3;

/// The op that means one of several places: with a longer text where that is unique, else with its `occurrence`.
pub(crate) fn of_match(
    op: &Op,
    text: &ReplaceText,
    file: &[u8],
    lines: &Lines,
    count: usize,
    index: usize,
    found: &Found,
) -> Option<Value> {
    let mut retry = op.sent.clone()?;
    let longer =
        if found.tier == Tier::Exact && text.within.is_none() && file.len() <= MAX_SOUGHT_BYTES {
            longer(text, file, lines, found)
        } else {
            None
        };
    if let Some((find, replace)) = longer {
        retry["find"] = json!(find);
        retry["replace"] = json!(replace);
        retry.as_object_mut()?.remove("occurrence");
    } else {
        retry["occurrence"] = json!(Occurrence {
            index: index + 1,
            of: count
        });
    }
    report::is_short(&retry).then_some(retry)
}

/// The shortest text of whole lines around a place that is in the file once, and what takes its place.
fn longer(
    text: &ReplaceText,
    file: &[u8],
    lines: &Lines,
    found: &Found,
) -> Option<(String, String)> {
    let first = lines.at(found.range.start);
    let last = lines.at(found.range.end.max(found.range.start + 1) - 1);
    for context in 1..=2 * MAX_CONTEXT_LINES {
        for above in 0..=context.min(MAX_CONTEXT_LINES) {
            let below = context - above;
            if below > MAX_CONTEXT_LINES || above > first || last + below >= lines.count() {
                continue;
            }
            let start = if above == 0 {
                found.range.start
            } else {
                lines.start(first - above)
            };
            let end = if below == 0 {
                found.range.end
            } else {
                lines.start(last + below + 1)
            };
            let (Ok(head), Ok(whole), Ok(tail)) = (
                std::str::from_utf8(&file[start..found.range.start]),
                std::str::from_utf8(&file[start..end]),
                std::str::from_utf8(&file[found.range.end..end]),
            ) else {
                continue;
            };
            let places = exact_ranges(file, whole, text.exact_newlines, &(0..file.len()));
            if places.len() == 1 && places[0].start == start {
                return Some((whole.to_owned(), format!("{head}{}{tail}", text.replace)));
            }
        }
    }
    None
}

/// The op as it would apply, where one place is certain.
pub(crate) fn whole(op: &Op, failure: &Failure) -> Option<Value> {
    let mut retry = op.sent.clone()?;
    match (failure, &op.action) {
        (
            Failure::PreImage {
                what: "range",
                moved_to: Some(line),
                ..
            },
            Action::ReplaceRange(range),
        ) => {
            retry["start_line"] = json!(line);
            retry["end_line"] = json!(line + range.end_line - range.start_line);
        }
        _ => return None,
    }
    report::is_short(&retry).then_some(retry)
}
