//! Splices: what an edit does to the bytes of a file, and how edits that follow each other become one list.
//!
//! A splice replaces a range of the bytes before. `Edits` keeps all splices of one file relative to the bytes that it
//! had before the patch, so that lines named there can be found again and the whole change can be told at once.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::{line, steps};

/// Replaces the bytes from `start` to `end` by others.
///
/// # Wire shape
/// `{"start", "end", "text"}`, or `base64` in the place of `text` where the bytes are not UTF-8; offsets in bytes of the
/// blob before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// Where the replaced bytes start.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// What stands there afterwards.
    pub bytes: Vec<u8>,
}

impl Splice {
    /// Replaces a range.
    pub fn new(range: Range<usize>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            start: range.start,
            end: range.end,
            bytes: bytes.into(),
        }
    }

    /// The range that is replaced.
    pub const fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

impl Serialize for Splice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("start", &self.start)?;
        map.serialize_entry("end", &self.end)?;
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => map.serialize_entry("text", text)?,
            Err(_) => map.serialize_entry("base64", &STANDARD.encode(&self.bytes))?,
        }
        map.end()
    }
}

/// The bytes after splices that are sorted and do not overlap.
pub fn spliced(bytes: &[u8], splices: &[Splice]) -> Vec<u8> {
    let grown: usize = splices.iter().map(|splice| splice.bytes.len()).sum();
    let mut after = Vec::with_capacity(bytes.len() + grown);
    let mut kept = 0;
    for splice in splices {
        after.extend_from_slice(&bytes[kept..splice.start]);
        after.extend_from_slice(&splice.bytes);
        kept = splice.end;
    }
    after.extend_from_slice(&bytes[kept..]);
    after
}

/// What stands between the bytes before the patch and the bytes now.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edits(Vec<Splice>);

impl Edits {
    /// Adds splices of the bytes as they are now: sorted, not overlapping.
    ///
    /// One pass over both lists. What touches on the bytes as they are now becomes one edit.
    pub(crate) fn add(&mut self, splices: &[Splice]) {
        let mut edits = std::mem::take(&mut self.0).into_iter().peekable();
        let mut splices = splices.iter().peekable();
        // By how much the edits that were passed move what stands behind them.
        let mut shift = 0_isize;
        let mut joined = Vec::new();
        loop {
            let edit_at = edits.peek().map(|edit| edit.start.strict_add_signed(shift));
            let splice_at = splices.peek().map(|splice| splice.start);
            let Some(start) = edit_at.into_iter().chain(splice_at).min() else {
                break;
            };
            let mut cluster = Cluster::at(start, start.strict_add_signed(-shift));
            loop {
                steps::count(1);
                if let Some(edit) =
                    edits.next_if(|edit| edit.start.strict_add_signed(shift) <= cluster.end)
                {
                    let at = edit.start.strict_add_signed(shift);
                    shift += growth(&edit);
                    cluster.edit(at, edit.bytes);
                } else if let Some(splice) = splices.next_if(|splice| splice.start <= cluster.end) {
                    cluster.splice(splice);
                } else {
                    break;
                }
            }
            joined.push(cluster.finish(shift));
        }
        self.0 = joined;
    }

    /// Where a range of the bytes before stands now; none if an edit changed bytes within it.
    pub(crate) fn locate(&self, range: Range<usize>) -> Option<Range<usize>> {
        let mut shift = 0_isize;
        for edit in &self.0 {
            if edit.end <= range.start {
                shift += growth(edit);
            } else if edit.start < range.end || (range.is_empty() && edit.start < range.start) {
                return None;
            }
        }
        let moved = |offset: usize| offset.strict_add_signed(shift);
        Some(moved(range.start)..moved(range.end))
    }

    /// The whole change as splices of the bytes before: sorted, not overlapping, without lines that both sides have.
    pub(crate) fn minimal(&self, before: &[u8]) -> Vec<Splice> {
        let mut splices = Vec::new();
        for edit in &self.0 {
            refine(before, edit, &mut splices);
        }
        splices
    }
}

/// Edits and splices that touch each other on the bytes between them, on their way to one edit.
struct Cluster<'s> {
    /// Where it starts in the bytes before all edits.
    start_before: usize,
    /// Its range of the bytes between, all of which an edit has made or a splice replaces.
    start: usize,
    end: usize,
    /// The bytes that edits have made, and where they stand.
    made: Vec<(usize, Vec<u8>)>,
    splices: Vec<&'s Splice>,
}

impl<'s> Cluster<'s> {
    const fn at(start: usize, start_before: usize) -> Self {
        Self {
            start_before,
            start,
            end: start,
            made: Vec::new(),
            splices: Vec::new(),
        }
    }

    fn edit(&mut self, at: usize, bytes: Vec<u8>) {
        self.end = self.end.max(at + bytes.len());
        self.made.push((at, bytes));
    }

    fn splice(&mut self, splice: &'s Splice) {
        self.end = self.end.max(splice.end);
        self.splices.push(splice);
    }

    /// The one edit; `shift` is by how much all edits up to its end move what stands behind them.
    fn finish(self, shift: isize) -> Splice {
        let mut bytes = Vec::new();
        let mut made = self.made.iter().peekable();
        let mut keep = |range: Range<usize>, bytes: &mut Vec<u8>| {
            while let Some((at, text)) = made.peek() {
                steps::count(1);
                let end = at + text.len();
                let (from, to) = (range.start.max(*at), range.end.min(end));
                if from < to {
                    bytes.extend_from_slice(&text[from - at..to - at]);
                }
                if end > range.end {
                    break;
                }
                made.next();
            }
        };
        let mut reached = self.start;
        for splice in &self.splices {
            keep(reached..splice.start, &mut bytes);
            bytes.extend_from_slice(&splice.bytes);
            reached = splice.end;
        }
        keep(reached..self.end, &mut bytes);
        Splice {
            start: self.start_before,
            end: self.end.strict_add_signed(-shift),
            bytes,
        }
    }
}

/// By how much an edit moves what stands behind it.
fn growth(edit: &Splice) -> isize {
    edit.bytes.len().cast_signed() - (edit.end - edit.start).cast_signed()
}

/// Cuts a splice into those of the lines that it really changes.
pub(crate) fn refine(before: &[u8], splice: &Splice, splices: &mut Vec<Splice>) {
    let old: Vec<&[u8]> = line::split(&before[splice.range()]).collect();
    let new: Vec<&[u8]> = line::split(&splice.bytes).collect();
    let mut offset = splice.start;
    let mut reached = 0;
    for run in line::runs(&old, &new) {
        let length = |lines: &[&[u8]]| lines.iter().map(|line| line.len()).sum::<usize>();
        offset += length(&old[reached..run.old.start]);
        let end = offset + length(&old[run.old.clone()]);
        splices.push(Splice::new(offset..end, new[run.new].concat()));
        offset = end;
        reached = run.old.end;
    }
}

#[cfg(test)]
mod tests;
