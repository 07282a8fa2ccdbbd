//! The place that is most similar to a text that was not found.
//!
//! The search is bounded by counted work, so that no file and no text makes a report slow.

use std::collections::HashMap;

use super::search::content;
use crate::patch::failure::{Closest, Difference};
use crate::patch::line::{self, Lines};
use crate::patch::report::{clipped, visible};

/// Bytes that one search may compare.
const MAX_WORK: usize = 4_000_000;
/// Bytes of a line that are compared and shown.
const MAX_LINE: usize = 200;
/// Bytes of the text that is shown.
const MAX_SHOWN: usize = 1024;
/// Places whose similarity is measured.
const MAX_PLACES: usize = 16;
/// Lines of a place that are measured.
const MAX_LINES: usize = 64;

/// The most similar place of the file, if any is similar at all.
pub(crate) fn closest(file: &[u8], find: &[u8]) -> Option<Closest> {
    let lines = Lines::of(file);
    let find = line::without_carriage_returns(find);
    let quoted: Vec<&[u8]> = line::split(&find).map(line::body_of).collect();
    let measured = &quoted[..quoted.len().min(MAX_LINES)];
    let mut work = MAX_WORK;
    let mut best: Option<(f64, usize)> = None;
    for start in places(file, &lines, measured, &mut work) {
        let standing = (0..measured.len()).map(|index| {
            if start + index < lines.count() {
                content(file, &lines, start + index)
            } else {
                &[][..]
            }
        });
        let sum: f64 = measured
            .iter()
            .zip(standing)
            .map(|(left, right)| similarity(left, right))
            .sum();
        let similar = sum / count(measured.len());
        if best.is_none_or(|(most, _)| similar > most) {
            best = Some((similar, start));
        }
    }
    let (similarity, start) = best.filter(|(similarity, _)| *similarity > 0.3)?;
    let end = (start + quoted.len()).min(lines.count());
    let standing: Vec<&[u8]> = (start..end)
        .map(|index| content(file, &lines, index))
        .collect();
    let first = quoted
        .iter()
        .zip(&standing)
        .position(|(left, right)| left != right);
    let first = first.unwrap_or(standing.len().min(quoted.len()) - 1);
    let shown =
        |line: Option<&&[u8]>| line.map_or_else(String::new, |line| visible(line, MAX_LINE));
    Some(Closest {
        start_line: start + 1,
        end_line: end,
        text: clipped(
            &String::from_utf8_lossy(&file[lines.start(start)..lines.start(end)]),
            MAX_SHOWN,
        ),
        similarity: (similarity * 1000.0).round() / 1000.0,
        first_difference: Difference {
            line: start + first + 1,
            expected: shown(quoted.get(first)),
            actual: shown(standing.get(first)),
        },
        differs: differs(&quoted, &standing),
    })
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a count of lines or bytes of a line is small"
)]
fn count(count: usize) -> f64 {
    count as f64
}

/// The places that are worth measuring: where most lines stand as quoted, else where one line is most similar.
fn places(file: &[u8], lines: &Lines, quoted: &[&[u8]], work: &mut usize) -> Vec<usize> {
    let mut positions: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (index, text) in quoted.iter().enumerate() {
        let key = trimmed(text);
        if !key.is_empty() {
            positions.entry(key).or_default().push(index);
        }
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    let longest = quoted.iter().enumerate().max_by_key(|(_, text)| text.len());
    let mut similar: Vec<(f64, usize)> = Vec::new();
    for index in 0..lines.count() {
        let body = content(file, lines, index);
        for at in positions.get(trimmed(body)).into_iter().flatten().take(8) {
            if let Some(start) = index.checked_sub(*at) {
                *votes.entry(start).or_default() += 1;
            }
        }
        let Some((at, text)) = longest else { continue };
        *work = work.saturating_sub(body.len().min(MAX_LINE) + 16);
        if *work == 0 {
            break;
        }
        if let Some(start) = index.checked_sub(at) {
            similar.push((similarity(text, body), start));
        }
    }
    let mut counted: Vec<_> = votes.into_iter().collect();
    counted.sort_unstable_by_key(|(start, votes)| (std::cmp::Reverse(*votes), *start));
    similar.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let best = counted.iter().map(|(start, _)| *start).take(MAX_PLACES);
    best.chain(similar.iter().map(|(_, start)| *start).take(MAX_PLACES))
        .collect()
}

fn trimmed(text: &[u8]) -> &[u8] {
    line::trim_end(&text[line::indent_of(text).len()..])
}

/// How similar two lines are, by the pairs of bytes that they share.
fn similarity(left: &[u8], right: &[u8]) -> f64 {
    let left = &left[..left.len().min(MAX_LINE)];
    let right = &right[..right.len().min(MAX_LINE)];
    if left == right {
        return 1.0;
    }
    if left.len() < 2 || right.len() < 2 {
        return 0.0;
    }
    let mut pairs = [0_i16; 1024];
    let slot = |pair: &[u8]| (usize::from(pair[0]) * 31 + usize::from(pair[1]) * 7) % 1024;
    for pair in left.windows(2) {
        pairs[slot(pair)] += 1;
    }
    let mut shared = 0;
    for pair in right.windows(2) {
        let count = &mut pairs[slot(pair)];
        if *count > 0 {
            *count -= 1;
            shared += 1;
        }
    }
    // Below one, since equal pairs may stand in another order.
    (2.0 * count(shared) / count(left.len() + right.len() - 2)).min(0.999)
}

fn differs(quoted: &[&[u8]], standing: &[&[u8]]) -> &'static str {
    let fold = |map: &dyn Fn(&str) -> String| {
        let joined = |lines: &[&[u8]]| map(&String::from_utf8_lossy(&lines.join(&b'\n')));
        joined(quoted) == joined(standing)
    };
    let squeezed = |text: &str| {
        text.chars()
            .filter(|character| !is_space(*character))
            .collect::<String>()
    };
    let numbered = |text: &str| {
        text.lines()
            .map(without_number)
            .collect::<Vec<_>>()
            .join("\n")
    };
    if fold(&|text| text.replace('\r', "")) {
        "line-endings"
    } else if fold(&squeezed) {
        "whitespace"
    } else if fold(&|text| squeezed(text).to_lowercase()) {
        "case"
    } else if fold(&|text| squeezed(&numbered(text))) {
        "line-numbers"
    } else {
        "content"
    }
}

fn is_space(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}'
        )
}

/// A line without a number that a viewer put in front of it.
fn without_number(text: &str) -> &str {
    let rest = text.trim_start();
    let after = rest.trim_start_matches(|character: char| character.is_ascii_digit());
    if after.len() == rest.len() {
        return text;
    }
    ["\t", "|", ":", " |", "→"]
        .iter()
        .find_map(|mark| after.strip_prefix(mark))
        .unwrap_or(text)
}
