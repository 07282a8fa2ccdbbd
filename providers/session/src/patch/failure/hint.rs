//! What to do about a refusal, in words.

use super::{Failure, ZERO_BYTE};

impl Failure {
    /// What to do about it, in one sentence.
    pub fn hint(&self) -> String {
        match self {
            Self::PathSymlink {
                resolved: Some(path),
                ..
            } => format!("name the file as `{path}`"),
            Self::PathSymlink { resolved: None, .. } => {
                "the link leads out of the workspace or nowhere".to_owned()
            }
            Self::PathState { .. } | Self::Path { .. } => "name the path as it is".to_owned(),
            Self::PreImage {
                moved_to: Some(line),
                ..
            } => format!("the quoted lines now start at line {line}"),
            Self::PreImage { .. } => "read the file as it is now, and plan the op again".to_owned(),
            Self::TextNotFound {
                already_present: true,
                ..
            } => "the new text stands there already: leave this op out".to_owned(),
            Self::TextNotFound { closest: None, .. } | Self::OccurrenceCount { count: 0, .. } => {
                "quote a text that is there".to_owned()
            }
            Self::TextNotFound { .. } => "quote the text of `closest` as it stands".to_owned(),
            Self::TextAmbiguous { .. } => "send the `retry` of the place that is meant".to_owned(),
            Self::OccurrenceCount { count, .. } => {
                format!("set `of` to {count}, or quote more lines")
            }
            Self::RangeInvalid { .. } => "name lines as they were before the patch".to_owned(),
            Self::NotText {
                reason: ZERO_BYTE, ..
            } => "the file is no text: replace it whole".to_owned(),
            Self::NotText { .. } => "use ASCII text, or replace the whole file".to_owned(),
            Self::FormatUnsupported { .. }
            | Self::LanguageUnsupported { .. }
            | Self::FormatParse { .. } => "use a text op".to_owned(),
            Self::PointerMissing { .. } => "use one of `members`, or `create_parents`".to_owned(),
            Self::PointerType { .. } => "point at a value of the expected kind".to_owned(),
            Self::DefinitionMissing { .. } => "use one of `nearest`".to_owned(),
            Self::DefinitionAmbiguous { .. } => {
                "add the `kind` or the `occurrence` of a candidate".to_owned()
            }
            Self::DefinitionUnparsable { .. } => {
                "mend the syntax error with a text op first".to_owned()
            }
            Self::SyntaxRegression { .. } => "send a text that is whole by itself".to_owned(),
            Self::RenameConflict { .. } => "choose another name".to_owned(),
            Self::DiffParse { .. } | Self::DiffHunkMismatch { .. } => {
                "make the diff again from the file as it is, or use a text op".to_owned()
            }
            Self::NoEffect => "nothing is to be done".to_owned(),
            Self::ProtectedPath { .. } | Self::PolicyFileEdit { .. } => {
                "such a change is made outside of a session, after a review".to_owned()
            }
            Self::Schema { .. } => "write the member as the schema says".to_owned(),
            Self::Limit { .. } => "split the patch".to_owned(),
        }
    }
}
