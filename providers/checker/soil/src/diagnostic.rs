//! What is reported: a code of the closed list, a place, words for people, and facts for programs.
//!
//! A phase makes a [`Diagnostic`] with [`Diagnostic::new`] and adds notes, parameters and edits; it collects them in a
//! [`Diagnostics`]. Codes and spans are a contract; wording is free. One mistake gives one diagnostic: what an error node or an
//! unresolved name leads to is absorbed by its error type and never comes here.

mod code;
mod edit;
mod params;
mod trial;

pub use code::{Code, RepairClass, Source};
pub use edit::{Edit, EditKind, Splice, apply};
pub use params::{
    ArityCall, Candidate, CandidateOrigin, Difference, EffectParams, EffectStep, IncompleteParams,
    LimitParams, MatchParams, MismatchParams, NameParams, Params, PathStep, RedundantParams, Side,
    Why,
};
pub(crate) use trial::MAX_TRIED_BYTES;

use crate::source::{FileId, Span};

/// The most diagnostics that one document shows.
///
/// # Units and bounds
/// 50; what is cut off is counted as suppressed.
pub const MAX_IN_DOCUMENT: usize = 50;

/// The most diagnostics that a [`Diagnostics`] keeps, so that hostile text cannot fill the memory with reports.
const MAX_KEPT: usize = 1_000;

/// One mistake, or one thing worth knowing.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// What rule is broken.
    pub code: Code,
    /// A lowercase fragment that names the thing.
    pub message: String,
    /// The text that it is about.
    pub file: Option<FileId>,
    /// The smallest thing that breaks the rule.
    pub span: Option<Span>,
    /// Further facts and places, in prose.
    pub notes: Vec<Note>,
    /// The same facts for programs, in the shape of the code.
    pub params: Option<Box<Params>>,
    /// The cause, where this only follows from another one: its position in the same [`Diagnostics`].
    pub root: Option<usize>,
    /// Changes of the text that remove the mistake, best first.
    pub edits: Vec<Edit>,
}

impl Diagnostic {
    /// Makes a diagnostic without place.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            file: None,
            span: None,
            notes: Vec::new(),
            params: None,
            root: None,
            edits: Vec::new(),
        }
    }

    /// Makes a diagnostic about a part of a file.
    pub fn at(code: Code, file: FileId, span: Span, message: impl Into<String>) -> Self {
        let mut diagnostic = Self::new(code, message);
        diagnostic.file = Some(file);
        diagnostic.span = Some(span);
        diagnostic
    }

    /// Adds a note without place.
    pub fn with_note(mut self, message: impl Into<String>) -> Self {
        self.notes.push(Note {
            message: message.into(),
            file: None,
            span: None,
        });
        self
    }

    /// Adds a note about a part of a file.
    pub fn with_note_at(mut self, file: FileId, span: Span, message: impl Into<String>) -> Self {
        self.notes.push(Note {
            message: message.into(),
            file: Some(file),
            span: Some(span),
        });
        self
    }

    /// Sets the parameters.
    pub fn with_params(mut self, params: Params) -> Self {
        self.params = Some(Box::new(params));
        self
    }

    /// Adds an edit.
    pub fn with_edit(mut self, edit: Edit) -> Self {
        self.edits.push(edit);
        self
    }
}

/// A further fact of a diagnostic.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// A lowercase fragment; for a missing match case the pattern and nothing else.
    pub message: String,
    /// The text that it is about.
    pub file: Option<FileId>,
    /// The place that it is about.
    pub span: Option<Span>,
}

/// The diagnostics of a run, in the order in which they were found.
///
/// # Units and bounds
/// Keeps 1 000; what comes later is counted only.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    suppressed: usize,
}

impl Diagnostics {
    /// Makes an empty collection.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a diagnostic, or counts it when the collection is full.
    ///
    /// Gives its position, for the `root` of those that follow from it.
    pub fn push(&mut self, diagnostic: Diagnostic) -> Option<usize> {
        if self.is_full() {
            self.suppressed += 1;
            return None;
        }
        self.items.push(diagnostic);
        Some(self.items.len() - 1)
    }

    /// Says whether a further one would only be counted, so that its text need not be made.
    pub fn is_full(&self) -> bool {
        self.items.len() >= MAX_KEPT
    }

    /// Counts one that is not kept.
    pub fn count_suppressed(&mut self) {
        self.suppressed += 1;
    }

    /// Adds all of another collection behind these.
    pub fn append(&mut self, other: Self) {
        let offset = self.items.len();
        self.suppressed += other.suppressed;
        for mut diagnostic in other.items {
            diagnostic.root = diagnostic.root.map(|root| root + offset);
            self.push(diagnostic);
        }
    }

    /// Remembers how many there are, for [`rewind`](Self::rewind).
    pub(crate) fn mark(&self) -> (usize, usize) {
        (self.items.len(), self.suppressed)
    }

    /// Forgets those that came after the mark: the reading that found them is taken back.
    pub(crate) fn rewind(&mut self, (len, suppressed): (usize, usize)) {
        self.items.truncate(len);
        self.suppressed = suppressed;
    }

    /// Lists them in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.items.iter()
    }

    /// Lists them for changing what is offered beside them.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Diagnostic> {
        self.items.iter_mut()
    }

    /// Counts those kept.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Says whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Counts those that were found and not kept.
    pub fn suppressed(&self) -> usize {
        self.suppressed
    }

    /// Gives them in the order of documents: file (none first), start of span, code, message. Roots follow their causes.
    pub fn into_sorted(self) -> Vec<Diagnostic> {
        let mut order: Vec<usize> = (0..self.items.len()).collect();
        order.sort_by_key(|position| {
            let item = &self.items[*position];
            (
                item.file,
                item.span.map(|span| span.start),
                item.code.text(),
                item.message.as_str(),
            )
        });
        let mut places = vec![0; order.len()];
        for (place, position) in order.iter().enumerate() {
            places[*position] = place;
        }
        let mut sorted: Vec<(usize, Diagnostic)> = places.iter().copied().zip(self.items).collect();
        sorted.sort_by_key(|(place, _)| *place);
        sorted
            .into_iter()
            .map(|(_, mut diagnostic)| {
                diagnostic.root = diagnostic.root.and_then(|root| places.get(root).copied());
                diagnostic
            })
            .collect()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self {
            items: vec![diagnostic],
            suppressed: 0,
        }
    }
}
