//! Whether a change of text leaves a file with more syntax errors than it had: only what changed is judged, where that is enough.

use std::ops::Range;

use super::Language;
use super::outline::{MAX_PARSED_BYTES, edited, errors, span, tree_of};
use crate::patch::line;
use crate::patch::outcome::Warning;
use crate::patch::splice::Splice;
use crate::patch::work::WorkFile;
use crate::path::WorkspacePath;

/// Words that go on with what stands above the blank line before them.
const CONTINUING: &[&[u8]] = &[
    b"catch", b"elif", b"else", b"except", b"finally", b"where", b"while",
];

/// Errors whose lines a warning tells.
const MAX_LINES: usize = 5;

/// A text in which more brackets than this have no partner is none of its language, and a parser comes through it only with
/// thousands of times the work of a text that is.
const MAX_LONE_BRACKETS: usize = 64;

/// A warning where a file whose text was changed has more syntax errors than before the patch.
pub(crate) fn more_errors(path: &WorkspacePath, file: &WorkFile) -> Option<Warning> {
    let language = Language::of_path(path)?;
    let (before, after) = (&*file.lines_of, &*file.bytes);
    if before.len().max(after.len()) > MAX_PARSED_BYTES {
        return None;
    }
    let splices = file.edits.minimal(before);
    let known = file.parsed.as_ref();
    let known = known.filter(|parsed| parsed.language == language);
    let parts = Parts {
        language,
        before,
        after,
    };
    let errors = match known.and_then(|parsed| parsed.outline.as_ref()) {
        Some(outline) if outline.errors.is_empty() => return None,
        Some(outline) => outline.errors.clone(),
        None if parts.are_clean(&splices) || lone_brackets(before) > MAX_LONE_BRACKETS => {
            return None;
        }
        None => {
            let tree = tree_of(language, after, known.map(|parsed| &parsed.tree));
            let errors = errors(tree.root_node());
            // A file without errors has no more than before, and most files have none.
            if errors.is_empty() {
                return None;
            }
            let back = edited(&tree, after, &inverse(before, &splices));
            let tree = tree_of(language, before, Some(&back));
            return warning(path, after, &errors, self::errors(tree.root_node()).len());
        }
    };
    let tree = tree_of(language, before, None);
    warning(path, after, &errors, self::errors(tree.root_node()).len())
}

fn warning(
    path: &WorkspacePath,
    after: &[u8],
    errors: &[Range<usize>],
    count_before: usize,
) -> Option<Warning> {
    if errors.len() <= count_before {
        return None;
    }
    let lines: Vec<String> = errors
        .iter()
        .take(MAX_LINES)
        .map(|range| span(after, range).start_line.to_string())
        .collect();
    Some(Warning {
        name: "error-nodes",
        path: path.clone(),
        detail: format!("syntax errors at lines {}", lines.join(", ")),
    })
}

/// How many brackets have no partner, each kind counted by itself.
fn lone_brackets(text: &[u8]) -> usize {
    let mut open = [0_usize; 3];
    let mut lone = 0;
    for byte in text {
        let (kind, opens) = match byte {
            b'(' => (0, true),
            b')' => (0, false),
            b'[' => (1, true),
            b']' => (1, false),
            b'{' => (2, true),
            b'}' => (2, false),
            _ => continue,
        };
        if opens {
            open[kind] += 1;
        } else if let Some(left) = open[kind].checked_sub(1) {
            open[kind] = left;
        } else {
            lone += 1;
        }
    }
    lone + open.iter().sum::<usize>()
}

/// The splices of the bytes after that give the bytes before.
fn inverse(before: &[u8], splices: &[Splice]) -> Vec<Splice> {
    let mut grown = 0_isize;
    let back = |splice: &Splice| {
        let start = splice.start.strict_add_signed(grown);
        grown += splice.bytes.len().cast_signed() - splice.range().len().cast_signed();
        Splice::new(start..start + splice.bytes.len(), &before[splice.range()])
    };
    splices.iter().map(back).collect()
}

