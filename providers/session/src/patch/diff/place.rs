//! Placing the hunks of one file: all of them together, where their old lines stand.

use std::collections::HashMap;

use super::parse::{Hunk, HunkLine};
use crate::patch::failure::Failure;
use crate::patch::line::{self, Lines, occurrences};
use crate::patch::text::closest;

/// Places that a report lists.
const MAX_LINES: usize = 20;

/// Where one hunk stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed {
    /// Its first line, from 0.
    pub(super) start: usize,
    /// Whether its old lines stand there byte for byte, line ends included.
    pub(super) is_exact: bool,
}

/// Places all hunks of a file.
pub(super) fn place(file: &[u8], hunks: &[Hunk]) -> Result<Vec<Placed>, Failure> {
    let text = Text::of(file);
    let stated = hunks.iter().map(|hunk| text.at_stated(hunk));
    if let Some(stated) = stated.collect::<Option<Vec<_>>>()
        && is_ordered(hunks, &stated)
    {
        return Ok(stated);
    }
    let mut candidates = Vec::with_capacity(hunks.len());
    for (index, hunk) in hunks.iter().enumerate() {
        let found = text.candidates(hunk);
        if found.is_empty() {
            return Err(text.nowhere(index, hunk));
        }
        candidates.push(found);
    }
    jointly(hunks, &candidates)
}

fn is_ordered(hunks: &[Hunk], placed: &[Placed]) -> bool {
    let mut reached = 0;
    hunks.iter().zip(placed).all(|(hunk, placed)| {
        let fits = placed.start >= reached;
        reached = placed.start + hunk.old_lines().count();
        fits
    })
}

struct Text<'f> {
    file: &'f [u8],
    lines: Lines,
}

impl<'f> Text<'f> {
    fn of(file: &'f [u8]) -> Self {
        Self {
            file,
            lines: Lines::of(file),
        }
    }

    fn line(&self, index: usize) -> &'f [u8] {
        &self.file[self.lines.range(index)]
    }

    /// The hunk where its header says, if its old lines stand there.
    fn at_stated(&self, hunk: &Hunk) -> Option<Placed> {
        let count = hunk.old_lines().count();
        let start = if count == 0 && hunk.is_insertion {
            hunk.old_start
        } else {
            hunk.old_start.saturating_sub(1)
        };
        if start + count > self.lines.count() {
            return None;
        }
        self.fits(hunk, start)
    }

    fn fits(&self, hunk: &Hunk, start: usize) -> Option<Placed> {
        let mut is_exact = true;
        for (index, old) in hunk.old_lines().enumerate() {
            let standing = self.line(start + index);
            is_exact &= standing == old.text.as_bytes();
            if !same_but_for_end(standing, old) {
                return None;
            }
        }
        Some(Placed { start, is_exact })
    }

    /// All places of the old lines: byte for byte, else line ends aside.
    fn candidates(&self, hunk: &Hunk) -> Vec<Placed> {
        let old: Vec<&HunkLine> = hunk.old_lines().collect();
        if old.is_empty() {
            let is_empty = self.file.is_empty();
            return if is_empty {
                vec![Placed {
                    start: 0,
                    is_exact: true,
                }]
            } else {
                Vec::new()
            };
        }
        let mut ids: HashMap<&[u8], u32> = HashMap::new();
        let pattern: Vec<u32> = old
            .iter()
            .map(|old| {
                let next = u32::try_from(ids.len()).unwrap_or(u32::MAX - 1);
                *ids.entry(line::body_of(old.text.as_bytes()))
                    .or_insert(next)
            })
            .collect();
        let lines = (0..self.lines.count()).map(|index| line::body_of(self.line(index)));
        let text: Vec<u32> = lines
            .map(|body| ids.get(body).copied().unwrap_or(u32::MAX))
            .collect();
        let places = occurrences(&text, &pattern).into_iter();
        let found: Vec<Placed> = places.filter_map(|start| self.fits(hunk, start)).collect();
        let exact: Vec<Placed> = found
            .iter()
            .filter(|placed| placed.is_exact)
            .copied()
            .collect();
        if exact.is_empty() { found } else { exact }
    }

    fn nowhere(&self, index: usize, hunk: &Hunk) -> Failure {
        let old: String = hunk.old_lines().map(|old| old.text.as_str()).collect();
        let reason = if old.is_empty() {
            "the hunk quotes no line, and its file is not as the diff states it"
        } else {
            "the old lines of the hunk are not in the file"
        };
        Failure::DiffHunkMismatch {
            hunk: index + 1,
            line: hunk.line,
            reason: reason.to_owned(),
            closest: closest(self.file, old.as_bytes()).map(Box::new),
            lines: Vec::new(),
        }
    }
}

/// Whether a line is the quoted one, line ends aside; what is said to have none has none.
fn same_but_for_end(standing: &[u8], old: &HunkLine) -> bool {
    let has_end = standing.ends_with(b"\n");
    line::body_of(standing) == line::body_of(old.text.as_bytes()) && !(old.is_unended && has_end)
}

/// The one way in which hunks stand in file order and do not overlap.
fn jointly(hunks: &[Hunk], candidates: &[Vec<Placed>]) -> Result<Vec<Placed>, Failure> {
    let lengths: Vec<usize> = hunks.iter().map(|hunk| hunk.old_lines().count()).collect();
    let latest = latest_starts(&lengths, candidates);
    let mut placed: Vec<Placed> = Vec::with_capacity(hunks.len());
    let mut reached = 0;
    for (index, found) in candidates.iter().enumerate() {
        let ends_in_time = |start: usize| {
            latest
                .get(index + 1)
                .is_none_or(|latest| latest.is_some_and(|latest| start + lengths[index] <= latest))
        };
        let fits = |place: &&Placed| place.start >= reached && ends_in_time(place.start);
        let viable: Vec<Placed> = found.iter().filter(fits).copied().collect();
        match viable.as_slice() {
            [one] => {
                reached = one.start + lengths[index];
                placed.push(*one);
            }
            _ => return Err(not_one(index, &hunks[index], &viable)),
        }
    }
    Ok(placed)
}

/// For each hunk the last place at which all hunks behind it still find one; none where there is no such place.
fn latest_starts(lengths: &[usize], candidates: &[Vec<Placed>]) -> Vec<Option<usize>> {
    let mut latest = vec![None; candidates.len()];
    let mut bound = Some(usize::MAX);
    for index in (0..candidates.len()).rev() {
        let fits =
            |place: &&Placed| bound.is_some_and(|bound| place.start + lengths[index] <= bound);
        bound = candidates[index]
            .iter()
            .rfind(fits)
            .map(|place| place.start);
        latest[index] = bound;
    }
    latest
}

fn not_one(index: usize, hunk: &Hunk, places: &[Placed]) -> Failure {
    let reason = if places.is_empty() {
        "the hunks of the file stand in no order in which none overlaps".to_owned()
    } else {
        let count = places.len();
        format!("the hunk fits in {count} places, and the lines that its file states do not hold")
    };
    let lines = places.iter().map(|place| place.start + 1);
    Failure::DiffHunkMismatch {
        hunk: index + 1,
        line: hunk.line,
        reason,
        closest: None,
        lines: lines.take(MAX_LINES).collect(),
    }
}
