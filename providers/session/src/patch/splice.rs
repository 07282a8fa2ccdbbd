//! Splices: what an edit does to the bytes of a file, and how edits that follow each other become one list.
//!
//! A splice replaces a range of the bytes before. `Edits` keeps all splices of one file relative to the bytes that it
//! had before the patch, so that lines named there can be found again and the whole change can be told at once.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::line;

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
    pub(crate) fn add(&mut self, splices: &[Splice]) {
        // From the last to the first, so that the offsets of those still to come stay true.
        for splice in splices.iter().rev() {
            self.add_one(splice);
        }
    }

    fn add_one(&mut self, splice: &Splice) {
        let placed = self.placed();
        let first = placed.partition_point(|edit| edit.end < splice.start);
        let last = placed.partition_point(|edit| edit.start <= splice.end);
        let unshifted = |offset: usize, edits: usize| {
            let shift: isize = self.0[..edits].iter().map(growth).sum();
            // Inside an edit the sum has no meaning, and that edit's own offset takes its place below.
            offset.saturating_add_signed(-shift)
        };
        let mut merged = Splice {
            start: unshifted(splice.start, first),
            end: unshifted(splice.end, last),
            bytes: Vec::new(),
        };
        if first < last && placed[first].start <= splice.start {
            merged.start = self.0[first].start;
            let kept = splice.start - placed[first].start;
            merged.bytes.extend_from_slice(&self.0[first].bytes[..kept]);
        }
        merged.bytes.extend_from_slice(&splice.bytes);
        if first < last && placed[last - 1].end >= splice.end {
            merged.end = self.0[last - 1].end;
            let kept = splice.end - placed[last - 1].start;
            merged
                .bytes
                .extend_from_slice(&self.0[last - 1].bytes[kept..]);
        }
        self.0.splice(first..last, [merged]);
    }

    /// Where the bytes of each edit stand now.
    fn placed(&self) -> Vec<Range<usize>> {
        let mut shift = 0_isize;
        let place = |edit: &Splice| {
            let start = edit.start.strict_add_signed(shift);
            shift += growth(edit);
            start..start + edit.bytes.len()
        };
        self.0.iter().map(place).collect()
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
