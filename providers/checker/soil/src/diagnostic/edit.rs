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
