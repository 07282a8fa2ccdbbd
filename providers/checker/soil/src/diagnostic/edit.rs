//! Changes of a text that a diagnostic offers.

use crate::source::{FileId, Span};

/// A change that removes the diagnostic it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// A lowercase fragment that says what it does.
    pub title: String,
    /// What it promises.
    pub kind: EditKind,
    /// The replacements, in the order of the text, none overlapping another.
    pub splices: Vec<Splice>,
}

impl Edit {
    /// Makes an edit of one replacement.
    pub fn new(
        kind: EditKind,
        title: impl Into<String>,
        file: FileId,
        span: Span,
        text: impl Into<String>,
    ) -> Self {
        Self {
            title: title.into(),
            kind,
            splices: vec![Splice {
                file,
                span,
                text: text.into(),
            }],
        }
    }
}

/// Gives a text with edits applied to it; what they change elsewhere is left out.
///
/// None when two replacements overlap or one lies outside the text.
pub fn apply<'a>(
    file: FileId,
    bytes: &[u8],
    edits: impl IntoIterator<Item = &'a Edit>,
) -> Option<Vec<u8>> {
    let splices = edits.into_iter().flat_map(|edit| &edit.splices);
    let mut splices: Vec<&Splice> = splices.filter(|splice| splice.file == file).collect();
    splices.sort_by_key(|splice| (splice.span.start, splice.span.end));
    let mut changed = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for splice in splices {
        let replaced = splice.span.range();
        changed.extend_from_slice(bytes.get(from..replaced.start)?);
        changed.extend_from_slice(splice.text.as_bytes());
        from = replaced.end;
    }
    changed.extend_from_slice(bytes.get(from..)?);
    Some(changed)
}

/// What an edit promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// Keeps the meaning as written, removes this diagnostic and adds none.
    Machine,
    /// The same, but leaves the holes that it lists.
    Placeholder,
    /// One of several that a reader decides between; each alone removes the diagnostic.
    Choice,
}

impl EditKind {
    /// Gives the word that stands in a document.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Placeholder => "placeholder",
            Self::Choice => "choice",
        }
    }
}

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// The text that is changed.
    pub file: FileId,
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// What stands there afterwards.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(splices: &[(u32, u32, &str)]) -> Option<String> {
        let file = FileId::new(0);
        let edits: Vec<Edit> = splices
            .iter()
            .map(|(start, end, text)| {
                Edit::new(EditKind::Machine, "", file, Span::new(*start, *end), *text)
            })
            .collect();
        let changed = apply(file, b"abcdef", &edits)?;
        Some(String::from_utf8(changed).expect("the pieces are UTF-8"))
    }

    #[test]
    fn edits_are_applied_together() {
        assert_eq!(
            applied(&[(5, 6, ""), (0, 1, "xy"), (3, 3, "-")]).as_deref(),
            Some("xybc-de")
        );
        assert_eq!(applied(&[]).as_deref(), Some("abcdef"));
        assert_eq!(applied(&[(0, 3, "x"), (2, 4, "y")]), None);
        assert_eq!(applied(&[(6, 7, "x")]), None);
    }
}
