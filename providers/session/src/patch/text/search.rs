//! Seeking a quoted text: the first tier with any match decides.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::indent::Shift;
use crate::patch::document::{ReplaceText, Tier};
use crate::patch::line::{self, Lines, occurrences};

/// One place where the text stands.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// Its bytes.
    pub(crate) range: Range<usize>,
    /// The tier that found it.
    pub(crate) tier: Tier,
    /// How its lines are shifted against the quoted ones.
    pub(crate) shift: Shift,
}

/// What a search gave.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    /// All places at the first tier that has any, from left to right, not overlapping.
    pub(crate) found: Vec<Found>,
    /// The tier that found them, else the loosest that was tried.
    pub(crate) tier: Tier,
    /// The first line (from 0) of a place that only an uneven shift of its lines rules out.
    pub(crate) uneven: Option<usize>,
}

/// Seeks the text of an op in a scope of the file.
pub(crate) fn search(file: &[u8], op: &ReplaceText, scope: &Range<usize>) -> Search {
    let exact = |range| Found {
        range,
        tier: Tier::Exact,
        shift: Shift::None,
    };
    let found: Vec<Found> = exact_ranges(file, &op.find, op.exact_newlines, scope)
        .into_iter()
        .map(exact)
        .collect();
    let mut search = Search {
        found,
        tier: Tier::Exact,
        uneven: None,
    };
    if !search.found.is_empty() || op.exact_newlines {
        return search;
    }
    let tiers = [Tier::Trailing, Tier::Indent, Tier::Punctuation];
    for tier in tiers.into_iter().filter(|tier| *tier <= op.tier) {
        search.tier = tier;
        search_lines(file, op, scope, &mut search);
        if !search.found.is_empty() {
            break;
        }
    }
    search
}

/// The places of a text that is equal but for line ends.
pub(crate) fn exact_ranges(
    file: &[u8],
    find: &str,
    exact_newlines: bool,
    scope: &Range<usize>,
) -> Vec<Range<usize>> {
    let text = &file[scope.clone()];
    let is_utf8 = std::str::from_utf8(file).is_ok();
    let (view, carriages) = if exact_newlines {
        (Cow::Borrowed(text), Vec::new())
    } else {
        without_carriages(text)
    };
    let find = if exact_newlines || !find.contains("\r\n") {
        Cow::Borrowed(find.as_bytes())
    } else {
        Cow::Owned(line::without_carriage_returns(find.as_bytes()))
    };
    let mut ranges = Vec::new();
    let mut from = 0;
    let finder = memchr::memmem::Finder::new(&*find);
    while let Some(at) = finder.find(&view[from..]) {
        let start = from + at;
        let end = start + find.len();
        // In an encoding of several bytes such a byte may be the first half of the character that seems to match.
        let before = original(start, &carriages) + scope.start;
        if !is_utf8 && before > 0 && file[before - 1] >= 0x80 {
            from = start + 1;
            continue;
        }
        ranges.push(before..original(end, &carriages) + scope.start);
        from = end;
    }
    ranges
}

/// The text with CRLF as LF, and where the line feeds of the shortened ones stand in it.
fn without_carriages(text: &[u8]) -> (Cow<'_, [u8]>, Vec<usize>) {
    let mut carriages = Vec::new();
    for at in memchr::memmem::find_iter(text, b"\r\n") {
        carriages.push(at - carriages.len());
    }
    if carriages.is_empty() {
        return (Cow::Borrowed(text), carriages);
    }
    (Cow::Owned(line::without_carriage_returns(text)), carriages)
}

fn original(offset: usize, carriages: &[usize]) -> usize {
    offset + carriages.partition_point(|line_feed| *line_feed < offset)
}

fn search_lines(file: &[u8], op: &ReplaceText, scope: &Range<usize>, search: &mut Search) {
    let lines = Lines::of(file);
    let find = line::without_carriage_returns(op.find.as_bytes());
    let quoted: Vec<&[u8]> = line::split(&find).map(line::body_of).collect();
    let mut ids: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut pattern = Vec::with_capacity(quoted.len());
    for text in &quoted {
        let next = u32::try_from(ids.len()).unwrap_or(u32::MAX - 1);
        pattern.push(*ids.entry(key(text, search.tier)).or_insert(next));
    }
    if quoted.iter().all(|text| line::trim_end(text).is_empty()) {
        return;
    }
    let bodies = (0..lines.count()).map(|index| content(file, &lines, index));
    let text: Vec<u32> = bodies
        .map(|body| {
            ids.get(&key(body, search.tier))
                .copied()
                .unwrap_or(u32::MAX)
        })
        .collect();
    let mut taken = 0;
    for first in occurrences(&text, &pattern) {
        let last = first + pattern.len() - 1;
        let ends_line = find.ends_with(b"\n");
        let start = lines.start(first) + bom(file, first);
        let full = lines.range(last);
        let end = if ends_line {
            full.end
        } else {
            full.start + line::body_of(&file[full.clone()]).len()
        };
        if first < taken || start < scope.start || end > scope.end {
            continue;
        }
        let standing: Vec<&[u8]> = (first..=last)
            .map(|index| content(file, &lines, index))
            .collect();
        match Shift::between(&quoted, &standing, &op.replace) {
            Some(shift) => {
                search.found.push(Found {
                    range: start..end,
                    tier: search.tier,
                    shift,
                });
                taken = last + 1;
            }
            None => search.uneven = search.uneven.or(Some(first)),
        }
    }
}

/// A line without its end; the first one without a byte order mark.
pub(super) fn content<'a>(file: &'a [u8], lines: &Lines, index: usize) -> &'a [u8] {
    line::body_of(&file[lines.range(index)][bom(file, index).min(lines.range(index).len())..])
}

fn bom(file: &[u8], line: usize) -> usize {
    if line == 0 && file.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    }
}

/// What a line is compared by.
fn key(text: &[u8], tier: Tier) -> Vec<u8> {
    let text = line::trim_end(text);
    match tier {
        Tier::Exact | Tier::Trailing => text.to_vec(),
        Tier::Indent => text[line::indent_of(text).len()..].to_vec(),
        Tier::Punctuation => match std::str::from_utf8(text) {
            Ok(text) => {
                let plain: String = text.chars().map(plain).collect();
                plain.trim_matches([' ', '\t']).as_bytes().to_vec()
            }
            Err(_) => text[line::indent_of(text).len()..].to_vec(),
        },
    }
}

const fn plain(character: char) -> char {
    match character {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    }
}
