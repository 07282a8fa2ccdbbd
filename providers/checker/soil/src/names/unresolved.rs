//! Names that mean nothing, until types say what was meant.

use super::Referent;
use crate::diagnostic::CandidateOrigin;
use crate::source::{FileId, Span};
use crate::syntax::tree::{ExprId, PatternId};

/// Where an unknown name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Expr(ExprId),
    Pattern(PatternId),
    Type,
}

/// A name that could have been meant, judged by its letters alone.
#[derive(Clone, Debug)]
pub(crate) struct Suggestion {
    /// The name as it would be written.
    pub(crate) text: String,
    pub(crate) referent: Referent,
    pub(crate) from: CandidateOrigin,
    /// Its type as text, where that is known without inference.
    pub(crate) ty: String,
    pub(crate) distance: usize,
}

/// The report about an unknown name, which still lacks its candidates.
#[derive(Clone, Debug)]
pub(crate) struct Unresolved {
    pub(crate) place: Place,
    pub(crate) span: Span,
    /// The position of the report.
    pub(crate) diagnostic: usize,
    /// The file that would define the name and does not read, if the document speaks of it.
    pub(crate) cause: Option<FileId>,
    /// By edit distance, then nearest scope, then bytes.
    pub(crate) suggestions: Vec<Suggestion>,
    /// The hole that may stand there instead, for a name that can be written nowhere else.
    pub(crate) hole: Option<String>,
}