/// A text before and after, to be judged in parts.
struct Parts<'a> {
    language: Language,
    before: &'a [u8],
    after: &'a [u8],
}

impl Parts<'_> {
    /// Whether all that changed is made of whole pieces of the outermost level that parse by themselves, before as after: then the
    /// file has as many errors as it had. Any doubt is a no, and the whole file is judged.
    fn are_clean(&self, splices: &[Splice]) -> bool {
        let parts = self.around(splices);
        let length: usize = parts.iter().map(|(_, after)| after.len()).sum();
        // Two parses of most of a file cost more than one of the whole.
        length <= self.after.len() / 2
            && parts.iter().all(|(before, after)| {
                self.is_clean(&self.before[before.clone()])
                    && self.is_clean(&self.after[after.clone()])
            })
    }

    fn is_clean(&self, part: &[u8]) -> bool {
        // A half of a conditional parses by itself, and leaves the other half open.
        let is_open = self.language == Language::C && line::split(part).any(is_conditional);
        !is_open && !tree_of(self.language, part, None).root_node().has_error()
    }

    /// The pieces around splices, as ranges of the text before and of the text after.
    fn around(&self, splices: &[Splice]) -> Vec<(Range<usize>, Range<usize>)> {
        let mut parts: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        let mut grown = 0_isize;
        for splice in splices {
            let start = self.boundary_before(splice.start);
            let end = self.boundary_after(splice.end);
            let shift = grown;
            grown += splice.bytes.len().cast_signed() - splice.range().len().cast_signed();
            match parts.last_mut() {
                Some((before, after)) if before.end > start => {
                    before.end = before.end.max(end);
                    after.end = before.end.strict_add_signed(grown);
                }
                _ => parts.push((
                    start..end,
                    start.strict_add_signed(shift)..end.strict_add_signed(grown),
                )),
            }
        }
        parts
    }

    /// The last boundary at or before an offset.
    fn boundary_before(&self, offset: usize) -> usize {
        let text = self.before;
        let starts_line = offset == 0 || text[offset - 1] == b'\n';
        let mut at = if starts_line {
            offset
        } else {
            line_start(text, offset)
        };
        while at > 0 && !(starts_piece(&text[at..]) && is_blank_line(text, at)) {
            at = line_start(text, at - 1);
        }
        at
    }

    /// The first boundary after an offset with a whole blank line between.
    fn boundary_after(&self, offset: usize) -> usize {
        let text = self.before;
        let next = |from: usize| {
            memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |at| from + at + 1)
        };
        let starts_line = offset == 0 || text[offset - 1] == b'\n';
        let mut line = if starts_line { offset } else { next(offset) };
        while line < text.len() {
            let following = next(line);
            let is_blank = text[line..following].trim_ascii().is_empty();
            if is_blank && starts_piece(&text[following..]) {
                return following;
            }
            line = following;
        }
        text.len()
    }
}

/// Whether a line of C starts, divides or ends what is compiled on a condition.
fn is_conditional(line: &[u8]) -> bool {
    let directive = line.trim_ascii_start().strip_prefix(b"#");
    let word = directive.map(<[u8]>::trim_ascii_start);
    let words = [&b"if"[..], b"el", b"end"];
    word.is_some_and(|word| words.iter().any(|start| word.starts_with(start)))
}

/// Where the line starts that holds an offset.
fn line_start(text: &[u8], offset: usize) -> usize {
    memchr::memrchr(b'\n', &text[..offset]).map_or(0, |at| at + 1)
}

/// Whether the line that ends before an offset is blank.
fn is_blank_line(text: &[u8], start: usize) -> bool {
    let above = line_start(text, start - 1);
    text[above..start].trim_ascii().is_empty()
}

/// Whether a line without indentation can start something of its own.
fn starts_piece(text: &[u8]) -> bool {
    let word = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let starts = text.first().is_some_and(|first| {
        first.is_ascii_alphabetic() || matches!(first, b'_' | b'#' | b'@' | b'/')
    });
    starts && !CONTINUING.contains(&&text[..word])
}

#[cfg(test)]
mod tests;
