//! Lines of a file as bytes: where they start, how they end, and which of them two texts have in common.
//!
//! A line ends after LF; a CR before it belongs to the end of the line, and a lone CR is data.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// Where the lines of some bytes start.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    starts: Vec<usize>,
    length: usize,
}

impl Lines {
    /// Finds the lines; a last one without a line end counts.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
        let mut next = 0;
        while next < bytes.len() {
            starts.push(next);
            next = memchr::memchr(b'\n', &bytes[next..]).map_or(bytes.len(), |at| next + at + 1);
        }
        Self {
            starts,
            length: bytes.len(),
        }
    }

    /// How many lines there are.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Where line `index` (from 0) starts; the end of the bytes for one past the last.
    pub(crate) fn start(&self, index: usize) -> usize {
        self.starts.get(index).copied().unwrap_or(self.length)
    }

    /// The bytes of line `index`, its end included.
    pub(crate) fn range(&self, index: usize) -> Range<usize> {
        self.start(index)..self.start(index + 1)
    }

    /// The bytes of `count` lines from `index`.
    pub(crate) fn span(&self, index: usize, count: usize) -> Range<usize> {
        self.start(index)..self.start(index + count)
    }

    /// The line (from 0) that holds a byte; the last one for the end of the bytes.
    pub(crate) fn at(&self, offset: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1)
    }
}

/// The line end of one line: CRLF, LF or nothing.
pub(crate) fn end_of(line: &[u8]) -> &[u8] {
    if line.ends_with(b"\r\n") {
        &line[line.len() - 2..]
    } else if line.ends_with(b"\n") {
        &line[line.len() - 1..]
    } else {
        &[]
    }
}

/// One line without its end.
pub(crate) fn body_of(line: &[u8]) -> &[u8] {
    &line[..line.len() - end_of(line).len()]
}

/// A line without the blanks at its end.
pub(crate) fn trim_end(line: &[u8]) -> &[u8] {
    let kept = line.iter().rposition(|byte| !is_blank(*byte));
    &line[..kept.map_or(0, |last| last + 1)]
}

/// The blanks that a line starts with.
pub(crate) fn indent_of(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| is_blank(**byte)).count();
    &line[..blanks]
}

/// Whether a byte is a space or a tab.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Cuts bytes into lines, ends included.
pub(crate) fn split(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

/// Writes every CRLF as LF.
pub(crate) fn without_carriage_returns(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    for line in split(bytes) {
        text.extend_from_slice(body_of(line));
        if line.ends_with(b"\n") {
            text.push(b'\n');
        }
    }
    text
}

/// One run of lines that differs: lines of the old side, lines of the new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// Lines that go.
    pub(crate) old: Range<usize>,
    /// Lines that come.
    pub(crate) new: Range<usize>,
}

/// The runs by which two lists of lines differ, in order.
pub(crate) fn runs(old: &[&[u8]], new: &[&[u8]]) -> Vec<Run> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let old_rest = &old_rest[..old_rest.len() - tail];
    let new_rest = &new_rest[..new_rest.len() - tail];
    if old_rest.is_empty() || new_rest.is_empty() {
        if old_rest.is_empty() && new_rest.is_empty() {
            return Vec::new();
        }
        return vec![Run {
            old: head..head + old_rest.len(),
            new: head..head + new_rest.len(),
        }];
    }
    let mut input: InternedInput<&[u8]> = InternedInput::default();
    input.update_before(old_rest.iter().copied());
    input.update_after(new_rest.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let shift = |range: Range<u32>| head + range.start as usize..head + range.end as usize;
    diff.hunks()
        .map(|hunk| Run {
            old: shift(hunk.before),
            new: shift(hunk.after),
        })
        .collect()
}

/// Where a pattern stands in a text, by the method of Knuth, Morris and Pratt, so that no input makes it slow.
pub(crate) fn occurrences(text: &[u32], pattern: &[u32]) -> Vec<usize> {
    let mut borders = vec![0_usize; pattern.len()];
    let mut matched = 0;
    for index in 1..pattern.len() {
        while matched > 0 && pattern[index] != pattern[matched] {
            matched = borders[matched - 1];
        }
        if pattern[index] == pattern[matched] {
            matched += 1;
        }
        borders[index] = matched;
    }
    let mut found = Vec::new();
    matched = 0;
    for (index, id) in text.iter().enumerate() {
        while matched > 0 && *id != pattern[matched] {
            matched = borders[matched - 1];
        }
        if *id == pattern[matched] {
            matched += 1;
        }
        if matched == pattern.len() {
            found.push(index + 1 - matched);
            matched = borders[matched - 1];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_after_their_line_feed() {
        let text = b"a\r\n\nb\rc\nlast";
        let lines = Lines::of(text);
        assert_eq!(lines.count(), 4);
        assert_eq!(&text[lines.range(2)], b"b\rc\n");
        assert_eq!(&text[lines.range(3)], b"last");
        assert_eq!(
            (lines.at(0), lines.at(3), lines.at(4), lines.at(12)),
            (0, 1, 2, 3)
        );
        assert_eq!(lines.span(4, 0), 12..12);
        assert_eq!(Lines::of(b"").count(), 0);
        assert_eq!(without_carriage_returns(text), b"a\n\nb\rc\nlast");
    }

    #[test]
    fn runs_hold_what_differs_alone() {
        let old: Vec<&[u8]> = vec![b"a", b"b", b"c", b"d"];
        let new: Vec<&[u8]> = vec![b"a", b"x", b"c", b"d", b"e"];
        assert_eq!(
            runs(&old, &new),
            [
                Run {
                    old: 1..2,
                    new: 1..2
                },
                Run {
                    old: 4..4,
                    new: 4..5
                }
            ]
        );
        assert_eq!(runs(&old, &old), []);
        assert_eq!(
            runs(&[], &new),
            [Run {
                old: 0..0,
                new: 0..5
            }]
        );
    }
}
