//! Edits of lines by number.

use std::ops::Range;

use super::replacement::end_above;
use crate::patch::document::ReplaceRange;
use crate::patch::failure::Failure;
use crate::patch::line::{self, Lines};
use crate::patch::report::clipped;

/// The bytes of the lines in the file as it was before the patch, held to `old`.
pub(super) fn find(before: &[u8], op: &ReplaceRange) -> Result<Range<usize>, Failure> {
    let lines = Lines::of(before);
    let line_count = lines.count();
    if op.end_line > line_count || op.start_line > line_count + 1 {
        let rule = format!(
            "lines {} to {} are not in the file",
            op.start_line, op.end_line
        );
        return Err(Failure::RangeInvalid { line_count, rule });
    }
    let range = lines.span(op.start_line - 1, op.end_line + 1 - op.start_line);
    match &op.old {
        Some(old) if !same(&before[range.clone()], old, op.exact_newlines) => {
            Err(Failure::PreImage {
                what: "range",
                expected: clipped(old, 400),
                observed: clipped(&String::from_utf8_lossy(&before[range]), 400),
                moved_to: moved_to(before, &lines, old),
            })
        }
        _ => Ok(range),
    }
}

/// Whether lines are the quoted ones: line ends and a missing last one aside, unless they count.
fn same(standing: &[u8], old: &str, exact: bool) -> bool {
    if exact {
        return standing == old.as_bytes();
    }
    let plain = |text: &[u8]| {
        let mut plain = line::without_carriage_returns(text);
        if plain.ends_with(b"\n") {
            plain.pop();
        }
        plain
    };
    plain(standing) == plain(old.as_bytes())
}

/// The line at which quoted lines stand now, if it is one only.
fn moved_to(file: &[u8], lines: &Lines, old: &str) -> Option<usize> {
    let old = line::without_carriage_returns(old.as_bytes());
    let quoted: Vec<&[u8]> = line::split(&old).map(line::body_of).collect();
    let body = |index: usize| line::body_of(&file[lines.range(index)]);
    let first = *quoted.first()?;
    let mut starts = (0..(lines.count() + 1).saturating_sub(quoted.len()))
        .filter(|start| body(*start) == first)
        .filter(|start| {
            quoted
                .iter()
                .enumerate()
                .all(|(index, text)| body(start + index) == *text)
        });
    let start = starts.next()?;
    starts.next().is_none().then_some(start + 1)
}

/// The bytes that take the place of lines of the file as it is now.
pub(super) fn written(file: &[u8], range: &Range<usize>, op: &ReplaceRange) -> Vec<u8> {
    if op.exact_newlines {
        return op.text.clone().into_bytes();
    }
    let text = line::without_carriage_returns(op.text.as_bytes());
    let standing: Vec<&[u8]> = line::split(&file[range.clone()]).collect();
    let mut above = end_above(file, range.start);
    let mut written = Vec::new();
    for (index, new) in line::split(&text).enumerate() {
        let own = standing
            .get(index)
            .map(|line| line::end_of(line))
            .filter(|end| !end.is_empty());
        let end = own.map_or_else(|| above.clone(), <[u8]>::to_vec);
        written.extend_from_slice(line::body_of(new));
        written.extend_from_slice(&end);
        above = end;
    }
    let at_end = range.end == file.len() && !file.is_empty() && !file.ends_with(b"\n");
    if at_end && !written.is_empty() {
        let length = line::body_of(&written).len();
        written.truncate(length);
        if range.start == file.len() {
            written.splice(0..0, end_above(file, file.len()));
        }
    }
    written
}
