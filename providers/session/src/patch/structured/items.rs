//! The members of a container between brackets, as bytes: one is put behind the others, or one is taken out.

use std::ops::Range;

use super::layout::{Layout, indent_at, line_start};
use crate::patch::splice::Splice;

/// How a format writes comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    /// `//` to the end of the line, and `/* … */`.
    Slashes,
    /// `#` to the end of the line.
    Hash,
}

impl Comments {
    /// The length of a comment that a text starts with.
    fn length(self, text: &str) -> Option<usize> {
        let to_line_end = || text.find('\n').unwrap_or(text.len());
        match self {
            Self::Hash => text.starts_with('#').then(to_line_end),
            Self::Slashes if text.starts_with("//") => Some(to_line_end()),
            Self::Slashes if text.starts_with("/*") => {
                Some(text.find("*/").map_or(text.len(), |end| end + 2))
            }
            Self::Slashes => None,
        }
    }

    /// The next byte from an offset that is neither blank nor comment.
    pub(super) fn skip(self, text: &str, mut at: usize) -> usize {
        loop {
            let rest = &text[at..];
            let trimmed = rest.trim_start();
            at += rest.len() - trimmed.len();
            match self.length(trimmed) {
                Some(length) => at += length,
                None => return at,
            }
        }
    }

    /// Behind a comment that stands on the same line; the offset itself where there is none.
    pub(super) fn end_on_line(self, text: &str, at: usize) -> usize {
        let rest = &text[at..];
        let trimmed = rest.trim_start_matches([' ', '\t']);
        let line = trimmed.split(['\n', '\r']).next().unwrap_or_default();
        let Some(length) = self.length(line) else {
            return at;
        };
        // A block comment with more behind it on the line belongs to what follows.
        let is_whole = line[length..].trim().is_empty() && self.length(trimmed) == Some(length)
            || !line.starts_with("/*");
        if is_whole {
            at + (rest.len() - trimmed.len()) + line.trim_end().len()
        } else {
            at
        }
    }
}

/// The members of one container.
pub(super) struct Items {
    /// The container, its brackets included.
    pub(super) range: Range<usize>,
    /// Each member, from its key to its value.
    pub(super) members: Vec<Range<usize>>,
    /// How comments look.
    pub(super) comments: Comments,
    /// What stands inside the brackets of a short container: nothing, or a space.
    pub(super) padding: &'static str,
    /// What stands behind a comma on the same line.
    pub(super) gap: &'static str,
    /// Whether an empty container spreads over lines once it has a member, in a file of several lines.
    pub(super) spreads: bool,
}

impl Items {
    /// Puts a member behind the others; `render` gets the indentation where the container spreads over lines.
    pub(super) fn insert(
        &self,
        text: &str,
        layout: &Layout,
        render: impl Fn(Option<&str>) -> String,
    ) -> Splice {
        let outer = indent_at(text, self.range.start);
        let is_long = match self.members.first() {
            Some(first) => text[self.range.start..first.start].contains('\n'),
            None => layout.is_long && self.spreads,
        };
        let indent = match self.members.last() {
            Some(last) if is_long => indent_at(text, last.start).to_owned(),
            _ => format!("{outer}{}", layout.unit),
        };
        let item = render(is_long.then_some(&indent));
        let end = layout.line_end;
        let Some(last) = self.members.last() else {
            let inside = self.range.start + 1..self.range.end - 1;
            if !text[inside.clone()].trim().is_empty() {
                // A comment alone: the member goes in front of it, on a line of its own.
                return Splice::new(inside.start..inside.start, format!("{end}{indent}{item}"));
            }
            let padding = self.padding;
            let whole = if is_long {
                format!("{end}{indent}{item}{end}{outer}")
            } else {
                format!("{padding}{item}{padding}")
            };
            return Splice::new(inside, whole);
        };
        let comma = self.comments.skip(text, last.end);
        let has_comma = text[comma..].starts_with(',');
        let from = if has_comma { comma + 1 } else { last.end };
        let at = if is_long {
            self.comments.end_on_line(text, from)
        } else {
            from
        };
        let kept = &text[from..at];
        let lead = if is_long {
            format!("{end}{indent}")
        } else {
            self.gap.to_owned()
        };
        let (before, after) = if has_comma { ("", ",") } else { (",", "") };
        Splice::new(from..at, format!("{before}{kept}{lead}{item}{after}"))
    }

    /// Takes a member out, with its comma and a comment behind it.
    pub(super) fn remove(&self, text: &str, index: usize) -> Splice {
        let item = self.members[index].clone();
        let comma = self.comments.skip(text, item.end);
        let has_comma = text[comma..].starts_with(',');
        let after = if has_comma { comma + 1 } else { item.end };
        let end = self.comments.end_on_line(text, after);
        if self.members.len() == 1 {
            return self.remove_only(text, &item, end);
        }
        if index + 1 == self.members.len() && !has_comma {
            let before = self.members[index - 1].end;
            let between = &text[before..item.start];
            let comma = self.comments.skip(text, before) - before;
            let kept = [&between[..comma], &between[comma + 1..]].concat();
            return Splice::new(before..end, kept.trim_end());
        }
        let start = line_start(text, item.start);
        let starts_line = text[start..item.start].trim().is_empty();
        let rest = text[end..].strip_prefix('\r').unwrap_or(&text[end..]);
        if starts_line && rest.starts_with('\n') {
            let line_end = text.len() - rest.len() + 1;
            return Splice::new(start..line_end, "");
        }
        let blanks = text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
        Splice::new(item.start..end + blanks, "")
    }

    fn remove_only(&self, text: &str, item: &Range<usize>, end: usize) -> Splice {
        let inside = self.range.start + 1..self.range.end - 1;
        let before = &text[inside.start..item.start];
        let after = &text[end.min(inside.end)..inside.end];
        if before.trim().is_empty() && after.trim().is_empty() {
            Splice::new(inside, "")
        } else {
            Splice::new(item.start..end, "")
        }
    }
}
